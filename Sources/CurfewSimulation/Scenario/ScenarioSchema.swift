import CurfewEngine
import CurfewPolicy
import CurfewText
import CurfewTrace

/// The scenario language: every key, its shape and its description.
enum ScenarioSchema {
  static let version = "scenario/1"

  /// A whole file.
  static let file = Record(
    "A scenario: apps on a device, a policy, and a timeline of steps.",
    [
      .required(
        "curfew", .word([version], what: "kind of file"),
        "The kind of this file, and the version of its language."),
      .required("name", .text, "The scenario's name."),
      .required(
        "policy", .text, "The policy: a built-in policy's name, or a path relative to this file."),
      .optional(
        "until", .duration,
        "The end of the run, inclusive; if absent, the run ends when nothing more can happen."),
      .optional("device", .record(device), device.description),
      .required(
        "apps", .dictionary(.any(what: "app"), .record(app)), "The apps by identifier, in order."),
      .required(
        "timeline", .list(.named("step") { .variants(steps) }),
        "The steps, in time order; steps at the same time are taken in this order."
      ),
      .optional(
        "expect", .list(ExpectationForm.shape),
        "The expectations, in any order; a scenario that has them is a test."),
    ])

  static let device = Record(
    "The device at the start.",
    DeviceFact.starts + [
      .optional(
        "facts", .list(.text),
        "Facts of the device that the policy declares: the name of a fact that holds, or 'not …' for a fact that does not; the policy's value if absent."
      )
    ])

  static let app = Record(
    "An app: its declarations and its behavior.",
    [
      .optional(
        "manifest", .text,
        "Its Info.plist, XML or binary: a path relative to this file. The other keys of the app override it."
      ),
      .optional(
        "variables", .dictionary(.any(what: "variable"), .text),
        "Build settings by name; they fill $(NAME) and ${NAME} in the manifest's values."),
    ] + AppManifest.fields.map(\.field) + [
      .optional(
        "returns", .dictionary(.names(AppCall.fileNames, what: "callback"), .duration),
        "The time that the app takes to return from each callback; 0s if absent."),
      .optional(
        "endsTasksOnExpiration", .boolean,
        "Whether an expiration handler ends its task when it returns; true if absent."),
      .optional(
        "on", .dictionary(.names(AppCall.fileNames, what: "callback"), .list(ownCall)),
        "The app's own calls when a callback is delivered to it, in order."),
    ])

  /// A step inside `on:` or `handler:`. It is recursive: a `handler:` has such steps too.
  static let ownCall = Shape.named("call") { .variants(ownCalls) }

  private static let ownCalls = Variants(
    tag: "do", what: "verb", common: [],
    cases: calls.map { Variants.Variant($0.name, $0.about, values(of: $0)) },
    elsewhere: Dictionary(
      uniqueKeysWithValues: deeds.map { deed in
        let words = calls.map(\.name).joined(separator: ", ")
        return (
          deed.name,
          "'\(deed.name)' is not an app's own call; 'on:' and 'handler:' allow: \(words)"
        )
      }))

  /// A step of the timeline.
  static let steps = Variants(
    tag: "do", what: "verb",
    common: [.required("at", .duration, "The time of the step, from the start.")],
    cases: (deeds + calls).map {
      Variants.Variant($0.name, $0.about, subject(of: $0) + values(of: $0))
    })

  /// The keys of 'setDevice', as messages list them.
  static let changeNames = DeviceFact.all.map(\.name).joined(separator: ", ")

  private static let deeds = InputVerb.rows.filter { $0.speaker != .app && $0.speaker != .host }
  private static let calls = InputVerb.rows.filter { $0.speaker == .app }

  private static func subject(of row: VerbRow) -> [Field] {
    switch row.subject {
    case .none: []
    case .required:
      [.required("app", .text, row.speaker == .app ? "The app that makes the call." : "The app.")]
    case .inFront:
      [.optional("app", .text, "The app in the foreground; optional if only one app can be there.")]
    case .optional(let about): [.optional("app", .text, about)]
    }
  }

  /// The verb's own fields; for `beginTask` also the fields of the modelled work.
  private static func values(of row: VerbRow) -> [Field] {
    row.values.map(\.field) + (row.verb == .beginTask ? work : [])
  }

  private static let work: [Field] = [
    .optional(
      "for", .duration, "The time after which the app ends it; absent if another step ends it."),
    .optional(
      "handler", .either([.word(["none"], what: "handler"), .list(ownCall)]),
      "none for a nil handler, or the calls that the task's expiration handler makes after those of 'on: expirationHandler'."
    ),
  ]
}
