import Foundation

/// What a command writes its results to, line by line: standard output, or a file that somebody has named.
///
/// It gets whole lines, also where it cannot take all of them. From its first failure on it takes nothing.
final class LineWriter {
  /// What messages call it.
  let name: String
  /// Why it takes nothing more.
  private(set) var loss: OutputLoss?
  private let descriptor: Int32
  private var isOpen = true
  private var pending: [UInt8] = []

  private init(name: String, descriptor: Int32) {
    self.name = name
    self.descriptor = descriptor
  }

  /// Standard output, which is never closed.
  static func standardOutput() -> LineWriter { LineWriter(name: "standard output", descriptor: STDOUT_FILENO) }

  /// Makes the file, or empties it.
  convenience init(path: String) throws(OutputLoss) {
    // One file opened twice is written over by itself: standard output's own place in it has to be shared.
    let descriptor =
      LineWriter.isSameFile(path, "/dev/stdout")
      ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0) : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0o644)
    guard descriptor >= 0 else { throw OutputLoss(name: path, error: SystemError(code: errno, attempt: "open it for writing")) }
    self.init(name: path, descriptor: descriptor)
  }

  /// Adds a line end.
  func write(_ line: String) throws(OutputLoss) {
    pending.append(contentsOf: line.utf8)
    pending.append(UInt8(ascii: "\n"))
    if pending.count >= 1 << 16 { try flush() }
  }

  /// Brings everything to the file.
  func flush() throws(OutputLoss) {
    try check()
    let lines = pending
    pending.removeAll(keepingCapacity: true)
    guard loss == nil, let failure = lines.write(to: descriptor) else { return }
    if failure.written > 0 { dropPartOfLine(lines[..<failure.written]) }
    try lose(failure.code, "write it")
  }

  /// Brings everything to the file and closes it; standard output stays open.
  func close() throws(OutputLoss) {
    guard isOpen else { return }
    isOpen = false
    let flushed = Result { () throws(OutputLoss) in try flush() }
    if descriptor != STDOUT_FILENO, Foundation.close(descriptor) != 0 { try lose(errno, "close it") }
    try flushed.get()
  }

  /// Finds out whether whoever read this has gone, although there is nothing to write.
  func lookForReader() throws(OutputLoss) {
    guard isOpen, loss == nil else { return try check() }
    var question = pollfd(fd: descriptor, events: 0, revents: 0)
    // Of a pipe without a reader Linux says error, and others say that it was hung up.
    if poll(&question, 1, 0) > 0, question.revents & Int16(POLLERR | POLLHUP) != 0 { try lose(EPIPE, "write it") }
  }

  /// Whether it takes nothing more, so that there is no use in going on.
  var isCutOff: Bool { loss?.endsRun ?? false }

  /// Throws if it takes nothing more.
  func check() throws(OutputLoss) {
    if let loss, loss.endsRun { throw loss }
  }

  private func lose(_ code: Int32, _ attempt: String) throws(OutputLoss) {
    loss = loss ?? OutputLoss(name: name, error: SystemError(code: code, attempt: attempt))
    try check()
  }

  /// Takes back the beginning of a line from the end of a file, so that what is left of a trace is a trace.
  private func dropPartOfLine(_ written: ArraySlice<UInt8>) {
    var status = stat()
    let end = lseek(descriptor, 0, SEEK_CUR)
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size == end else { return }
    let lines = written.lastIndex(of: UInt8(ascii: "\n")).map { written.distance(from: written.startIndex, to: $0) + 1 } ?? 0
    _ = ftruncate(descriptor, end - off_t(written.count - lines))
  }

  /// Whether two paths lead to one file that holds something: not to a terminal, or to `/dev/null`.
  static func isSameFile(_ a: String, _ b: String) -> Bool {
    var (first, second) = (stat(), stat())
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_mode & S_IFMT == S_IFREG && first.st_dev == second.st_dev
      && first.st_ino == second.st_ino
  }
}

/// An output that takes nothing more.
struct OutputLoss: Error {
  /// What messages call it.
  let name: String
  let error: SystemError

  /// Whether it is a reader that has gone away, such as `head` or a pager, and no failure.
  var isReaderGone: Bool { error.code == EPIPE || error.code == ECONNRESET }

  /// Whether there is no use in going on. A standard output that was closed when the program started is none: whoever does that wants the other files.
  var endsRun: Bool { error.code != EBADF }
}

/// What the system said no to.
struct SystemError: Error, CustomStringConvertible {
  let code: Int32
  let attempt: String

  var description: String { "cannot \(attempt): \(String(cString: strerror(code)))" }
}

extension [UInt8] {
  /// Writes all of it, waiting where nobody reads yet; nil, or the system's error and how much was written before.
  func write(to descriptor: Int32) -> (code: Int32, written: Int)? {
    var done = 0
    while done < count {
      let written = self[done...].withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if written > 0 {
        done += written
      } else if written < 0, errno == EAGAIN {
        // Somebody who shares the descriptor does not want to wait; this does.
        var question = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&question, 1, -1)
      } else if written == 0 || errno != EINTR {
        return (written == 0 ? EIO : errno, done)
      }
    }
    return nil
  }
}
