import CurfewText

/// What a command says about itself, on standard error: what stands where for a person,
/// `curfew: error: …` or `day.yaml:3:5: error: …`, and under `--json` an object of keys.
struct Message: CustomStringConvertible {
  /// What sort of message it is; the word is what a person reads.
  enum Kind: String, CaseIterable {
    case error, warning, interrupted, failed, contradiction, inconclusive
    case thresholdCrossed = "threshold crossed"

    fileprivate var name: String { self == .thresholdCrossed ? "thresholdCrossed" : rawValue }
  }

  let kind: Kind
  let text: String
  /// The file that it is about; nil where it is about none.
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

  /// One line, in which control characters are told by their numbers.
  var description: String {
    "\(place?.description ?? file ?? "curfew"): \(kind.rawValue): \(text)".escapingControls
  }

  var json: String { Message.form.json(self).closed }

  /// `message/1`.
  static let form = ResultForm<Message>(
    "What a command says about itself: one object on one line of standard error.",
    [
      .format("message/1"), .text("kind", words: Kind.allCases.map(\.name)) { $0.kind.name },
      .text("message") { $0.text },
      .text("file", "The file that it is about.", optional: true) { $0.file },
      .count("line", optional: true) { $0.place?.line },
      .count("column", optional: true) { $0.place?.column },
      .count("endColumn", "Behind what it is about.", optional: true) { $0.endColumn },
    ])
}
