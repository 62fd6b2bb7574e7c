internal import Foundation

/// Lets one capture through at a time.
///
/// A test that blocks its thread may block the pool that async callers need to continue. So
/// the turn is not handed over: a caller that is woken tries to take it, and a blocked caller may
/// take it first. An async caller that fails to take the turn stays first among the async callers.
final class Gate: @unchecked Sendable {
  private let condition = NSCondition()
  private var isTaken = false
  private var waiting: [CheckedContinuation<Bool, Never>] = []

  /// Returns when the caller has the turn.
  func enter() async {
    var hasWaited = false
    while true {
      let isEntered = await withCheckedContinuation { continuation in
        if enter(or: continuation, asFirst: hasWaited) { continuation.resume(returning: true) }
      }
      if isEntered { return }
      hasWaited = true
    }
  }

  private func enter(or continuation: CheckedContinuation<Bool, Never>, asFirst: Bool) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    guard isTaken else {
      isTaken = true
      return true
    }
    waiting.insert(continuation, at: asFirst ? 0 : waiting.count)
    return false
  }

  /// Blocks the calling thread until it has the turn.
  func enterBlocking() {
    condition.lock()
    while isTaken { condition.wait() }
    isTaken = true
    condition.unlock()
  }

  /// - Returns: Whether the caller has the turn.
  func enterAtOnce() -> Bool {
    condition.lock()
    defer {
      isTaken = true
      condition.unlock()
    }
    return !isTaken
  }

  func leave() {
    condition.lock()
    isTaken = false
    let next = waiting.isEmpty ? nil : waiting.removeFirst()
    condition.signal()
    condition.unlock()
    next?.resume(returning: false)
  }
}
