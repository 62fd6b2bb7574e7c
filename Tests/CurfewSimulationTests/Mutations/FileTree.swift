import CurfewText

/// A file as a tree that can be changed anywhere and written again.
indirect enum FileTree {
  case mapping([(key: String, value: FileTree)])
  case list([FileTree])
  /// A word as it stands in a file, with quotes if it needs them.
  case word(String)

  init(_ node: SourceNode) {
    switch node.content {
    case .mapping(let pairs): self = .mapping(pairs.map { ($0.key, FileTree($0.value)) })
    case .list(let elements): self = .list(elements.map(FileTree.init))
    case .scalar(let scalar):
      self = .word(scalar.isQuoted ? JSONText.string(scalar.text).written : scalar.text)
    }
  }

  /// The tree of a file, if it can be parsed.
  init(_ source: SourceFile) {
    var findings = Findings()
    guard let node = SourceDocument.parse(source, &findings) else {
      preconditionFailure("\(source.name) has no tree")
    }
    self.init(node)
  }

  var children: [FileTree] {
    get {
      switch self {
      case .mapping(let pairs): pairs.map(\.value)
      case .list(let elements): elements
      case .word: []
      }
    }
    set {
      switch self {
      case .mapping(let pairs): self = .mapping(zip(pairs, newValue).map { ($0.key, $1) })
      case .list: self = .list(newValue)
      case .word: break
      }
    }
  }

  /// The path of each node: the indices among its parents' children, from the root.
  var paths: [[Int]] {
    [[]] + children.enumerated().flatMap { place, child in child.paths.map { [place] + $0 } }
  }

  subscript(path: ArraySlice<Int>) -> FileTree {
    get { path.first.map { children[$0][path.dropFirst()] } ?? self }
    set {
      guard let place = path.first else { return self = newValue }
      var child = children[place]
      child[path.dropFirst()] = newValue
      children[place] = child
    }
  }

  /// The value of a mapping's key.
  subscript(key: String) -> FileTree? {
    get { if case .mapping(let pairs) = self { pairs.first { $0.key == key }?.value } else { nil } }
    set {
      guard case .mapping(var pairs) = self else { return }
      let place = pairs.firstIndex { $0.key == key } ?? pairs.endIndex
      pairs.replaceSubrange(
        place..<min(place + 1, pairs.endIndex), with: newValue.map { [(key, $0)] } ?? [])
      self = .mapping(pairs)
    }
  }

  /// All its keys and all its words.
  var vocabulary: (keys: [String], words: [String]) {
    switch self {
    case .word(let text): return ([], [text])
    case .list, .mapping:
      let below = children.map(\.vocabulary)
      let own = if case .mapping(let pairs) = self { pairs.map(\.key) } else { [String]() }
      return (own + below.flatMap(\.keys), below.flatMap(\.words))
    }
  }
}

extension FileTree {
  /// The file as text: outer mappings and lists with one line per element, inner ones on one line.
  var yaml: String {
    guard case .mapping(let pairs) = self else { return inLine + "\n" }
    return pairs.map { key, value in
      switch value {
      case .mapping(let rows) where !rows.isEmpty:
        "\(Self.written(key)):\n"
          + rows.map { "  \(Self.written($0.key)): \($0.value.inLine)\n" }.joined()
      case .list(let elements) where !elements.isEmpty:
        "\(Self.written(key)):\n" + elements.map { "- \($0.inLine)\n" }.joined()
      case .mapping, .list, .word: "\(Self.written(key)): \(value.inLine)\n"
      }
    }.joined()
  }

  private var inLine: String {
    switch self {
    case .mapping(let pairs):
      "{" + pairs.map { "\(Self.written($0.key)): \($0.value.inLine)" }.joined(separator: ", ")
        + "}"
    case .list(let elements): "[" + elements.map(\.inLine).joined(separator: ", ") + "]"
    case .word(let text): Self.isSafe(text) ? text : JSONText.string(text).written
    }
  }

  private static func isSafe(_ text: String) -> Bool {
    text.hasPrefix("\"")
      || text.allSatisfy { $0.isLetter || $0.isNumber || "-_.%~ ".contains($0) }
        && !text.hasPrefix("-")
  }

  private static func written(_ key: String) -> String {
    key.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
      ? key : JSONText.string(key).written
  }
}
