@testable import CurfewEngine

/// Runs an engine in virtual time, with apps whose callbacks take no time unless a test says so,
/// and records every action as a line of text.
struct TestHost: ~Copyable {
  var driver: Driver
  /// The calls that each app still makes before its last callback returns.
  private var calls: [AppID: [Event]] = [:]
  /// The calls that an app makes inside a delivery, before it returns.
  var reaction: (Action) -> [Event] = { _ in [] }
  /// Whether a delivery does not return at once; the test then reports `returned`.
  var isSlow: (Action) -> Bool = { _ in false }
  /// Every action so far, with its time.
  private(set) var lines: [String] = []
  /// The task that began last.
  private(set) var lastTask = BackgroundTask.invalid(label: 0)

  init(_ policy: Policy, device: DeviceFacts = DeviceFacts(), apps: [Manifest] = [Manifest()]) {
    driver = Driver(Engine(policy: policy, device: device))
    for app in apps { _ = driver.addApp(app) }
  }

  var engine: Engine {
    _read { yield driver.engine }
    _modify { yield &driver.engine }
  }

  /// An app in front that begins a task in `didEnterBackground`.
  static func uploading(_ policy: Policy = .ios13, endsTask: Bool = true) -> TestHost {
    var host = TestHost(policy)
    host.reaction = { action in
      switch action {
      case .callback(let app, .didEnterBackground): [.beginTask(app, label: 7, handler: .present)]
      case .expiration(let app, let task, _, _): endsTask ? [.endTask(app, task)] : []
      default: []
      }
    }
    host.tell(.launch(AppID(rawValue: 0)), at: 0)
    return host
  }

  /// Advances the time through every deadline, then passes an event and what follows at
  /// that instant.
  mutating func tell(_ event: Event, at seconds: Int64) {
    tell(event, at: .zero + .seconds(seconds))
  }

  mutating func tell(_ event: Event, at instant: Instant) {
    run(to: instant)
    driver.say(event)
    run(to: instant)
  }

  mutating func run(to seconds: Int64) { run(to: .zero + .seconds(seconds)) }

  /// Advances the time through every deadline on the way.
  mutating func run(to instant: Instant) {
    while let item = driver.next(until: instant) {
      switch item {
      case .action(let action): note(action)
      case .turn(let app): takeTurn(app)
      case .due: break
      }
    }
    engine.checkInvariants()
  }

  /// The lines since the last call.
  mutating func takeLines() -> [String] {
    defer { lines = [] }
    return lines
  }

  private mutating func note(_ action: Action) {
    lines.append("\(engine.now.text) \(action.text)")
    if case .taskBegan(_, let task) = action { lastTask = task }
    if let app = action.deliveredTo {
      calls[app] = isSlow(action) ? nil : reaction(action) + [.returned(app)]
    }
  }

  private mutating func takeTurn(_ app: AppID) {
    engine.checkInvariants()
    guard let calls = calls[app], let next = calls.first else { return }
    self.calls[app] = Array(calls.dropFirst())
    driver.say(next)
  }
}

extension Action {
  /// The app that must return from this.
  var deliveredTo: AppID? {
    switch self {
    case .callback(let app, _), .expiration(let app, _, _, _), .wakeBegan(let app, _),
      .wakeWarned(let app, _, _),
      .sessionWarned(let app, _, _),
      .event(let app, _):
      app
    default: nil
    }
  }

  /// The wake whose event or whose handler this delivers.
  var ownWake: AdmittedWake? {
    switch self {
    case .wakeBegan(_, let wake), .wakeWarned(_, let wake, _): wake
    default: nil
    }
  }

