import Foundation

/// A text file that is written line by line.
final class LineWriter {
  private let descriptor: Int32
  private var pending: [UInt8] = []

  /// Makes the file, or empties it.
  init(path: String) throws {
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw SystemError(code: errno, attempt: "open it for writing") }
  }

  func write(_ line: String) throws {
    pending.append(contentsOf: line.utf8)
    pending.append(UInt8(ascii: "\n"))
    if pending.count >= 1 << 16 { try flush() }
  }

  /// Brings everything to the file and closes it.
  func close() throws {
    try flush()
    guard Foundation.close(descriptor) == 0 else { throw SystemError(code: errno, attempt: "close it") }
  }

  private func flush() throws {
    var done = 0
    while done < pending.count {
      let count = pending[done...].withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw SystemError(code: errno, attempt: "write it") }
      done += count
    }
    pending.removeAll(keepingCapacity: true)
  }

  /// Whether two paths lead to one file that holds something: not to a terminal, or to `/dev/null`.
  static func isSameFile(_ a: String, _ b: String) -> Bool {
    var (first, second) = (stat(), stat())
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_mode & S_IFMT == S_IFREG && first.st_dev == second.st_dev
      && first.st_ino == second.st_ino
  }
}

/// What the system said no to.
struct SystemError: Error, CustomStringConvertible {
  let code: Int32
  let attempt: String

  var description: String { "cannot \(attempt): \(String(cString: strerror(code)))" }
}
