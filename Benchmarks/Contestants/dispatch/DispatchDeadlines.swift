import Dispatch

/// A `DispatchSourceTimer` for each timer and for each cancel, all on one serial queue.
final class DispatchDeadlines: Contestant {
  private let deadlines: Deadlines
  private let firings: Firings
  private let queue = DispatchQueue(label: "timers")
  private var timers: [Timer] = []
  private var cancels: [Timer] = []

  init(_ plan: inout Plan) throws {
    deadlines = try Deadlines(&plan)
    firings = Firings(deadlines)
    timers.reserveCapacity(deadlines.count)
    cancels.reserveCapacity(deadlines.cancels.count)
  }

  func run(start: Int64) -> Measurement {
    let began = now()
    firings.reset(start: start)
    for timer in 0..<deadlines.count {
      timers.append(
        Timer(at: firings.instant(of: timer), on: queue) { [firings] in firings.fire(timer) })
    }
    for cancel in deadlines.cancels {
      let timer = timers[cancel.timer]
      cancels.append(Timer(at: start + cancel.instant, on: queue) { timer.cancel() })
    }
    let late = now() - start
    if late < 0 { firings.wait() }
    for timer in timers + cancels { timer.cancel() }
    // Handlers that have begun end before this.
    queue.sync {}
    let ended = now()
    timers.removeAll(keepingCapacity: true)
    cancels.removeAll(keepingCapacity: true)
    return late < 0 ? .measured(began: began, ended: ended) : .late(late)
  }

  func answer(to text: inout Text) { firings.append(to: &text) }
}

/// A timer that fires once. Dispatch's own type may be used from any thread, but does not say so.
private struct Timer: @unchecked Sendable {
  private let source: any DispatchSourceTimer

  init(at instant: Int64, on queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void) {
    source = DispatchSource.makeTimerSource(flags: .strict, queue: queue)
    source.schedule(
      deadline: DispatchTime(uptimeNanoseconds: UInt64(max(0, instant))), leeway: .nanoseconds(0))
    source.setEventHandler(handler: handler)
    source.activate()
  }

  func cancel() { source.cancel() }
}
