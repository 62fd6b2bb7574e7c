import Curfew
import Foundation

/// The simplest real clock: a thread that waits. Engine time is `speed` times as fast as wall time.
final class ThreadClock: RealTimeClock, @unchecked Sendable {
  let name = "monotonic"
  private let condition = NSCondition()
  private let speed: Int64
  private var origin: UInt64 = 0
  private var deadline: Instant?
  private var isStopped = false
  private var isTicking = false
  private var thread: Thread?

  init(speed: Int64 = 1) { self.speed = speed }

  func now() -> Instant {
    let passed = Int64(DispatchTime.now().uptimeNanoseconds - origin)
    return Instant(nanoseconds: passed * speed)
  }

  func arm(_ deadline: Instant?) {
    condition.withLock {
      self.deadline = deadline
      condition.signal()
    }
  }

  func start(_ tick: @escaping @Sendable () -> Void) {
    origin = DispatchTime.now().uptimeNanoseconds
    let thread = Thread { [self] in run(tick) }
    self.thread = thread
    thread.start()
  }

  func stop() {
    condition.withLock {
      isStopped = true
      condition.broadcast()
      while isTicking, Thread.current !== thread { condition.wait() }
    }
  }

  private func run(_ tick: @Sendable () -> Void) {
    condition.lock()
    while !isStopped {
      if let deadline, now() >= deadline {
        self.deadline = nil
        isTicking = true
        condition.unlock()
        tick()
        condition.lock()
        isTicking = false
        condition.broadcast()
      } else if let deadline {
        _ = condition.wait(
          until: Date() + Double((deadline - now()).nanoseconds / speed) / 1e9 + 1e-6)
      } else {
        condition.wait()
      }
    }
    condition.unlock()
  }
}
