import CurfewEngine
import CurfewPolicy
import CurfewText

/// An answer, with the policy and the app that it is about.
struct ExplainResult {
  let policy: PolicyFile
  /// The app's name as printed.
  let app: String
  let answer: AdmissionAnswer
  var times = WallTimes()

  private var question: AdmissionQuestion { answer.question }

  // MARK: Text

  var lines: [String] {
    let verdict = answer.isAllowed ? "allowed" : "denied: \(answer.denials)"
    let time = answer.instant.map { " at \(times.text($0))" } ?? ""
    let head = "\(policy.name): \(question.kind) for \(app)\(time) is \(verdict)".escapingControls
    return [head] + answer.conditions.flatMap(ExplainResult.lines) + waiting + turning
  }

  /// Whether time alone would allow it, and from which instant on.
  private var waiting: [String] {
    guard answer.instant != nil, !answer.isAllowed else { return [] }
    return [
      answer.possibleFrom.map {
        "It is allowed from \(times.text($0)) on, if nobody does anything until then."
      }
        ?? "Time alone does not allow it."
    ]
  }

  private static func lines(_ condition: AdmissionAnswer.Condition) -> [String] {
    let state = "\(condition.name): \(condition.value)"
    guard let explanation = condition.explanation else {
      let rule =
        condition.rule.map { rule in
          " (\(rule.value.map { "\(rule.key) is \($0)" } ?? rule.key), \(rule.place))"
        } ?? ""
      return ["  ✓ \(state)\(rule)".escapingControls]
    }
    return ["  ✗ \(state): \(explanation.reason) because \(explanation.because)".escapingControls]
  }

  private var turning: [String] {
    if answer.changes.isEmpty {
      if answer.isAllowed { return ["No change that can be set would deny it."] }
      if answer.possibleFrom != nil { return [] }
      let remedies = answer.conditions.compactMap(\.explanation?.remedy)
      let need = answer.instant == nil ? "it needs another policy" : "it needs all of these"
      return ["No change that can be set would allow it; \(need):"] + remedies.map { "  \($0)" }
    }
    let ofPolicy = answer.changes.contains { $0.contains(where: \.isOfPolicy) }
    let head =
      answer.isAllowed
      ? "It would be denied by any of:"
      : ofPolicy
        ? "It would be allowed only under another policy:"
        : "It would be allowed, at once, by any of:"
    return [head] + answer.changes.map { "  \(words($0))".escapingControls }
  }

  private func words(_ changes: [AdmissionChange]) -> String {
    "\(changes.map(\.description).joined(separator: " ")) (\(options(changes).joined(separator: " ")))"
  }

  /// The options for `changes`. Changes of one key share one option.
  private func options(_ changes: [AdmissionChange]) -> [String] {
    let changed = question.changed(by: changes.filter(\.isOfMode))
    return changes.map { $0.option(in: $0.isOfMode ? changed : question) }.reduce(into: []) {
      if !$0.contains($1) { $0.append($1) }
    }
  }

  // MARK: JSON

  /// `explain/1`.
  static let form = ResultForm<ExplainResult>(
    "Whether a policy admits a kind, and why: one object on one line.",
    [
      .format("explain/1"),
      .object("policy", ResultForm("", PolicyFile.keysOfResults)) { $0.policy },
      .name("kind", known: KindName.standard.map(\.rawValue)) { $0.question.kind.rawValue },
      .text("app", "The app's name as given.") { $0.app },
      .time("at", "In a run: the instant of the question", optional: true) {
        $0.answer.instant?.nanoseconds
      },
      .flag("allowed") { $0.answer.isAllowed },
      .time(
        "possibleFrom", "In a run: the instant from which it is allowed if nobody does anything",
        optional: true
      ) {
        $0.answer.possibleFrom?.nanoseconds
      },
      .texts("reasons", "The reasons of the denial; empty if the kind is admitted.") {
        $0.answer.denials.names
      },
      .objects(
        "conditions", condition, "The conditions that were checked, in the order of the reasons."
      ) { $0.answer.conditions },
      .objects(
        "changes", changeSet,
        "The minimal sets of changes that reverse the answer, smallest first."
      ) {
        result in
        result.answer.changes.map { (changes: $0, options: result.options($0)) }
      },
    ])

  private static let condition = ResultForm<AdmissionAnswer.Condition>(
    "",
    [
      .text("name", "A key of --set, or the part of the policy that the condition checks.") {
        $0.name
      },
      .text("value", "The current value.") { $0.value },
      .flag("passes") { $0.passes },
      .object(
        "rule", Explanation.valueForm, "The policy's value that makes the condition apply.",
        optional: true
      ) { $0.rule },
      .text("reason", "The reason, if the condition denies.", optional: true) {
        $0.explanation?.reason.description
      },
      .all(of: Explanation.form, optional: true) { $0.explanation },
    ])

  private static let changeSet = ResultForm<(changes: [AdmissionChange], options: [String])>(
    "",
    [
      .texts("sentences", "The changes in words; all of them are needed.") {
        $0.changes.map(\.description)
      },
      .texts("options", "The options that repeat the question with these changes.") { $0.options },
      .flag("ofPolicy", "Whether a value of the policy is among the changes.") {
        $0.changes.contains(where: \.isOfPolicy)
      },
    ])
}

extension AdmissionChange {
  fileprivate var isOfPolicy: Bool { if case .policy = self { true } else { false } }
  fileprivate var isOfMode: Bool { if case .mode = self { true } else { false } }
}