  /// The action in a few words.
  var text: String {
    switch self {
    case .state(let app, let from, let to): "\(app.text) \(from) → \(to)"
    case .callback(let app, let callback): "\(app.text) \(callback)"
    case .expiration(let app, let task, let reason, let due):
      "\(app.text) expire \(task.id.rawValue) \(reason), due \(due.text)"
    case .wakeBegan(let app, let wake): "\(app.text) wake \(wake.kind)"
    case .sessionWarned(let app, let kind, let due): "\(app.text) warned \(kind), due \(due.text)"
    case .wakeWarned(let app, let wake, let due): "\(app.text) warned \(wake.kind), due \(due.text)"
    case .event(let app, let kind): "\(app.text) event \(kind)"
    case .taskBegan(let app, let task): "\(app.text) task \(task.id.rawValue) began"
    case .taskEnded(let app, let task): "\(app.text) task \(task.id.rawValue) ended"
    case .decision(let app, let kind, _, let denied, let next):
      "\(app.text) \(denied.isEmpty ? "allowed \(kind)" : "denied \(kind): \(denied.text)")\(next.map { ", next \($0.text)" } ?? "")"
    case .session(let app, let kind, let change): "\(app.text) session \(kind) \(change)"
    case .wakeCompleted(let app, let wake): "\(app.text) completed \(wake.kind)"
    case .wakeOverran(let app, let wake, let limit):
      "\(app.text) overran \(wake.kind)\(limit == .budget ? "'s budget" : limit == .warning ? "'s warning" : "")"
    case .runsWithoutAssertion(let app, let call): "\(app.text) runs \(call) without an assertion"
    case .alreadyCompleted(let app, let wake, let at):
      "\(app.text) completed \(wake.kind) again, after \(at.text)"
    case .notification(let app, let name, let value):
      "\(app.text) told \(name)\(value.map { " is \($0)" } ?? "")"
    case .localNotification(let app, let id, let fate): "\(app.text) notification \(id) \(fate)"
    case .request(let app, let identifier, let kind, let change):
      "\(app.text) \(kind) \(identifier) \(change)"
    case .terminated(let app, let end):
      "\(app.text) terminated \(end.reason)\(end.code.map { " " + $0.text } ?? "")\(end.late.map { ", late \((Instant.zero + $0).text)" } ?? "")"
    case .stillOpen(let app, let tasks): "\(app.text) \(tasks) still open"
    case .leakedTask(let app, let task, let age):
      "\(app.text) leaked \(task.id.rawValue) after \((Instant.zero + age).text)"
    case .notificationDropped(let app, let name): "\(app.text) notificationDropped \(name)"
    case .illegalEvent(let app, _): "\(app?.text ?? "-") illegalEvent"
    case .diagnostic(let name, let app, let task):
      "\(app?.text ?? "-") \(name)\(task.id == .invalid ? "" : " \(task.id.rawValue)")"
    case .probe(let app, let state, let left):
      "\(app.text) is \(state), \(left.map { (Instant.zero + $0).text } ?? "infinite")"
    }
  }
}

extension AppID {
  /// a, b, c …
  var text: String { String(UnicodeScalar(UInt8(97 + rawValue))) }
}

extension Instant {
  /// Written in the largest unit that gives a whole number.
  var text: String {
    if nanoseconds % 1_000_000_000 == 0 { return "\(nanoseconds / 1_000_000_000)s" }
    return nanoseconds % 1_000_000 == 0 ? "\(nanoseconds / 1_000_000)ms" : "\(nanoseconds)ns"
  }
}

extension TerminationCode {
  var text: String { "0x" + String(rawValue, radix: 16) }
}

extension DenialReasons {
  private static let names = [
    "noMultitasking", "kindNotInPolicy", "modeNotInPolicy", "modeNotDeclared", "exitsOnSuspend",
    "backgroundRefreshDenied",
    "backgroundRefreshRestricted", "lowPowerMode", "lowBattery", "forceQuit", "beforeFirstUnlock",
    "mayNotRelaunch", "terminating",
    "budget", "interval",
  ]

  var text: String {
    zip(DenialReasons.all, DenialReasons.names).filter { contains($0.0) }.map(\.1).joined(
      separator: ", ")
  }
}
