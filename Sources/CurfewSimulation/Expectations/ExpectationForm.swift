import CurfewEngine
import CurfewText
import CurfewTrace

/// A form of expectation. The schema, the reader and the check are all derived from these rows.
struct ExpectationForm: Sendable {
  /// The deciding key: `expiration`. Under `count` and `never`, it is the name of the lines
  /// to count.
  let name: String
  let about: String
  /// The `type` of the lines that the form matches.
  let line: String
  /// The value of the deciding key. Under `count` and `never`, which replace the deciding key,
  /// the value has a separate key.
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

  /// Every form except `state` is about a type of line that an engine emits.
  static let all = [
    ExpectationForm(
      stateName,
      "The app is in this state at 'at', after all events at that instant; without 'at', it enters the state at some time.",
      .same("state", as: "to", of: "state", "The state.")),
    ExpectationForm(
      "end", of: "terminated", "A process ends.", .same("reason", of: "terminated", "The reason."),
      [
        .same("code", of: "terminated", "The code with which the process ends."),
        .same(
          "tasks", of: "terminated",
          "The names of exactly the tasks that were left open."),
        .same("signal", of: "terminated", "The number of the signal that ended the process."),
        .same("status", of: "terminated", "The status with which the process exited."),
        .same("error", of: "terminated", "The error with which the process could not be started."),
      ]),
    ExpectationForm(
      "expiration", "A task's expiration handler is called.",
      .same("task", as: "name", of: "expiration", "The task's label.").naming(.task),
      [
        .same("reason", of: "expiration", "The reason."),
        .time("due", "The time at which the handler was due, if that was earlier."),
      ]),
    // This form precedes those whose deciding keys are among its own keys, because the first
    // of several deciding keys decides.
    ExpectationForm(
      "diagnostic", "A diagnostic is reported.",
      .same("name", of: "diagnostic", "The diagnostic's name."),
      [
        .same("do", of: "diagnostic", "The step that made no sense."),
        .same("task", of: "diagnostic", "A task's number."),
        .same("tasks", of: "diagnostic", "The names of exactly the affected tasks."),
        .same("notification", of: "diagnostic", "The name of a post."),
        .same("kind", of: "diagnostic", "The kind of a wake that was already complete."),
        .same("wake", of: "diagnostic", "The wake's number, counted from 1 for each app."),
        .same("identifier", of: "diagnostic", "The identifier of the request that it came from.")
          .naming(.request),
        .time("completed", "The time at which the wake was completed first."),
        .call(
          "callback",
          "The callback or handler that keeps the run loop busy, by its name under 'returns:', in UIKit or in Xamarin."
        ),
      ]),
    ExpectationForm(
      "task", "A task begins or ends.",
      .same("task", as: "name", of: "task", "The task's label.").naming(.task),
      [
        .word(
          "event", TraceLine.TaskChange.fileNames + [LineFacts.invalid],
          "The change; begin if absent. invalid: the begin returned 0."
        ).or("begin")
      ]),
    ExpectationForm(
      "session",
      "A session begins, ends, is denied, is warned, runs out, is deferred or continues.",
      .same("mode", of: "session", "The session's mode."),
      [
        .same("event", of: "session", "The change; begin if absent.").or("begin"),
        .time("due", "The time at which its expiration handler was due, if that was earlier."),
      ]),
    ExpectationForm(
      "decision", "An admission is decided.", .same("kind", of: "decision", "The kind asked for."),
      [
        .same("allowed", of: "decision", "Whether it was allowed."),
        .reasons("denied", "Exactly the reasons for which it was denied."),
        .time("next", "The time from which a budget or an interval allows it again."),
        .same("wake", of: "decision", "The number of the wake that is admitted."),
      ]),
    ExpectationForm(
      "request", "A request is submitted, replaced, started, cancelled or refused.",
      .same("identifier", of: "request", "The request's identifier.").naming(.request),
      [
        .same("event", of: "request", "The change.").required,
        .same("kind", of: "request", "The kind of wake requested."),
        .same("error", of: "request", "The reason for its refusal."),
      ]),
    ExpectationForm(
      "wake", "A wake is delivered, completed, warned or runs out.",
      .same("kind", of: "wake", "The wake's kind."),
      [
        .same("event", of: "wake", "The change; begin if absent.").or("begin"),
        .same("identifier", of: "wake", "The identifier of the request that it came from.").naming(
          .request),
        .same("id", as: "wake", of: "wake", "The wake's number, counted from 1 for each app."),
        .time("due", "The time at which its expiration handler was due, if that was earlier."),
      ]),
    ExpectationForm(
      "callback", "A callback is delivered.",
      .callback("The callback, by its name under 'on:', in UIKit or in Xamarin.")),
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
      [.time("backgroundTimeRemaining", endless: "infinite", "The time that the app reads.")]),
  ]

  // MARK: The language

  /// The shape of an expectation.
  static let shape = Shape.named("expectation") { .forms(forms) }

  static let forms = Forms(what: "expectation", [count, never] + all.map(\.happening))

  private static let count = counting(
    "count",
    [.required("is", .span(.wholeNumber(counts)), "The number, or a range: 3, 3..5, 3.. or ..5.")],
    "The number of such lines.")
  private static let never = counting("never", [], "There is no such line.")

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
      "The time: an exact instant, or a span such as 10s..20s; any time if absent."),
    .optional("app", .text, "The app; any app if absent."),
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
