import Curfew
import CurfewUV
import Synchronization

/// A grant for each timer, whose warning is due at the timer's deadline. A cancel is a grant too:
/// its warning cancels the timer's job, and so ends its grant.
///
/// The bodies of jobs run on Swift's own threads, so a job that is cancelled ends a little later.
/// A warning that is due in this time meets a cancelled job, and does not count.
final class GrantWarnings: Contestant {
  /// The most timers that are armed within a second.
  private static let limit = 20_000
  /// The time from each warning to the end of its grant. No job needs it.
  private nonisolated static let grace: Int64 = 5_000_000_000

  private let deadlines: Deadlines
  private let firings: Firings
  private let device: Device
  private let cancelled: Flags
  private let unarmed = Countdown()
  private var jobs: [Task<Void, Never>] = []

  init(_ plan: inout Plan) throws {
    let deadlines = try Deadlines(&plan)
    guard deadlines.count <= GrantWarnings.limit else {
      throw CannotTakePart(
        reason: "more than \(GrantWarnings.limit) Swift tasks with a grant each take too long")
    }
    self.deadlines = deadlines
    firings = Firings(deadlines)
    device = Device(policy: .server, clock: .realTime(try UVClock()))
    cancelled = Flags(deadlines.count)
    jobs.reserveCapacity(deadlines.count + deadlines.cancels.count)
  }

  func run(start: Int64) async -> Measurement {
    let began = now()
    firings.reset(start: start)
    cancelled.reset()
    unarmed.reset(to: deadlines.count + deadlines.cancels.count)
    arm()
    unarmed.wait(until: start)
    let late = now() - start
    if late < 0 { firings.wait() } else { for job in jobs { job.cancel() } }
    for job in jobs { await job.value }
    jobs.removeAll(keepingCapacity: true)
    return late < 0 ? .measured(began: began, ended: now()) : .late(late)
  }

  func answer(to text: inout Text) { firings.append(to: &text) }

  private func arm() {
    for timer in 0..<deadlines.count {
      jobs.append(
        job(at: firings.instant(of: timer)) { [firings, cancelled] in
          if !cancelled[timer] { firings.fire(timer) }
        })
    }
    for cancel in deadlines.cancels {
      let cancelledJob = jobs[cancel.timer]
      jobs.append(
        job(at: firings.start + cancel.instant) { [cancelled] in
          cancelled.set(cancel.timer)
          cancelledJob.cancel()
        })
    }
  }

  /// Begins a job whose warning is due at that instant. The job ends when it is cancelled: by its
  /// warning or before.
  private func job(at instant: Int64, onWarning: @escaping @Sendable () -> Void)
    -> Task<Void, Never>
  {
    Task.detached { [device, unarmed] in
      let length = max(1, instant - now())
      try? await device.withGrant(
        .nanoseconds(length + GrantWarnings.grace), warning: .nanoseconds(GrantWarnings.grace),
        onWarning: onWarning
      ) {
        unarmed.count()
        await Cancellation().wait()
      }
    }
  }
}

/// Waits until its Swift task is cancelled.
private final class Cancellation: Sendable {
  private enum State {
    case idle, cancelled
    case waiting(UnsafeContinuation<Void, Never>)
  }

  private let state = Mutex(State.idle)

  func wait() async {
    await withTaskCancellationHandler {
      await withUnsafeContinuation { waiter in
        let isCancelled = state.withLock { state in
          if case .cancelled = state { return true }
          state = .waiting(waiter)
          return false
        }
        if isCancelled { waiter.resume() }
      }
    } onCancel: {
      let before = state.withLock { state in
        defer { state = .cancelled }
        return state
      }
      if case .waiting(let waiter) = before { waiter.resume() }
    }
  }
}

/// A flag for each timer, which any thread may set.
private final class Flags: @unchecked Sendable {
  private let flags: UnsafeMutableBufferPointer<Bool>
  private let lock = Mutex(())

  init(_ count: Int) {
    flags = .allocate(capacity: count)
    flags.initialize(repeating: false)
  }

  deinit { flags.deallocate() }

  subscript(_ timer: Int) -> Bool { lock.withLock { _ in flags[timer] } }

  func set(_ timer: Int) { lock.withLock { _ in flags[timer] = true } }

  func reset() { lock.withLock { _ in flags.update(repeating: false) } }
}
