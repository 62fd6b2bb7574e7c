import CurfewEngine
import CurfewPolicy
import CurfewText

// Which rule of the policy says so, and why: what stands beside decisions, ends and slices.

extension PolicyFile {
  /// Why something is so: `why`, a record for each reason, as `--json` has it.
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

  /// The row that admits a kind: `rule` and its `place`.
  func annotations(ofRowOf kind: KindName) -> [NamedAnnotation] {
    if kind == .finiteTask { return annotations(ofRule: "tasks.grant") }
    let group = policy.names.class(of: kind) == .session ? "sessions" : "wakes"
    return annotations(ofRule: "\(group).\(kind)")
  }

  /// The value at a path, or the mapping: `rule`, `value` and `place`; nothing where the policy
  /// has none.
  func annotations(ofRule path: String) -> [NamedAnnotation] {
    guard let place = place(of: path) else { return [] }
    return [
      NamedAnnotation("rule", .text(path)), NamedAnnotation("value", text: entry(path)?.text),
      NamedAnnotation("place", .text(place.description)),
    ].compactMap(\.self)
  }
}
