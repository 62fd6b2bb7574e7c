internal import CurfewEngine
internal import CurfewSystem

/// The times of apps, from a plan.
struct FleetTables: Sendable {
  static let count = 4_096

  let foreground: [Int64]
  let work: [Int64]
  let suspended: [Int64]

  /// The index depends only on app and cycle, not on the order in which apps are served.
  static func index(_ app: UInt32, _ cycle: UInt32) -> Int {
    let mixed = (UInt64(app) << 32 | UInt64(cycle)) &* 0x9e37_79b9_7f4a_7c15
    return Int(truncatingIfNeeded: (mixed ^ (mixed >> 29)) >> 33) & (count - 1)
  }
}

/// The canonical cycle on the engine's timer queue, without an engine. The same deadlines wait, are
/// cancelled and fire, including the limit of didEnterBackground and the suspension.
struct FleetCycle: ~Copyable {
  private enum Step: UInt32 { case home, workDone, toFront, warning, suspension, limit }

  private let tables: FleetTables
  private var queue: TimerQueue
  private var work: [TimerQueue.ID]
  private var warning: [TimerQueue.ID]
  private var cycle: [UInt32]
  private(set) var expirations = 0
  private(set) var checksum: UInt64 = 0

  init(apps: Int, _ tables: FleetTables) {
    self.tables = tables
    queue = TimerQueue(minimumCapacity: apps)
    work = Array(repeating: .none, count: apps)
    warning = Array(repeating: .none, count: apps)
    cycle = Array(repeating: 0, count: apps)
    for app in 0..<UInt32(apps) { toFront(app, after: .zero) }
  }

  /// Goes on until `count` more suspensions have happened.
  mutating func run(suspensions count: Int) {
    var left = count
    while left > 0, let expired = queue.popFirst(notAfter: .distantFuture) {
      let (app, now) = (expired.payload >> 3, expired.deadline)
      let index = FleetTables.index(app, cycle[Int(app)])
      switch Step(rawValue: expired.payload & 7) {
      case .toFront: _ = insert(.home, app, now + .nanoseconds(tables.foreground[index]))
      case .home:
        let limit = insert(.limit, app, now + .seconds(5))
        warning[Int(app)] = insert(.warning, app, now + .seconds(25))
        work[Int(app)] = insert(.workDone, app, now + .nanoseconds(tables.work[index]))
        queue.cancel(limit)
      case .workDone:
        queue.cancel(warning[Int(app)])
        _ = insert(.suspension, app, now)
      case .warning:
        expirations += 1
        // The clock is armed again for the end of the grant; the handler then ends the task.
        let end = insert(.warning, app, now + .seconds(5))
        queue.cancel(work[Int(app)])
        queue.cancel(end)
        _ = insert(.suspension, app, now)
      case .suspension:
        left -= 1
        checksum = (checksum &* 31) &+ UInt64(bitPattern: now.nanoseconds) &+ UInt64(app)
        cycle[Int(app)] += 1
        toFront(app, after: now)
      case .limit, nil: preconditionFailure("The limit of app \(app) fired at \(now)")
      }
    }
  }

  private mutating func toFront(_ app: UInt32, after now: Instant) {
    let wait = tables.suspended[FleetTables.index(app, cycle[Int(app)])]
    _ = insert(.toFront, app, now + .nanoseconds(wait))
  }

  private mutating func insert(_ step: Step, _ app: UInt32, _ deadline: Instant) -> TimerQueue.ID {
    queue.insert(deadline, payload: app << 3 | step.rawValue)
  }
}

/// The right answers to a plan of `fleet/1`, computed once for all contestants of a repetition and
/// only as far as they are asked for.
package final class FleetReference: @unchecked Sendable {
  struct Answer: Hashable {
    var expirations: Int
    var checksum: UInt64
  }

  private let apps: Int
  private let cycles: Int
  private let tables: FleetTables
  private let lock = Lock()
  private var cycle: FleetCycle?
  private var answers: [Answer] = []

  init(apps: Int, cycles: Int, _ tables: FleetTables) {
    (self.apps, self.cycles, self.tables) = (apps, cycles, tables)
  }

  /// The answer about a segment, counted from 0.
  func answer(_ segment: Int) -> Answer {
    lock.withLock {
      if cycle == nil { cycle = FleetCycle(apps: apps, tables) }
      while answers.count <= segment {
        let before = cycle?.expirations ?? 0
        cycle?.run(suspensions: cycles)
        answers.append(
          Answer(
            expirations: (cycle?.expirations ?? 0) - before, checksum: cycle?.checksum ?? 0))
      }
      return answers[segment]
    }
  }

  func judge(_ answer: JSONValue, _ segment: SegmentMeasurement) -> AnswerVerdict {
    guard let suspensions = answer["suspensions"]?.number,
      let expirations = answer["expirations"]?.number, let checksum = answer["checksum"]?.text
    else {
      return .unreadable(
        "the answer needs the numbers 'suspensions' and 'expirations' and a text 'checksum'")
    }
    let right = self.answer(segment.index)
    guard suspensions == Int64(cycles) else {
      return .wrong("\(suspensions) suspensions in a segment, \(cycles) would be right")
    }
    guard expirations == Int64(right.expirations) else {
      return .wrong("\(expirations) expirations in a segment, \(right.expirations) would be right")
    }
    guard checksum == String(right.checksum) else {
      return .wrong("the checksum is \(checksum.prefix(40)), \(right.checksum) would be right")
    }
    var findings = SegmentFindings()
    findings.add("cycle", segment.length / Double(cycles))
    findings.add("memory", Double(segment.peakMemory) / Double(apps))
    return .right(findings)
  }
}
