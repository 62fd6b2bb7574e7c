import CurfewText

/// A message of a command on standard error: `curfew: error: …` or `day.yaml:3:5: error: …` for
/// a person, and an object under `--json`.
struct Message: CustomStringConvertible {
  /// The kind of a message; the raw value is the word that a person reads.
  enum Kind: String, CaseIterable {
    case error, warning, interrupted, failed, contradiction, inconclusive
    case thresholdCrossed = "threshold crossed"

    fileprivate var name: String { self == .thresholdCrossed ? "thresholdCrossed" : rawValue }
  }

  let kind: Kind
  let text: String
  /// The file that the message is about; nil for none.
  let file: String?
  let place: SourcePlace?
  /// The line at that place.
  private(set) var quote: SourceQuote?
  private var endColumn: Int?

  init(_ kind: Kind, _ text: String, file: String? = nil, place: SourcePlace? = nil) {
    (self.kind, self.text, self.file, self.place) = (kind, text, place?.file ?? file, place)
  }

  init(_ diagnostic: FileDiagnostic) {
    self.init(
      diagnostic.severity == .error ? .error : .warning, diagnostic.message, file: diagnostic.file,
      place: diagnostic.place)
    (quote, endColumn) = (diagnostic.quote, diagnostic.endColumn)
  }

  /// The message in one line, with control characters escaped.
  var description: String {
    "\(place?.description ?? file ?? "curfew"): \(kind.rawValue): \(text)".escapingControls
  }

  var json: String { Message.form.json(self).closed }

  /// `message/1`.
  static let form = ResultForm<Message>(
    "A message of a command: one object on one line of standard error.",
    [
      .format("message/1"), .text("kind", words: Kind.allCases.map(\.name)) { $0.kind.name },
      .text("message") { $0.text },
      .text("file", "The file that the message is about.", optional: true) { $0.file },
      .count("line", optional: true) { $0.place?.line },
      .count("column", optional: true) { $0.place?.column },
      .count("endColumn", "The column after the last character of the marked text.", optional: true)
      {
        $0.endColumn
      },
    ])
}
