extension SourceNode {
  /// Creates the tree of a file that contains only the value `text` at `path`; `tasks.grant` means
  /// the key `grant` of the mapping `tasks`. Places have the path as their file, and count lines
  /// and columns in `text`. The place of a key is the beginning of `text`.
  ///
  /// The text is parsed alone, so it cannot end its value and begin another key. Returns nil if it
  /// cannot be parsed.
  package init?(_ text: String, under path: String, _ findings: inout Findings) throws(FileErrors) {
    let place = SourcePlace(file: path, line: 1, column: 1)
    guard let value = try SourceNode(text: text, at: path, &findings) else { return nil }
    self = value
    // No value in a policy or a question is nested under more than five keys. If a path is longer,
    // its first unknown key is reported.
    for key in path.split(separator: ".", maxSplits: 4, omittingEmptySubsequences: false).reversed()
    {
      self = SourceNode(
        place: place, content: .mapping([Pair(key: String(key), keyPlace: place, value: self)]))
    }
  }

  /// Creates the node of `text` as the value of a key. `name` is its name in errors. Returns nil if
  /// it cannot be parsed.
  package init?(text: String, at name: String, _ findings: inout Findings) throws(FileErrors) {
    let lines = text.split(whereSeparator: \.isNewline).map { $0.drop(while: \.isWhitespace) }
    if lines.allSatisfy({ $0.isEmpty || $0.hasPrefix("#") }) {
      self.init(
        place: SourcePlace(file: name, line: 1, column: 1),
        content: .scalar(.init(text: "", isQuoted: false)))
    } else {
      guard
        let value = SourceDocument.parse(
          try SourceFile(name: name, bytes: Array(text.utf8)), &findings)
      else { return nil }
      self = value
    }
  }
}
