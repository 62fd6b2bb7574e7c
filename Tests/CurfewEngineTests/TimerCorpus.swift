import Testing

/// The timer corpus's file.
struct TimerCorpus: Decodable {
  var cases: [TimerCase]

  /// Does one operation.
  /// - Returns: whether it ran the loop itself, so that the case's end is not the loop's.
  static func perform(_ operation: TimerOperation, _ loop: inout TimerLoop) throws -> Bool {
    let name = operation.id ?? "timer"
    switch operation.op {
    case "start":
      try loop.start(name, after: operation.delay ?? 0, every: operation.period ?? 0, callback(operation, name))
    case "stop": loop.stop(name)
    case "close": loop.close(name)
    case "again": try loop.again(name)
    case "set_repeat": loop.setRepeat(name, operation.period ?? 0)
    case "unref": loop.unreference(name)
    case "stop_loop": loop.isStopped = true
    case "run_once":
      try loop.runOnce()
      return true
    case "sleep": try loop.start(name, after: operation.until ?? 0)
    case "cancel": loop.stop(name)
    case "chain_sleep": try sleep(name, each: operation.each ?? 0, times: operation.times ?? 0, &loop)
    case "timer":
      let count = operation.take ?? 0
      try loop.start(name, after: operation.interval ?? 0, every: operation.interval ?? 0) { if $0[name].fired == count { $0.stop(name) } }
    case "advance":
      try loop.advance(by: operation.by ?? 0)
      return true
    case "run_until_idle":
      try loop.run()
      return true
    case "check_suspension":
      #expect(operation.expect == (loop.isAlive ? "error" : "ok"))
      return true
    default: Issue.record("an operation that nobody has thought of: \(operation.op)")
    }
    return false
  }

  private static func callback(_ operation: TimerOperation, _ name: String) -> TimerLoop.Callback? {
    guard operation.onFire != nil || operation.stopAfter != nil else { return nil }
    return { loop in
      for inner in operation.onFire ?? [] { _ = try perform(inner, &loop) }
      if let last = operation.stopAfter, loop[name].fired == last { loop.stop(name) }
    }
  }

  /// Sleeps again on waking, from the instant of waking.
  private static func sleep(_ name: String, each: UInt64, times: Int, _ loop: inout TimerLoop) throws {
    guard times > 0 else { return }
    try loop.start(name, after: each) { try sleep(name, each: each, times: times - 1, &$0) }
  }
}

struct TimerCase: Decodable {
  var id: String
  var ops: [TimerOperation]
  var expect: TimerExpectation
}

struct TimerOperation: Decodable {
  var op: String
  var id: String?
  var at: UInt64?
  /// In each call of this timer, or in the check phase.
  var on: String?
  var delay: UInt64?
  var period: UInt64?
  var stopAfter: Int?
  var onFire: [TimerOperation]?
  var closeSelfAtCount: Int?
  var error: String?
  var until: UInt64?
  var by: UInt64?
  var each: UInt64?
  var times: Int?
  var interval: UInt64?
  var take: Int?
  var expect: String?

  enum CodingKeys: String, CodingKey {
    case op, id, at, on, delay, error, until, by, each, times, interval, take, expect
    case period = "repeat"
    case stopAfter = "stop_after"
    case onFire = "on_fire"
    case closeSelfAtCount = "close_self_at_count"
  }
}

struct TimerExpectation: Decodable {
  var fires: [Firing]?
  var firstFires: [String]?
  var end: UInt64?
  var now: UInt64?
  var aliveAfter: Bool?
  var dueIn: [String: UInt64]?
  var count: [String: Int]?
  var error: String?
  var order: [String]?
  var done: [String]?
  var ticks: Int?

  enum CodingKeys: String, CodingKey, CaseIterable {
    case fires, end, now, count, error, order, done, ticks
    case firstFires = "first_fires"
    case aliveAfter = "alive_after"
    case dueIn = "due_in"
  }
}

/// `[50, "once1"]`: a timer and when it fired, in milliseconds.
struct Firing: Decodable, Equatable {
  var at: UInt64
  var name: String

  init(at: UInt64, name: String) { (self.at, self.name) = (at, name) }

  init(from decoder: any Decoder) throws {
    var pair = try decoder.unkeyedContainer()
    at = try pair.decode(UInt64.self)
    name = try pair.decode(String.self)
  }
}
