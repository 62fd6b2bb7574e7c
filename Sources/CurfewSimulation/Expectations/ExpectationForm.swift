import CurfewEngine
import CurfewText
import CurfewTrace

/// A form of expectation. The schema, the reader and the check all follow from these rows.
struct ExpectationForm: Sendable {
  /// The deciding key: `expiration`. Under `count` and `never` it is the name of such lines.
  let name: String
  let about: String
  /// The `type` of the lines that it matches.
  let line: String
  /// The value of the deciding key. Under `count` and `never`, which take its place, it has a key
  /// of its own.
  let subject: ExpectationTerm
  let terms: [ExpectationTerm]

  private init(
    _ name: String, of line: String? = nil, _ about: String, _ subject: ExpectationTerm,
    _ terms: [ExpectationTerm] = []
  ) {
    (self.name, self.line, self.about, self.subject, self.terms) = (
      name, line ?? name, about, subject, terms
    )
  }

  static func named(_ name: String) -> ExpectationForm? { all.first { $0.name == name } }

  static let stateName = "state"

  /// Except for `state`, each form is about a type of line that an engine emits.
  static let all = [
    ExpectationForm(
      stateName,
      "The app is in this state at 'at', after everything at that instant; without 'at' it comes to be in it at some time.",
      .same("state", as: "to", of: "state", "The state.")),
    ExpectationForm(
      "end", of: "terminated", "A process ends.", .same("reason", of: "terminated", "Why."),
      [
        .same("code", of: "terminated", "The code that it ends with."),
        .same(
          "tasks", of: "terminated",
          "The names of the tasks that were left open: these, and no other."),
      ]),
    ExpectationForm(
      "expiration", "A task's expiration handler is called.",
      .same("task", as: "name", of: "expiration", "The task's label.").naming(.task),
      [
        .same("reason", of: "expiration", "Why."),
        .time("due", "When it was due, where that was earlier."),
      ]),
    ExpectationForm(
      "task", "A task begins or ends.",
      .same("task", as: "name", of: "task", "The task's label.").naming(.task),
      [
        .word(
          "event", TraceLine.TaskChange.fileNames + [LineFacts.invalid],
          "The change; begin where absent. invalid: the begin was answered 0."
        ).or("begin")
      ]),
    ExpectationForm(
      "session",
      "A session begins, ends or is denied, is warned, runs out, or is put off and goes on.",
      .same("mode", of: "session", "The session's mode."),
      [
        .same("event", of: "session", "The change; begin where absent.").or("begin"),
        .time("due", "When its expiration handler was due, where that was earlier."),
      ]),
    ExpectationForm(
      "decision", "An admission is decided.", .same("kind", of: "decision", "The kind asked for."),
      [
        .same("allowed", of: "decision", "Whether it was allowed."),
        .reasons("denied", "The reasons for which it was denied: these, and no other."),
        .time("next", "From when a budget or an interval allows it again."),
        .same("wake", of: "decision", "The number of the wake that is admitted."),
      ]),
    ExpectationForm(
      "request", "A request is submitted, replaced, started, cancelled or refused.",
      .same("identifier", of: "request", "The request's identifier.").naming(.request),
      [
        .same("event", of: "request", "The change.").required,
        .same("kind", of: "request", "Its kind."),
        .same("error", of: "request", "Why it was refused."),
      ]),
    ExpectationForm(
      "wake", "A wake is delivered, completed, warned or runs out.",
      .same("kind", of: "wake", "The wake's kind."),
      [
        .same("event", of: "wake", "The change; begin where absent.").or("begin"),
        .same("identifier", of: "wake", "The identifier of the request that it came from.").naming(
          .request),
        .same("id", as: "wake", of: "wake", "Its number, from 1 for each app."),
        .time("due", "When its expiration handler was due, where that was earlier."),
      ]),
    ExpectationForm(
      "callback", "A callback is delivered.",
      .callback("The callback: as 'on:' calls it, or as UIKit or Xamarin do.")),
    ExpectationForm(
      "notification", "A post is delivered to an app.",
      .same("name", of: "notification", "The name under which it was posted.").naming(.post),
      [.same("value", of: "notification", "The post's value.")]),
    ExpectationForm(
      "localNotification", of: "notification", "A local notification is due.",
      .same("id", of: "notification", "The notification's id.").naming(.notification),
      [.same("event", of: "notification", "Whether the user sees it or the app gets it.")]),
    ExpectationForm(
      "probe", "A 'probe' reads the app's state.",
      .same("state", of: "probe", "The state that the app reads."),
      [.time("backgroundTimeRemaining", endless: "infinite", "The time that it reads.")]),
    ExpectationForm(
      "diagnostic", "A diagnostic is reported.",
      .same("name", of: "diagnostic", "The diagnostic's name."),
      [
        .same("do", of: "diagnostic", "The step that made no sense."),
        .same("task", of: "diagnostic", "A task's number."),
        .same("tasks", of: "diagnostic", "Tasks by their names: these, and no other."),
        .same("notification", of: "diagnostic", "A post by its name."),
      ]),
  ]

  // MARK: The language

  /// The shape of an expectation.
  static let shape = Shape.named("expectation") { .forms(forms) }

  static let forms = Forms(what: "expectation", [count, never] + all.map(\.happening))

  private static let count = counting(
    "count", [.required("is", .span(.wholeNumber(counts)), "How many: 3, 3..5, 3.. or ..5.")],
    "The number of such lines.")
  private static let never = counting("never", [], "No such line.")

  private var happening: Forms.Form {
    let own = [subject.field(name)] + terms.map { $0.field() }
    return Forms.Form(name, .record(Record(about, ExpectationForm.common + own)))
  }

  private static let counts: ClosedRange<Int64> = 0...Int64(UInt32.max)

  /// Reads a number of lines.
  static func count(_ text: String) throws(Refusal) -> Int64 {
    try WholeNumberText.read(text, in: counts)
  }

  private static let common: [Field] = [
    .optional(
      "at", .span(.duration),
      "When: an instant, which is exact, or a span such as 10s..20s; whenever where absent."),
    .optional("app", .text, "Whose; anybody's where absent."),
  ]

  private static func counting(_ key: String, _ own: [Field], _ about: String) -> Forms.Form {
    let cases = all.map { form in
      let keys = ([form.subject] + form.terms).map { term in
        var field = term.field()
        field.presence = .optional
        return field
      }
      return Variants.Variant(form.name, "\(about) \(form.about)", keys)
    }
    return Forms.Form(
      key, .variants(Variants(tag: key, what: "expectation", common: common + own, cases: cases)))
  }
}
