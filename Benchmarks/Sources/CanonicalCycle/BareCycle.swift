import CurfewEngine

/// A contestant of the bare cycle: a queue of deadlines.
protocol DeadlineQueue: ~Copyable {
  associatedtype ID
  mutating func insert(_ deadline: Instant, payload: UInt32) -> ID
  mutating func cancel(_ id: ID)
  mutating func popFirst() -> (deadline: Instant, payload: UInt32)?
}

extension TimerQueue: DeadlineQueue {
  mutating func popFirst() -> (deadline: Instant, payload: UInt32)? {
    popFirst(notAfter: .distantFuture).map { ($0.deadline, $0.payload) }
  }
}

/// The deadlines of the canonical cycle on one queue, without an engine. The same deadlines wait,
/// are cancelled and fire, including the limit of didEnterBackground and the suspension.
struct BareCycle<Queue: DeadlineQueue & ~Copyable>: ~Copyable where Queue.ID: BitwiseCopyable {
  private enum Plan: UInt32 { case home, workDone, toFront, warning, suspension, limit }

  private let draws: Draws
  private var queue: Queue
  private var work: [Queue.ID]
  private var warning: [Queue.ID]
  private var cycle: [UInt32]

  private(set) var cycles = 0
  private(set) var expirations = 0
  private(set) var checksum: UInt64 = 0

  init(apps: Int, draws: Draws, queue: consuming Queue) {
    self.draws = draws
    var queue = queue
    let first = (0..<UInt32(apps)).map { app in
      queue.insert(.zero + draws.suspended(app, 0), payload: app << 3 | Plan.toFront.rawValue)
    }
    work = first
    warning = first
    cycle = Array(repeating: 0, count: apps)
    self.queue = queue
  }

  mutating func run(cycles count: Int) {
    let goal = cycles + count
    while cycles < goal, let expired = queue.popFirst() {
      let app = expired.payload >> 3
      let now = expired.deadline
      switch Plan(rawValue: expired.payload & 7)! {
      case .toFront: _ = insert(.home, app, now + draws.foreground(app, cycle[Int(app)]))
      case .home:
        let limit = insert(.limit, app, now + .seconds(5))
        warning[Int(app)] = insert(.warning, app, now + .seconds(25))
        work[Int(app)] = insert(.workDone, app, now + draws.work(app, cycle[Int(app)]))
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
        cycles += 1
        checksum = (checksum &* 31) &+ UInt64(bitPattern: now.nanoseconds) &+ UInt64(app)
        cycle[Int(app)] += 1
        _ = insert(.toFront, app, now + draws.suspended(app, cycle[Int(app)]))
      case .limit: fatalError("a limit fired")
      }
    }
  }

  private mutating func insert(_ plan: Plan, _ app: UInt32, _ deadline: Instant) -> Queue.ID {
    queue.insert(deadline, payload: app << 3 | plan.rawValue)
  }
}
