import Yams

/// Parses a file of the YAML subset into a tree of nodes.
package enum SourceDocument {
  /// The tree of `source`, which must be a file of the kind that `version` names.
  ///
  /// Throws if there is no tree, or if the file is of another kind. If the kind is wrong, no other
  /// error is reported.
  package static func parse(_ source: SourceFile, version: String, _ findings: inout Findings)
    throws(FileErrors) -> SourceNode
  {
    guard let root = parse(source, &findings) else {
      try findings.throwIfAny(in: source.name)
      preconditionFailure("\(source.name) has neither a tree nor an error")
    }
    if let kind = root["curfew"], let found = kind.text, !found.isEmpty, found != version {
      let advice = found.hasPrefix("policy/") ? "; --policy takes a policy" : ""
      let message =
        "expected '\(version)', found '\(found)': another kind of file, or another version\(advice)"
      throw FileErrors([FileDiagnostic(at: kind.place, message)])
    }
    return root
  }

  /// The tree of `source`, or nil if there is none; errors are added to `findings`.
  package static func parse(_ source: SourceFile, _ findings: inout Findings) -> SourceNode? {
    let refusals = SubsetScan.refusals(in: source)
    guard refusals.isSound else {
      findings.add(refusals)
      return nil
    }
    var tree = TreeReader(source: source)
    let node = tree.read()
    findings.add(tree.findings)
    return node
  }
}

/// Converts the parser's tree into nodes with places.
private struct TreeReader {
  let source: SourceFile
  var findings = Findings()

  mutating func read() -> SourceNode? {
    let start = SourcePlace(file: source.name, line: 1, column: 1)
    do {
      // Specifies UTF-8. The default is read from the environment, and Yams prints a message if it
      // is set there. Uses no resolver, because the schema decides what a word means.
      let parser = try Parser(yaml: source.text, resolver: .basic, encoding: .utf8)
      guard let root = try parser.singleRoot() else {
        findings.error(at: start, "the file contains only comments")
        return nil
      }
      // The parser owns the anchors to which its nodes hold weak references.
      return withExtendedLifetime(parser) { node(root, depth: 0) }
    } catch let error as YamlError {
      report(error)
    } catch {
      findings.error(at: start, "the file cannot be parsed: \(error)")
    }
    return nil
  }

  private mutating func report(_ error: YamlError) {
    switch error {
    case .scanner(let context, let problem, let mark, _),
      .parser(let context, let problem, let mark, _),
      .composer(let context, let problem, let mark, _):
      let place = place(line: mark.line, column: mark.column)
      let circumstance =
        context.map { "\($0.text) (line \(self.place(line: $0.mark.line, column: 1).line)), " }
        ?? ""
      let hint = problem.hasPrefix("mapping values") ? "; quote text that contains ': '" : ""
      findings.error(at: place, "not valid YAML: \(circumstance)\(problem)\(hint)")
    case .duplicatedKeysInMapping(let names, let context):
      // The scan has already reported other duplicates. These keys are lists or mappings, or have
      // no colon.
      let place = SourcePlace(
        file: source.name, line: context.mark.line, column: context.mark.column)
      let isWord = names.first.map { $0 != "<uncovertable>" } ?? false
      findings.error(at: place, isWord ? "duplicate key '\(names[0])'" : "a key must be a word")
    default:
      findings.error(
        at: SourcePlace(file: source.name, line: 1, column: 1), "not valid YAML: \(error)")
    }
  }

  /// Replaces a place after the last line with the end of the last line. The parser reports such
  /// a place if something is missing at the end of the file.
  private func place(line: Int, column: Int) -> SourcePlace {
    var lines = source.text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    if lines.count > 1, lines.last?.isEmpty == true { lines.removeLast() }
    guard line > lines.count else {
      return SourcePlace(file: source.name, line: line, column: column)
    }
    return SourcePlace(file: source.name, line: lines.count, column: (lines.last?.count ?? 0) + 1)
  }

  private mutating func node(_ node: Yams.Node, depth: Int) -> SourceNode? {
    let place = place(of: node)
    guard depth <= SubsetScan.deepest else {
      findings.error(at: place, "nested deeper than \(SubsetScan.deepest) levels")
      return nil
    }
    guard node.anchor == nil, hasPlainTag(node) else {
      findings.error(at: place, "anchors, aliases and tags are not allowed; write the value out")
      return nil
    }
    switch node {
    case .scalar(let scalar):
      return SourceNode(
        place: place, content: .scalar(.init(text: scalar.string, isQuoted: scalar.style != .plain))
      )
    case .sequence(let sequence):
      return SourceNode(
        place: place, content: .list(sequence.compactMap { self.node($0, depth: depth + 1) }))
    case .mapping(let mapping):
      return SourceNode(place: place, content: .mapping(pairs(of: mapping, depth: depth)))
    case .alias:
      findings.error(at: place, "aliases ('*') are not allowed; write the value out")
      return nil
    }
  }

  private mutating func pairs(of mapping: Yams.Node.Mapping, depth: Int) -> [SourceNode.Pair] {
    var pairs: [SourceNode.Pair] = []
    for (key, value) in mapping {
      let place = place(of: key)
      guard case .scalar(let scalar) = key, key.anchor == nil, !scalar.string.isEmpty else {
        findings.error(at: place, "a key must be a word")
        continue
      }
      guard let value = node(value, depth: depth + 1) else { continue }
      pairs.append(SourceNode.Pair(key: scalar.string, keyPlace: place, value: value))
    }
    return pairs
  }

  private func place(of node: Yams.Node) -> SourcePlace {
    SourcePlace(file: source.name, line: node.mark?.line ?? 1, column: node.mark?.column ?? 1)
  }

  private func hasPlainTag(_ node: Yams.Node) -> Bool {
    ["", "tag:yaml.org,2002:str", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"].contains(
      node.tag.description)
  }
}
