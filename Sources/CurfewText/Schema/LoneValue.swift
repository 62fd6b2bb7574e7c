extension SourceNode {
  /// A file's tree that has `text` under `path` and nothing else, as if somebody had written it
  /// there: `tasks.grant` is the key `grant` of the mapping `tasks`. The path is the file's name;
  /// places count in `text`, and a key's place is where that begins.
  ///
  /// The text is parsed alone, so that it cannot end its value and begin another key. nil where it
  /// cannot be parsed.
  package init?(_ text: String, under path: String, _ findings: inout Findings) throws(FileErrors) {
    let place = SourcePlace(file: path, line: 1, column: 1)
    guard let value = try SourceNode(text: text, at: path, &findings) else { return nil }
    self = value
    // No file of values is deeper; a longer path ends at its first key that does not exist.
    for key in path.split(separator: ".", maxSplits: 4, omittingEmptySubsequences: false).reversed()
    {
      self = SourceNode(
        place: place, content: .mapping([Pair(key: String(key), keyPlace: place, value: self)]))
    }
  }

  /// What `text` says, as if somebody had written it after a key; errors call it `name`. nil where
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
