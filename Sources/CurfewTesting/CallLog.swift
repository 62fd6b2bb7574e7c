import Foundation
import Testing

/// The calls of captured work that have not returned, for the report about a test that hangs. May
/// be used from any thread.
final class CallLog: @unchecked Sendable {
  private let test: String?
  private let lock = NSLock()
  private var calls: [String] = []

  init(test: Test?) {
    self.test = test.map {
      "in the test \($0.name) at \($0.sourceLocation.fileID):\($0.sourceLocation.line)"
    }
  }

  /// Runs `body`, and lists `call` until `body` returns.
  func during<Result>(_ call: String, _ body: () throws -> Result) rethrows -> Result {
    lock.withLock { calls.append(call) }
    // A call that waits may outlast later calls.
    defer { lock.withLock { _ = calls.lastIndex(of: call).map { calls.remove(at: $0) } } }
    return try body()
  }

  /// The test, then the calls that have not returned, innermost last.
  var lines: [String] { lock.withLock { [test].compactMap(\.self) + calls } }
}
