internal import Foundation

/// Lets one capture through at a time.
///
/// Blocked tests may occupy every thread of the pool, and an async caller cannot continue without
/// one. The turn is therefore not assigned to the next caller: a caller that is woken tries to take
/// it, and a blocked caller may take it first. An async caller that fails to take the turn stays
/// first among the async callers.
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
