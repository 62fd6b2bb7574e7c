import CurfewEngine
import CurfewPolicy
import CurfewText

/// The types of line that an engine produces, and `advance` and `end`. These rows read lines,
/// write them and put them into words. A new action needs a row here, and a line in `of` at the end
/// of this file.
package struct LineType: Sendable {
  /// The `type`.
  package let name: String
  let values: [Attribute<LineValues>]
  let words: @Sendable (LineValues) -> LineWords
  let body: @Sendable (LineValues) throws(Refusal) -> TraceLine.Body

  private init(
    _ name: String, _ values: [Attribute<LineValues>] = [],
    words: @escaping @Sendable (LineValues) -> LineWords,
    _ body: @escaping @Sendable (LineValues) throws(Refusal) -> TraceLine.Body
  ) {
    (self.name, self.values, self.words, self.body) = (name, values, words, body)
  }

  package static let all = [
    advance, state, callback, task, expiration, session, decision, wake, notification, request,
    probe, terminated, diagnostic, resumed, end, gap,
  ]

  private static let advance = LineType("advance", words: { _ in LineWords("what was due") }) { _ in
    .advance
  }
  private static let state = LineType(
    "state",
    [
      .init("from", \.from, .word("state"), .required),
      .init("to", \.to, .word("state"), .required),
    ],
    words: { LineWords("\($0.need(\.from).fileName) → \($0.need(\.to).fileName)") }
  ) { .state(from: $0.need(\.from), to: $0.need(\.to)) }
  private static let callback = LineType(
    "callback", [.init("name", \.callback, .callback, .required)],
    words: { LineWords(CallbackNames.uikit.name(of: $0.need(\.callback))) }
  ) { .callback($0.need(\.callback)) }
  private static let task = LineType(
    "task",
    [
      .init("event", \.taskChange, .word("event"), .required),
      .init("task", \.task, .task, .required),
      .init("name", \.name, .text, .required),
    ],
    words: { values in
      values.taskChange == .begin && values.task == .invalid
        ? LineWords("task \(values.quotedName) is invalid: beginBackgroundTask answers 0", .refusal)
        : LineWords(
          "task \(values.need(\.task).rawValue) \(values.quotedName) \(values.taskChange == .begin ? "begun" : "ended")"
        )
    }
  ) { .task($0.need(\.taskChange), $0.need(\.task), name: $0.need(\.name)) }
  private static let expiration = LineType(
    "expiration",
    [
      .init("task", \.task, .task, .required), .init("name", \.name, .text, .required),
      .init("reason", \.reason, .word("reason"), .required), .init("due", \.due, .instant),
    ],
    words: { values in
      LineWords(
        "expiration handler of task \(values.need(\.task).rawValue) \(values.quotedName): \(values.need(\.reason).fileName)",
        .remark,
        rest: values.due.map { " (due at \(HumanTime.text($0)))" } ?? "")
    }
  ) { .expiration($0.need(\.task), name: $0.need(\.name), $0.need(\.reason), due: $0.due) }
  private static let session = LineType(
    "session",
    [
      .init("mode", \.kind, .kind(.session, "mode"), .required),
      .init("event", \.sessionChange, .word("event"), .required),
      .init("due", \.due, .instant),
    ],
    words: { values in
      let change = values.need(\.sessionChange)
      return LineWords(
        "session \(values.need(\.kind)) \(change.words)", change == .warning ? .remark : .plain,
        rest: values.due.map { " (due at \(HumanTime.text($0)))" } ?? "")
    }
  ) { .session($0.need(\.kind), $0.need(\.sessionChange), due: $0.due) }
  private static let decision = LineType(
    "decision",
    [
      .init("kind", \.kind, .kind, .required), .init("wake", \.wake, .wake),
      .init("allowed", \.allowed, .boolean, .required),
      .init("reasons", \.reasons, .denials), .init("budgets", \.budgets, .texts),
      .init("next", \.next, .instant),
    ],
    words: { values in
      let (kind, denied) = (values.need(\.kind), values.reasons ?? Denials())
      guard !denied.isEmpty else { return LineWords("\(kind) allowed") }
      // If a keep-alive's interval is too short, `next` is only its first possible instant.
      let isUntil = denied.contains(.budget) || PolicyNames().class(of: kind) != .wake
      let until = values.next.map { isUntil ? ", until \(HumanTime.text($0))" : "" } ?? ""
      return LineWords("\(kind) denied: \(denied)", .refusal, rest: until)
    }
  ) { values throws(Refusal) in
    let reasons = values.reasons ?? Denials()
    let denied = Denials(reasons.reasons, facts: reasons.facts, budgets: values.budgets ?? [])
    guard denied.contains(.budget) || denied.budgets.isEmpty else {
      throw Refusal("'budgets' needs the reason 'budget'")
    }
    guard denied.isEmpty == values.need(\.allowed) else {
      throw Refusal("'allowed' and 'reasons' contradict each other")
    }
    guard !denied.isEmpty || values.next == nil else {
      throw Refusal("an allowed admission has no 'next'")
    }
    let kind = PolicyNames().class(of: values.need(\.kind))
    guard !denied.isEmpty || kind == nil || (values.wake != nil) == (kind == .wake) else {
      throw values.wake == nil ? PlainObject.missing("wake") : Refusal("only a wake has a 'wake'")
    }
    return .decision(values.need(\.kind), wake: values.wake, denied: denied, next: values.next)
  }
  private static let wake = LineType(
    "wake",
    [
      .init("kind", \.kind, .kind(.wake, "wake"), .required),
      .init("wake", \.wake, .wake, .required), .init("identifier", \.name, .text),
      .init("event", \.wakeChange, .word("event"), .required), .init("due", \.due, .instant),
    ],
    words: { values in
      let request = values.name.map { " of request '\($0)'" } ?? ""
      let change = values.need(\.wakeChange)
      return LineWords(
        "wake \(values.need(\.wake).rawValue) \(values.need(\.kind))\(request) \(change.words)",
        change == .warning ? .remark : .plain,
        rest: values.due.map { " (due at \(HumanTime.text($0)))" } ?? "")
    }
  ) {
    .wake($0.need(\.kind), $0.need(\.wake), identifier: $0.name, $0.need(\.wakeChange), due: $0.due)
  }
  private static let notification = LineType(
    "notification",
    [
      .init("name", \.name, .text), .init("value", \.value, .text), .init("id", \.id, .text),
      .init("event", \.fate, .word("event")),
    ],
    words: { values in
      guard let id = values.id else {
        return LineWords(
          "notification \(values.name ?? "")" + (values.value.map { ": \($0)" } ?? ""))
      }
      return LineWords(
        "local notification '\(id)' \(values.fate == .shown ? "shown to the user" : "delivered to the app")"
      )
    }
  ) { values throws(Refusal) in
    guard let id = values.id else {
      guard let name = values.name else { throw PlainObject.missing("name") }
      return .notification(name: name, value: values.value)
    }
    guard values.name == nil else {
      throw Refusal("a notification has a 'name' or an 'id', not both")
    }
    guard let fate = values.fate else { throw PlainObject.missing("event") }
    return .localNotification(id: id, fate)
  }
  private static let request = LineType(
    "request",
    [
      .init("identifier", \.name, .text, .required),
      .init("kind", \.kind, .kind(.wake, "kind"), .required),
      .init("event", \.requestChange, .word("event"), .required),
      .init("error", \.error, .word("error")),
    ],
    words: { values in
      let request =
        "request \(values.quotedName) for \(values.need(\.kind)) \(values.need(\.requestChange).words)"
      return values.error.map { LineWords("\(request): \($0.fileName)", .refusal) }
        ?? LineWords(request)
    }
  ) { values throws(Refusal) in
    let change: RequestChange
    switch values.need(\.requestChange) {
    case .submit: change = .submitted
    case .replace: change = .replaced
    case .start: change = .started
    case .cancel: change = .cancelled
    case .refused:
      guard let error = values.error else { throw PlainObject.missing("error") }
      return .request(identifier: values.need(\.name), values.need(\.kind), .refused(error))
    }
    guard values.error == nil else {
      throw Refusal("only a request that is refused has an 'error'")
    }
    return .request(identifier: values.need(\.name), values.need(\.kind), change)
  }
  private static let probe = LineType(
    "probe",
    [
      .init("state", \.state, .word("state"), .required),
      .init("backgroundTimeRemaining", \.remaining, .nanoseconds),
    ],
    words: { values in
      let remaining = values.remaining.map { HumanTime.text($0) } ?? "infinite"
      return LineWords("is \(values.need(\.state).fileName), backgroundTimeRemaining \(remaining)")
    }
  ) { .probe($0.need(\.state), remaining: $0.remaining) }
  private static let terminated = LineType(
    "terminated",
    [
      .init("reason", \.end, .word("reason"), .required), .init("code", \.code, .code),
      .init("tasks", \.tasks, .texts),
      .init("late", \.late, .nanoseconds),
      .init("signal", \.signal, .signal), .init("status", \.exitStatus, .exitStatus),
      .init("error", \.spawnError, .word("error")),
    ],
    words: { values in
      let code = (values.code?.fileName ?? values.exit?.value).map { " (\($0))" } ?? ""
      return LineWords(
        "terminated: \(values.need(\.end).fileName)\(code)\(values.leaks)\(values.lateness)",
        .refusal)
    }
  ) {
    .terminated(
      RecordedProcessEnd(
        reason: $0.need(\.end), code: $0.code, tasks: $0.tasks, late: $0.late, exit: $0.exit))
  }
  private static let diagnostic = LineType(
    "diagnostic",
    [
      .init("name", \.diagnostic, .word("name"), .required), .init("do", \.verb, .text),
      .init("task", \.task, .task),
      .init("tasks", \.tasks, .texts), .init("notification", \.name, .text),
      .init("kind", \.kind, .kind(.wake, "kind")), .init("wake", \.wake, .wake),
      .init("identifier", \.identifier, .text), .init("completed", \.completed, .instant),
      .init("callback", \.call, .moment),
    ],
    words: { values in
      let subject: String? =
        if let verb = values.verb {
          "\(verb) makes no sense here"
        } else if let task = values.task {
          "task \(task.rawValue)"
        } else if values.tasks != nil {
          values.openTasks
        } else if let wake = values.wake, let completed = values.completed {
          "wake \(wake.rawValue) \(values.kind.map { "\($0)" } ?? ""), complete since \(HumanTime.text(completed))"
        } else {
          values.call?.fileName ?? values.name.map { "'\($0)'" }
        }
      return LineWords(
        "! \(values.need(\.diagnostic).fileName)" + (subject.map { ": \($0)" } ?? ""), .remark)
    }
  ) { values in
    let subject: TraceLine.DiagnosticSubject =
      if let verb = values.verb {
        .step(verb)
      } else if let task = values.task {
        .task(task)
      } else if let tasks = values.tasks {
        .tasks(tasks, ages: [])
      } else if let kind = values.kind, let wake = values.wake, let completed = values.completed {
        .wake(kind, wake, identifier: values.identifier, completed: completed)
      } else if let call = values.call {
        .call(call)
      } else {
        values.name.map { .notification($0) } ?? .none
      }
    return .diagnostic(values.need(\.diagnostic), subject)
  }
  private static let resumed = LineType(
    "resumed",
    [
      .init("boot", \.boot, .text, .required), .init("uptime", \.uptime, .number, .required),
      .init("wall", \.wall, .number, .required), .init("cgroup", \.cgroup, .text),
    ],
    words: { LineWords("a process runs on from here, in boot \($0.boot ?? "")") }
  ) { values throws(Refusal) in
    let (uptime, wall) = (values.need(\.uptime), values.need(\.wall))
    guard uptime >= 0, wall >= 0 else {
      throw Refusal("'uptime' and 'wall' are not negative, found \(uptime) and \(wall)")
    }
    return .resumed(
      HostClocks(boot: values.need(\.boot), uptime: uptime, wall: wall), cgroup: values.cgroup)
  }
  private static let end = LineType("end", words: { _ in LineWords("the end") }) { _ in .end }
  private static let gap = LineType(
    "gap", [.init("dropped", \.dropped, .number)], words: { LineWords("… \($0.dropped ?? 0) more") }
  ) {
    _ throws(Refusal) in
    throw Refusal(
      "a 'gap' stands for lines that a slow reader did not receive; no trace has one")
  }

  /// The type of a body, and its values; nil for an event, which its verb's row writes.
  static func of(_ body: TraceLine.Body, _ values: inout LineValues) -> LineType? {
    switch body {
    case .event: return nil
    case .advance: return advance
    case .end: return end
    case .state(let from, let to):
      (values.from, values.to) = (from, to)
      return state
    case .callback(let delivered):
      values.callback = delivered
      return callback
    case .task(let change, let id, let name):
      (values.taskChange, values.task, values.name) = (change, id, name)
      return task
    case .expiration(let id, let name, let reason, let due):
      (values.task, values.name, values.reason, values.due) = (id, name, reason, due)
      return expiration
    case .session(let kind, let change, let due):
      (values.kind, values.sessionChange, values.due) = (kind, change, due)
      return session
    case .decision(let kind, let wake, let denied, let next):
      (values.kind, values.wake, values.allowed, values.reasons, values.next) = (
        kind, wake, denied.isEmpty, denied, next
      )
      if !denied.budgets.isEmpty { values.budgets = denied.budgets }
      return decision
    case .wake(let kind, let id, let identifier, let change, let due):
      (values.kind, values.wake, values.name, values.wakeChange, values.due) = (
        kind, id, identifier, change, due
      )
      return wake
    case .notification(let name, let value):
      (values.name, values.value) = (name, value)
      return notification
    case .localNotification(let id, let fate):
      (values.id, values.fate) = (id, fate)
      return notification
    case .request(let identifier, let kind, let change):
      (values.name, values.kind, values.requestChange) = (identifier, kind, RequestWord(change))
      if case .refused(let error) = change { values.error = error }
      return request
    case .probe(let state, let remaining):
      (values.state, values.remaining) = (state, remaining)
      return probe
    case .terminated(let process):
      (values.end, values.code, values.tasks, values.late) = (
        process.reason, process.code, process.tasks, process.late
      )
      values.ages = process.details?.ages ?? []
      values.exit = process.exit
      return terminated
    case .diagnostic(let name, let subject):
      values.diagnostic = name
      switch subject {
      case .none: break
      case .step(let verb, _, _): values.verb = verb
      case .task(let id): values.task = id
      case .notification(let name): values.name = name
      case .call(let call): values.call = call
      case .wake(let kind, let id, let identifier, let completed):
        (values.kind, values.wake, values.identifier, values.completed) = (
          kind, id, identifier, completed
        )
      case .tasks(let tasks, let ages): (values.tasks, values.ages) = (tasks, ages)
      }
      return diagnostic
    case .resumed(let clocks, let cgroup):
      (values.boot, values.uptime, values.wall, values.cgroup) = (
        clocks.boot, clocks.uptime, clocks.wall, cgroup
      )
      return resumed
    case .gap(let dropped):
      values.dropped = Int64(dropped)
      return gap
    }
  }
}
