/// A Swift task for each timer, which sleeps until its deadline; another one for each cancel.
final class TaskSleeps: Contestant {
  private let deadlines: Deadlines
  private let firings: Firings
  private let unarmed = Countdown()
  private var tasks: [Task<Void, Never>] = []

  init(_ plan: inout Plan) throws {
    deadlines = try Deadlines(&plan)
    firings = Firings(deadlines)
    tasks.reserveCapacity(deadlines.count + deadlines.cancels.count)
  }

  func run(start: Int64) async -> Measurement {
    let began = now()
    firings.reset(start: start)
    unarmed.reset(to: deadlines.count + deadlines.cancels.count)
    for timer in 0..<deadlines.count {
      tasks.append(
        sleep(until: firings.instant(of: timer)) { [firings] in firings.fire(timer) })
    }
    for cancel in deadlines.cancels {
      let task = tasks[cancel.timer]
      tasks.append(sleep(until: start + cancel.instant) { task.cancel() })
    }
    unarmed.wait(until: start)
    let late = now() - start
    if late < 0 { firings.wait() } else { for task in tasks { task.cancel() } }
    for task in tasks { await task.value }
    tasks.removeAll(keepingCapacity: true)
    return late < 0 ? .measured(began: began, ended: now()) : .late(late)
  }

  func answer(to text: inout Text) { firings.append(to: &text) }

  /// A task that does `work` at an instant, unless it is cancelled before.
  private func sleep(until instant: Int64, _ work: @escaping @Sendable () -> Void)
    -> Task<Void, Never>
  {
    Task.detached { [unarmed] in
      let clock = SuspendingClock()
      // The monotonic clock is read first, so that the deadline is not early.
      let left = instant - now()
      let due = clock.now + .nanoseconds(left)
      unarmed.count()
      // An error means that the sleep was cancelled.
      if (try? await Task.sleep(until: due, tolerance: .zero, clock: clock)) != nil { work() }
    }
  }
}
