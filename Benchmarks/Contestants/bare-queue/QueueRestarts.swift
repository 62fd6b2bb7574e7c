import CurfewEngine

/// The timers and the restarts of a plan of `restart/1`.
struct RestartPlan {
  /// The first deadline of each timer.
  private(set) var dues: [Int64] = []
  /// The restarts, in their order.
  private(set) var restarts: [(timer: UInt32, due: Int64)] = []
  let rounds: Int

  init(_ plan: inout Plan) throws {
    let (timers, restarts) = (try plan.number("timers"), try plan.number("restarts"))
    rounds = try plan.number("rounds")
    dues.reserveCapacity(timers)
    for timer in 0..<timers {
      var (k, due): (Int64, Int64) = (-1, -1)
      try plan.readLine { key, number in
        if key == PlanKey("k") { k = number } else if key == PlanKey("due") { due = number }
      }
      guard k == timer, due >= 0 else { throw plan.wrong("expected the timer \(timer)") }
      dues.append(due)
    }
    self.restarts.reserveCapacity(restarts)
    for _ in 0..<restarts {
      var (k, due): (Int64, Int64) = (-1, -1)
      try plan.readLine { key, number in if k < 0 { k = number } else { due = number } }
      guard (0..<Int64(timers)).contains(k), due >= 0 else {
        throw plan.wrong("expected [timer, instant] with a timer below \(timers)")
      }
      self.restarts.append((UInt32(k), due))
    }
  }
}

/// A queue in which timers are stopped and started again.
final class QueueRestarts<Queue: DeadlineQueue & ~Copyable>: Contestant {
  private var state: State

  private struct State: ~Copyable {
    let plan: RestartPlan
    var queue: Queue
    var ids: [Queue.ID]
    /// The deadlines that were read from the queue last.
    var dues: [Int64]

    mutating func run() {
      for _ in 0..<plan.rounds {
        for restart in plan.restarts {
          let timer = Int(restart.timer)
          queue.cancel(ids[timer])
          ids[timer] = queue.insert(Instant(nanoseconds: restart.due), payload: restart.timer)
        }
      }
    }

    /// Takes all timers out of the queue, and inserts them again as at first.
    /// - Returns: The sum of their deadlines, and their number.
    mutating func read() -> (sum: UInt64, count: Int) {
      var (sum, count): (UInt64, Int) = (0, 0)
      while let (deadline, timer) = queue.popFirst() {
        dues[Int(timer)] = deadline.nanoseconds
        sum &+= UInt64(deadline.nanoseconds)
        count += 1
      }
      for (timer, due) in dues.enumerated() {
        ids[timer] = queue.insert(Instant(nanoseconds: due), payload: UInt32(timer))
      }
      return (sum, count)
    }
  }

  init(_ plan: inout Plan, queue make: (Int) -> Queue) throws {
    let plan = try RestartPlan(&plan)
    var queue = make(plan.dues.count)
    let ids = plan.dues.enumerated().map { timer, due in
      queue.insert(Instant(nanoseconds: due), payload: UInt32(timer))
    }
    state = State(plan: plan, queue: queue, ids: ids, dues: plan.dues)
  }

  func run(start: Int64) -> Measurement { .of { state.run() } }

  func answer(to text: inout Text) {
    let (sum, count) = state.read()
    text.append("sum", text: sum)
    text.append("outstanding", count)
  }
}
