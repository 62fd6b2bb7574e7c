import Curfew
import CurfewUV

/// A grant for each timer, whose warning is due at the timer's deadline. A cancel is a grant too:
/// its warning cancels the timer's job, and so ends its grant. The bodies of jobs run on Swift's
/// own threads, so a job that is cancelled ends a little later.
final class GrantWarnings: Contestant {
  /// The most timers that are armed within a second.
  private static let limit = 20_000
  /// The time from each warning to the end of its grant. No job needs it.
  private nonisolated static let grace: Int64 = 5_000_000_000

  private let deadlines: Deadlines
  private let firings: Firings
  private let device: Device
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
    jobs.reserveCapacity(deadlines.count + deadlines.cancels.count)
  }

  func run(start: Int64) async -> Measurement {
    let began = now()
    firings.reset(start: start)
    unarmed.reset(to: deadlines.count + deadlines.cancels.count)
    for timer in 0..<deadlines.count {
      jobs.append(job(at: firings.instant(of: timer)) { [firings] in firings.fire(timer) })
    }
    for cancel in deadlines.cancels {
      let cancelled = jobs[cancel.timer]
      jobs.append(job(at: start + cancel.instant) { cancelled.cancel() })
    }
    unarmed.wait(until: start)
    let late = now() - start
    if late < 0 { firings.wait() } else { for job in jobs { job.cancel() } }
    for job in jobs { await job.value }
    jobs.removeAll(keepingCapacity: true)
    return late < 0 ? .measured(began: began, ended: now()) : .late(late)
  }

  func answer(to text: inout Text) { firings.append(to: &text) }

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
        // A stream without elements ends when its task is cancelled.
        for await _ in AsyncStream(Void.self, { _ in }) {}
      }
    }
  }
}
