import Foundation

/// Events with their virtual nanoseconds.
final class Log: @unchecked Sendable {
  private let lock = NSLock()
  private var lines: [String] = []
  /// The instant that counts as 0.
  private let start = ContinuousClock.now

  func callAsFunction(_ line: String) {
    let (seconds, attoseconds) = start.duration(to: .now).components
    lock.withLock {
      lines.append("\(seconds * 1_000_000_000 + attoseconds / 1_000_000_000) \(line)")
    }
  }

  var text: [String] { lock.withLock { lines } }
}

/// A named object that owns work.
final class Owner: Sendable {
  let name: String
  init(_ name: String) { self.name = name }
}

enum Local {
  @TaskLocal static var name = "none"
}

struct Broken: Error {}
