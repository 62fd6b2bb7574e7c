internal import Foundation

/// One at a time, in the order in which they came. Nobody's thread waits here.
final class Gate: @unchecked Sendable {
  private let lock = NSLock()
  private var isTaken = false
  private var waiting = Queue<@Sendable () -> Void>()

  /// Calls back when the gate is the caller's: at once, or on the thread of whoever leaves.
  func enter(_ body: @escaping @Sendable () -> Void) {
    let isFree = lock.withLock {
      defer { isTaken = true }
      if isTaken { waiting.append(body) }
      return !isTaken
    }
    if isFree { body() }
  }

  func enter() async { await withCheckedContinuation { continuation in enter { continuation.resume() } } }

  func leave() {
    let next = lock.withLock {
      let next = waiting.popFirst()
      isTaken = next != nil
      return next
    }
    next?()
  }
}
