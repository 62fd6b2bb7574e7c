import CurfewEngine

/// The deadlines of the canonical cycle on one queue, without an engine. The same deadlines wait,
/// are cancelled and fire, including the limit of didEnterBackground and the suspension.
final class QueueCycles<Queue: DeadlineQueue & ~Copyable>: Contestant {
  private var cycle: QueueCycle<Queue>

  init(_ plan: inout Plan, queue make: (Int) -> Queue) throws {
    let plan = try CyclePlan(&plan)
    cycle = QueueCycle(plan, queue: make(plan.apps))
  }

  func run(start: Int64) -> Measurement { .of { cycle.run() } }

  func answer(to text: inout Text) { cycle.counts.append(to: &text) }
}

private struct QueueCycle<Queue: DeadlineQueue & ~Copyable>: ~Copyable {
  private enum Due: UInt32 { case home, workDone, toFront, warning, suspension, limit }

  private let plan: CyclePlan
  private var queue: Queue
  private var work: [Queue.ID]
  private var warning: [Queue.ID]
  private var cycle: [UInt32]
  private(set) var counts = CycleCounts()

  init(_ plan: CyclePlan, queue: consuming Queue) {
    self.plan = plan
    var queue = queue
    let first = (0..<UInt32(plan.apps)).map { app in
      queue.insert(.zero + plan.suspended(app, 0), payload: app << 3 | Due.toFront.rawValue)
    }
    work = first
    warning = first
    cycle = Array(repeating: 0, count: plan.apps)
    self.queue = queue
  }

  mutating func run() {
    counts.beginSegment()
    let goal = counts.suspensions + plan.cycles
    while counts.suspensions < goal, let expired = queue.popFirst() {
      let app = expired.payload >> 3
      let now = expired.deadline
      switch Due(rawValue: expired.payload & 7) {
      case .toFront: _ = insert(.home, app, now + plan.foreground(app, cycle[Int(app)]))
      case .home:
        let limit = insert(.limit, app, now + .seconds(5))
        warning[Int(app)] = insert(.warning, app, now + .seconds(25))
        work[Int(app)] = insert(.workDone, app, now + plan.work(app, cycle[Int(app)]))
        queue.cancel(limit)
      case .workDone:
        queue.cancel(warning[Int(app)])
        _ = insert(.suspension, app, now)
      case .warning:
        counts.expirations += 1
        // The clock is armed again for the end of the grant; the handler then ends the task.
        let end = insert(.warning, app, now + .seconds(5))
        queue.cancel(work[Int(app)])
        queue.cancel(end)
        _ = insert(.suspension, app, now)
      case .suspension:
        counts.noteSuspension(app, at: now)
        cycle[Int(app)] += 1
        _ = insert(.toFront, app, now + plan.suspended(app, cycle[Int(app)]))
      case .limit, nil: preconditionFailure("A limit fired, which every app keeps")
      }
    }
  }

  @inline(__always)
  private mutating func insert(_ due: Due, _ app: UInt32, _ deadline: Instant) -> Queue.ID {
    queue.insert(deadline, payload: app << 3 | due.rawValue)
  }
}
