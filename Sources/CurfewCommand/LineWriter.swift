import Foundation

/// A text file that is written line by line.
final class LineWriter {
  private let handle: FileHandle
  private var pending = Data()

  /// Makes the file, or empties it.
  init(path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw SystemError(code: errno, attempt: "open it for writing") }
    handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  func write(_ line: String) throws {
    pending.append(contentsOf: line.utf8)
    pending.append(UInt8(ascii: "\n"))
    if pending.count >= 1 << 16 { try flush() }
  }

  /// Brings everything to the file and closes it.
  func close() throws {
    try flush()
    try handle.close()
  }

  private func flush() throws {
    try handle.write(contentsOf: pending)
    pending.removeAll(keepingCapacity: true)
  }

  /// Whether two paths lead to one existing file.
  static func isSameFile(_ a: String, _ b: String) -> Bool {
    var (first, second) = (stat(), stat())
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev && first.st_ino == second.st_ino
  }
}

/// What the system said no to.
struct SystemError: Error, CustomStringConvertible {
  let code: Int32
  let attempt: String

  var description: String { "cannot \(attempt): \(String(cString: strerror(code)))" }
}
