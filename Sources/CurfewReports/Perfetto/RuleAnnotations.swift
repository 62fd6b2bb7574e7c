import CurfewEngine
import CurfewPolicy
import CurfewText

// Annotations of decisions, ends and slices: the rule of the policy, and the explanation.

extension PolicyFile {
  /// The annotation `why`: a record for each reason, as in the output of `--json`.
  func annotations(of explanations: [Explanation]) -> [NamedAnnotation] {
    guard !explanations.isEmpty else { return [] }
    return [NamedAnnotation("why", .list(explanations.map { .record(record(of: $0)) }))]
  }

  private func record(of explanation: Explanation) -> [NamedAnnotation] {
    let rule = explanation.fact.owner == .policy ? "rule" : explanation.fact.owner.rawValue
    return [
      NamedAnnotation("reason", .text(explanation.reason.description)),
      NamedAnnotation(rule, .text(explanation.fact.key)),
      NamedAnnotation("value", text: explanation.fact.value),
      NamedAnnotation("place", .text(explanation.place.description)),
      NamedAnnotation("because", .text(explanation.because)),
      NamedAnnotation("remedy", text: explanation.remedy),
    ].compactMap(\.self)
  }

  /// The row that admits a kind: `rule`, `value` and `place`.
  func annotations(ofRowOf kind: KindName) -> [NamedAnnotation] {
    if kind == .finiteTask { return annotations(ofRule: "tasks.grant") }
    let group = policy.names.class(of: kind) == .session ? "sessions" : "wakes"
    return annotations(ofRule: "\(group).\(kind)")
  }

  /// The value or the mapping at a path: `rule`, `value` and `place`; empty if the policy
  /// has neither.
  func annotations(ofRule path: String) -> [NamedAnnotation] {
    guard let place = place(of: path) else { return [] }
    return [
      NamedAnnotation("rule", .text(path)), NamedAnnotation("value", text: entry(path)?.text),
      NamedAnnotation("place", .text(place.description)),
    ].compactMap(\.self)
  }
}
