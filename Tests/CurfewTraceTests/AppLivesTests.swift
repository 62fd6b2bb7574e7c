import CurfewEngine
import CurfewPolicy
import CurfewTrace
import TestRuns
import Testing

/// The spans and moments of an app's life, read from lines.
@Suite(.inTurn) struct AppLivesTests {
  private var lives: AppLives
  private var log: [String] = []

  init() throws {
    lives = AppLives(apps: ["mail"], policy: try PolicyFile.load("android14").policy)
  }

  private mutating func read(_ second: Int64, _ body: TraceLine.Body) {
    lives.read(TraceLine(time: .zero + .seconds(second), app: "mail", body))
    log += lives.changes.compactMap { AppLivesTests.words($0.body) }
  }

  private mutating func move(_ second: Int64, _ states: AppState...) {
    for (from, to) in zip(states, states.dropFirst()) { read(second, .state(from: from, to: to)) }
  }

  /// Changes other than states and callbacks: `+task`, `-task 5s app`, `granted`.
  private static func words(_ change: LifeChange.Body) -> String? {
    switch change {
    case .began(let span):
      if case .state = span.subject { return nil }
      return "+\(word(span.subject))"
    case .ended(let span):
      guard let length = span.length, let ending = span.ending else {
        return "an end without a reason"
      }
      if case .state = span.subject { return nil }
      return "-\(word(span.subject)) \(length.nanoseconds / 1_000_000_000)s \(word(ending))"
    case .moment(.callback): return nil
    case .moment(let moment): return String(word(moment))
    }
  }

  private static func word(_ value: some Any) -> Substring { "\(value)".prefix { $0 != "(" } }

  @Test mutating func `an opening is cold, warm or live, and the way to the front is not a visit`()
  {
    move(0, .notRunning, .inactive, .active, .inactive, .background)
    move(5, .background, .suspended)
    move(8, .suspended, .background)
    read(8, .callback(.lifecycle(.willEnterForeground)))
    move(8, .background, .inactive, .active, .inactive, .background)
    move(9, .background, .inactive)
    #expect(
      log == [
        "+process", "opened", "+visit", "-visit 5s next", "opened", "+visit", "-visit 1s next",
        "opened",
      ])
    #expect(lives.changes.contains { $0.body == .moment(.opened(.live)) })
  }

  @Test
  mutating func
    `a visit of a suspended app begins with its state, and is told with what comes next`()
  {
    move(0, .notRunning, .inactive, .active, .inactive, .background, .suspended)
    log = []
    move(3, .suspended, .background)
    #expect(log == [])
    read(4, .notification(name: "news", value: nil))
    move(6, .background, .suspended)
    #expect(log == ["+visit", "notification", "-visit 3s next"])
  }

  @Test
  mutating func `each open task expires once, by its handler or by the end of the grant`() {
    move(0, .notRunning, .inactive, .active, .inactive, .background)
    read(0, .task(.begin, TaskID(rawValue: 1), name: "a"))
    read(1, .task(.begin, TaskID(rawValue: 2), name: "b"))
    read(2, .expiration(TaskID(rawValue: 1), name: "a", .timeLimit, due: nil))
    log = []
    read(
      7,
      .terminated(
        RecordedProcessEnd(reason: .backgroundTaskAssertionTimeout, code: nil, tasks: ["a", "b"])))
    #expect(log == ["expired", "-task 7s process", "-task 6s process", "-process 7s process"])
    read(8, .task(.end, TaskID(rawValue: 2), name: "b"))
    #expect(lives.changes.isEmpty)
  }

  @Test mutating func `a visit has one grant, and a denied task uses none`() {
    read(0, .task(.begin, .invalid, name: "a"))
    move(0, .notRunning, .inactive, .active, .inactive, .background)
    read(1, .task(.begin, TaskID(rawValue: 1), name: "a"))
    read(2, .task(.end, TaskID(rawValue: 1), name: "a"))
    read(2, .task(.begin, TaskID(rawValue: 2), name: "a"))
    #expect(
      log == [
        "taskDenied", "+process", "opened", "+visit", "+task", "granted", "-task 1s app", "+task",
      ])
  }

  @Test mutating func `a wake ends once: with its completion, its overrun or a denial`() {
    let kind = KindName(rawValue: "fetch")
    for (id, end) in [
      TraceLine.Body.wake(kind, WakeID(rawValue: 0), identifier: nil, .complete),
      .wake(kind, WakeID(rawValue: 1), identifier: nil, .overrun),
      .decision(kind, wake: WakeID(rawValue: 2), denied: Denials(.lowPowerMode), next: nil),
    ].enumerated() {
      read(0, .wake(kind, WakeID(rawValue: UInt32(id)), identifier: nil, .begin))
      read(4, end)
      read(5, .wake(kind, WakeID(rawValue: UInt32(id)), identifier: nil, .complete))
    }
    #expect(
      log == [
        "+wake", "-wake 4s app", "+wake", "overran", "-wake 4s overrun", "+wake", "-wake 4s denied",
        "denied",
      ])
  }

  @Test
  mutating func `a kind and an app that only the trace names get the next numbers`()
    throws
  {
    let kind = KindNumber(rawValue: UInt32(lives.names.kinds.count))
    lives.read(
      TraceLine(time: .zero, app: "maps", .session(KindName(rawValue: "unheardOf"), .begin)))
    let change = try #require(lives.changes.first)
    #expect(change.app == 1 && lives.names.apps == ["mail", "maps"])
    guard case .began(let span) = change.body else { return #expect(Bool(false)) }
    #expect(span.subject == .session(kind: kind) && lives.names.kinds.last?.rawValue == "unheardOf")
  }

  @Test mutating func `a request outlives its process, and ends if another one replaces it`() {
    let kind = KindName(rawValue: "fetch")
    read(0, .request(identifier: "feed", kind, .submitted))
    read(3, .terminated(RecordedProcessEnd(reason: .normalAppExit, code: nil, tasks: nil)))
    read(5, .request(identifier: "feed", kind, .replaced))
    read(6, .request(identifier: "feed", kind, .started))
    #expect(log == ["+request", "-request 5s replaced", "+request", "-request 1s started"])
  }

  @Test mutating func `the end of a run ends all open spans`() {
    move(0, .notRunning, .inactive, .active, .inactive, .background)
    read(0, .task(.begin, TaskID(rawValue: 1), name: "a"))
    log = []
    lives.finish(at: .zero + .seconds(9))
    let ended = lives.changes.compactMap {
      if case .ended(let span) = $0.body { span } else { nil }
    }
    #expect(
      ended.count == lives.changes.count
        && ended.allSatisfy { $0.ending == .run && $0.length == .seconds(9) })
    #expect(ended.map { AppLivesTests.word($0.subject) } == ["task", "visit", "process", "state"])
  }
}
