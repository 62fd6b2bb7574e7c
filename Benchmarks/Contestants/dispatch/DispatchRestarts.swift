import Dispatch

/// A `DispatchSourceTimer` for each timer, which a restart schedules anew.
final class DispatchRestarts: Contestant {
  private let plan: RestartPlan
  private let queue = DispatchQueue(label: "timers")
  private let timers: [any DispatchSourceTimer]
  private var dues: [Int64]
  /// The instant from which the deadlines count.
  private let origin = now()

  init(_ plan: inout Plan) throws {
    let plan = try RestartPlan(&plan)
    self.plan = plan
    dues = plan.dues
    timers = plan.dues.map { [queue, origin] due in
      let timer = DispatchSource.makeTimerSource(flags: .strict, queue: queue)
      timer.schedule(deadline: DispatchRestarts.time(origin + due), leeway: .nanoseconds(0))
      timer.setEventHandler(handler: DispatchRestarts.fail)
      timer.activate()
      return timer
    }
    queue.sync {}
  }

  func run(start: Int64) -> Measurement {
    .of {
      for _ in 0..<plan.rounds {
        for restart in plan.restarts {
          let timer = Int(restart.timer)
          timers[timer].schedule(
            deadline: DispatchRestarts.time(origin + restart.due), leeway: .nanoseconds(0))
          dues[timer] = restart.due
        }
      }
      // The schedules that are still on their way to the queue take effect before this.
      queue.sync {}
    }
  }

  func answer(to text: inout Text) {
    text.append("sum", text: dues.reduce(0) { $0 &+ UInt64($1) })
    text.append("outstanding", timers.count { !$0.isCancelled })
  }

  private nonisolated static func time(_ instant: Int64) -> DispatchTime {
    DispatchTime(uptimeNanoseconds: UInt64(instant))
  }

  private nonisolated static func fail() {
    preconditionFailure("A timer fired that was due in an hour or later")
  }
}
