import CurfewEngine
import CurfewUV
import Foundation

/// The simplest device: a list of deadlines behind a lock. The clock is armed for the next one.
final class AlarmedList: @unchecked Sendable {
  struct Firing {
    let deadline: Instant
    /// Wall nanoseconds since the start, read separately from the clock's own conversion.
    let wall: Int64
  }

  let clock: UVClock
  private let lock = NSLock()
  private let deadlines: [Instant]
  private var next = 0
  private var noted: [Firing] = []
  private var empty = 0
  private let progress = TickCounter()

  /// `deadlines` in ascending order.
  init(_ clock: UVClock, _ deadlines: [Instant]) {
    self.clock = clock
    self.deadlines = deadlines
  }

  /// The firings, in order.
  var firings: [Firing] { lock.withLock { noted } }
  /// Ticks that found nothing due.
  var emptyTicks: Int { lock.withLock { empty } }

  /// Fires all deadlines, and returns whether that finished.
  func run() -> Bool {
    clock.start { [weak self] in self?.tick() }
    lock.withLock { clock.arm(deadlines.first) }
    defer { clock.stop() }
    return progress.reaches(deadlines.count, within: 60)
  }

  private func tick() {
    lock.withLock {
      let before = next
      while next < deadlines.count, clock.now() >= deadlines[next] {
        noted.append(Firing(deadline: deadlines[next], wall: clock.wallNow()))
        next += 1
        progress.add()
      }
      if next == before { empty += 1 }
      clock.arm(next < deadlines.count ? deadlines[next] : nil)
    }
  }
}
