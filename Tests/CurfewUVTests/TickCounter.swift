import Foundation

/// Counts from any thread, and lets a test wait for a count.
final class TickCounter: @unchecked Sendable {
  private let condition = NSCondition()
  private var number = 0

  var count: Int { condition.withLock { number } }

  func add() {
    condition.withLock {
      number += 1
      condition.broadcast()
    }
  }

  /// Whether the count reaches `goal` in time; only an overloaded machine takes longer.
  func reaches(_ goal: Int, within seconds: Double = 20) -> Bool {
    let limit = Date(timeIntervalSinceNow: seconds)
    return condition.withLock {
      while number < goal {
        guard condition.wait(until: limit) else { return number >= goal }
      }
      return true
    }
  }
}

/// A thread of a test, which the test can wait for.
struct TestThread {
  private let end = TickCounter()

  init(_ body: @escaping @Sendable () -> Void) {
    let end = end
    Thread.detachNewThread {
      body()
      end.add()
    }
  }

  /// Whether the thread ends within a generous time limit.
  func ends() -> Bool { end.reaches(1) }
}
