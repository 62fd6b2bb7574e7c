import Foundation

/// A fake like those in SDKs: numbers, and handlers that only a test calls.
final class Fake: @unchecked Sendable {
  private let lock = NSLock()
  private var tasks: [Int: (name: String?, handler: (@Sendable () -> Void)?)] = [:]
  private var last = 0

  func beginBackgroundTask(withName name: String?, expirationHandler: (@Sendable () -> Void)?)
    -> Int
  {
    lock.withLock {
      last += 1
      tasks[last] = (name, expirationHandler)
      return last
    }
  }

  func endBackgroundTask(_ task: Int) { _ = lock.withLock { tasks.removeValue(forKey: task) } }

  func run(_ pairs: Int, name: String?, handler: (@Sendable () -> Void)?) {
    for _ in 0..<pairs {
      endBackgroundTask(beginBackgroundTask(withName: name, expirationHandler: handler))
    }
    guard lock.withLock({ tasks.isEmpty }) else { fatalError("not all were ended") }
  }
}
