import CurfewText

/// The source of a policy's value, and the confidence in it.
struct Provenance: Hashable, Sendable {
  var source: String?
  var confidence: PolicyEntry.Confidence?

  /// The keys for source and confidence, beside a value or for every value of a mapping.
  static let fields: [Field] = [
    .optional(
      "confidence", .word(PolicyEntry.Confidence.allCases.map(\.rawValue), what: "confidence"),
      "The confidence in the value: its publisher documents it, it was seen in logs or measured, or it is a guess that fits the rest."
    ),
    .optional("source", .text, "Where it comes from: a text, or keys of 'sources'."),
  ]

  /// The provenance that `node` writes beside its values. Missing keys are taken from `outer`.
  static func of(_ node: SourceNode, around outer: Provenance, sources: [String: String])
    -> Provenance
  {
    guard case .mapping = node.content else { return outer }
    let source = node["source"]?.text
    let confidence = node["confidence"]?.text.flatMap(PolicyEntry.Confidence.init(rawValue:))
    return Provenance(
      source: source.map { text(of: $0, sources) } ?? outer.source,
      confidence: confidence ?? outer.confidence)
  }

  /// The texts behind short keys; text that is not a short key stays as it is.
  private static func text(of source: String, _ sources: [String: String]) -> String {
    if let text = sources[source] { return text }
    let keys = source.split(separator: " and ")
    let texts = keys.compactMap { sources[String($0)] }
    return texts.count == keys.count ? texts.joined(separator: "; ") : source
  }
}
