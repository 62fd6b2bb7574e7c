extension SourceNode {
  /// This tree with `value` at `path`. A path consists of keys, outermost first, joined by full
  /// stops; an element of a list has a number, counted from 0.
  ///
  /// A key may contain full stops: the longest existing key that matches is used, so
  /// `apps.com.example.mail.count` finds the app. If no key matches, a key is added, whose name
  /// ends at the path's next full stop. Returns nil if the path goes through a list that has no
  /// such element.
  ///
  /// - Complexity: O(n) in the number of keys in the mappings on the path.
  package func setting(_ value: SourceNode, at path: some StringProtocol) -> SourceNode? {
    guard !path.isEmpty else { return value }
    var node = self
    if case .list(var elements) = content {
      let (head, rest) = SourceNode.divided(path)
      guard let place = Int(head), elements.indices.contains(place),
        let changed = elements[place].setting(value, at: rest)
      else {
        return nil
      }
      elements[place] = changed
      node.content = .list(elements)
      return node
    }
    var pairs = pairs
    let fitting = pairs.indices.filter {
      path == pairs[$0].key || path.hasPrefix(pairs[$0].key + ".")
    }
    if let place = fitting.max(by: { pairs[$0].key.utf8.count < pairs[$1].key.utf8.count }) {
      guard
        let changed = pairs[place].value.setting(
          value, at: path.dropFirst(pairs[place].key.count + 1))
      else { return nil }
      pairs[place].value = changed
    } else {
      let (head, rest) = SourceNode.divided(path)
      let nothing = SourceNode(place: value.place, content: .mapping([]))
      guard let inner = nothing.setting(value, at: rest) else { return nil }
      pairs.append(Pair(key: head, keyPlace: value.place, value: inner))
    }
    node.content = .mapping(pairs)
    return node
  }

  /// Splits a path at its first full stop.
  private static func divided(_ path: some StringProtocol) -> (head: String, rest: String) {
    guard let dot = path.firstIndex(of: ".") else { return (String(path), "") }
    return (String(path[..<dot]), String(path[path.index(after: dot)...]))
  }

  /// The content of the tree, with one line for each scalar: `apps.mail.count=3`. It has no
  /// comments, places or layout.
  package var canonicalText: String {
    var lines = ""
    write("", into: &lines)
    return lines
  }

  private func write(_ path: String, into lines: inout String) {
    switch content {
    case .scalar(let scalar): lines += "\(path)=\(scalar.text)\n"
    case .list(let elements):
      if elements.isEmpty { lines += "\(path)=[]\n" }
      for (index, element) in elements.enumerated() {
        element.write("\(path).\(index)", into: &lines)
      }
    case .mapping(let pairs):
      if pairs.isEmpty { lines += "\(path)={}\n" }
      for pair in pairs {
        pair.value.write(path.isEmpty ? pair.key : "\(path).\(pair.key)", into: &lines)
      }
    }
  }
}
