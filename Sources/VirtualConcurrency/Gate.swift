internal import Foundation

/// Lets one capture at a time through.
///
/// A test that waits with its thread may hold up the pool on which those that await their turn
/// would go on. So nobody is handed the turn: whoever is woken takes it, and those who wait with
/// their threads may be first. Among those who await it the first stays the first.
final class Gate: @unchecked Sendable {
  private let condition = NSCondition()
  private var isTaken = false
  private var waiting: [CheckedContinuation<Bool, Never>] = []

  /// Comes back when the caller has the turn.
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

  /// Waits with the calling thread.
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
