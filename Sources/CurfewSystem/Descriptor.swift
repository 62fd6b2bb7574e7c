import Foundation

/// A descriptor for writing; `FileBytes` reads.
package struct Descriptor: Equatable, Sendable {
  private let number: Int32

  package static let standardOutput = Descriptor(number: STDOUT_FILENO)
  package static let standardError = Descriptor(number: STDERR_FILENO)

  private init(number: Int32) { self.number = number }

  /// Creates the file at `path`, or empties it.
  package init(path: String) throws(SystemError) {
    // If the file of standard output were opened a second time, the two descriptors would overwrite
    // each other's output: they have to share an offset.
    number =
      Descriptor.isSameFile(path, "/dev/stdout")
      ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0) : Descriptor.openForWriting(path)
    guard number >= 0 else { throw SystemError(attempt: "open it for writing") }
  }

  /// Opens the regular file at `path`, cuts it to `length` bytes, and writes behind them.
  package init(path: String, continuingAt length: Int) throws(SystemError) {
    number = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
    guard number >= 0 else { throw SystemError(attempt: "open it for writing") }
    var status = stat()
    let isLong = fstat(number, &status) == 0 && status.st_size >= off_t(length)
    guard isLong, ftruncate(number, off_t(length)) == 0, lseek(number, 0, SEEK_END) >= 0 else {
      let code = isLong ? errno : EINVAL
      _ = Foundation.close(number)
      throw SystemError(code: code, attempt: "continue it at byte \(length)")
    }
  }

  /// Throws if the file at `path` cannot be written. Its content stays, and a file that did not
  /// exist is removed again. A pipe is not opened, because its reader would see an end. A device
  /// gets a line break, because `/dev/full` refuses only bytes.
  package static func check(writable path: String) throws(SystemError) {
    if isPipe(path) {
      guard access(path, W_OK) == 0 else { throw SystemError(attempt: "open it for writing") }
      return
    }
    var status = stat()
    let isNew = stat(path, &status) != 0
    let number = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0o644)
    guard number >= 0 else { throw SystemError(attempt: "open it for writing") }
    defer { _ = Foundation.close(number) }
    if isNew {
      // The path may be a link to a file that did not exist.
      FileBytes.remove(path)
    } else if status.st_mode & S_IFMT == S_IFCHR, isatty(number) == 0,
      let (error, _) = Descriptor(number: number).write([UInt8(ascii: "\n")])
    {
      throw error
    }
  }

  /// Waits until a pipe has a reader; a signal interrupts the wait.
  private static func openForWriting(_ path: String) -> Int32 {
    while true {
      let number = open(
        path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0o644)
      if number >= 0 {
        _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) & ~O_NONBLOCK)
        return number
      }
      guard errno == ENXIO || errno == EINTR, !Interrupt().isRequested, isPipe(path) else {
        return number
      }
      usleep(20_000)
    }
  }

  private static func isPipe(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
  }

  package func close() throws(SystemError) {
    guard Foundation.close(number) == 0 else { throw SystemError(attempt: "close it") }
  }

  /// Whether the descriptor is a terminal, on which a person sees the output as it appears.
  package var isTerminal: Bool { isatty(number) != 0 }

  /// The width of a terminal in columns; nil for anything else, and for a terminal that does
  /// not report one.
  package var columns: Int? {
    var size = winsize()
    guard isTerminal, ioctl(number, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
      return nil
    }
    return Int(size.ws_col)
  }

  /// Writes all bytes, and waits if the reader is slow. Returns nil, or the system's error and the
  /// number of bytes written before the error.
  package func write(_ bytes: [UInt8]) -> (error: SystemError, written: Int)? {
    var done = 0
    while done < bytes.count {
      let written = bytes[done...].withUnsafeBytes {
        Foundation.write(number, $0.baseAddress, $0.count)
      }
      if written > 0 {
        done += written
      } else if written < 0, errno == EAGAIN {
        // Another process that shares the descriptor has set O_NONBLOCK; this process waits.
        var question = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
        _ = poll(&question, 1, -1)
      } else if written == 0 || errno != EINTR {
        return (SystemError(code: written == 0 ? EIO : errno, attempt: "write it"), done)
      }
    }
    return nil
  }

  /// Forces written bytes to the disk. A pipe or a terminal has no disk.
  package func sync() throws(SystemError) {
    #if os(Linux)
      let isDone = fdatasync(number) == 0
    #else
      let isDone = fsync(number) == 0
    #endif
    guard isDone || errno == EINVAL || errno == ENOTSUP else {
      throw SystemError(attempt: "force it to the disk")
    }
  }

  /// Throws if the reader has gone, even if there is nothing to write.
  package func lookForReader() throws(SystemError) {
    var question = pollfd(fd: number, events: 0, revents: 0)
    // For a pipe without a reader, Linux reports POLLERR, other systems POLLHUP.
    if poll(&question, 1, 0) > 0, question.revents & Int16(POLLERR | POLLHUP) != 0 {
      throw SystemError(code: EPIPE, attempt: "write it")
    }
  }

  /// Empties a regular file, unless it is that of a standard stream, which others write too.
  package func empty() {
    var file = stat()
    guard fstat(number, &file) == 0, file.st_mode & S_IFMT == S_IFREG else { return }
    if Descriptor.stream(of: file) == nil, ftruncate(number, 0) == 0 { lseek(number, 0, SEEK_SET) }
  }

  /// The standard stream that has the regular file at `path`: `standard input`; nil for none.
  package static func stream(at path: String) -> String? {
    var file = stat()
    guard stat(path, &file) == 0, file.st_mode & S_IFMT == S_IFREG else { return nil }
    return stream(of: file)
  }

  private static func stream(of file: stat) -> String? {
    let names = ["standard input", "standard output", "standard error"]
    return zip([STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO], names).first { number, _ in
      var stream = stat()
      return fstat(number, &stream) == 0 && stream.st_dev == file.st_dev
        && stream.st_ino == file.st_ino
    }?.1
  }

  /// Throws if a regular file does not end at the next byte to write. Another program has cut or
  /// extended it, and a write would leave a hole, or overwrite.
  package func checkEnd() throws(SystemError) {
    var status = stat()
    let next = lseek(number, 0, SEEK_CUR)
    guard fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size != next
    else { return }
    throw SystemError(
      code: EINVAL, attempt: "continue it at byte \(next), because it has another length now")
  }

  /// Removes the last `count` bytes that were written, if they are at the end of a file.
  package func takeBack(_ count: Int) {
    var status = stat()
    let end = lseek(number, 0, SEEK_CUR)
    guard fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size == end
    else { return }
    _ = ftruncate(number, end - off_t(count))
  }

  /// Whether two paths lead to the same regular file. A terminal and `/dev/null` are not
  /// regular files.
  package static func isSameFile(_ a: String, _ b: String) -> Bool {
    var (first, second) = (stat(), stat())
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_mode & S_IFMT == S_IFREG
      && first.st_dev == second.st_dev
      && first.st_ino == second.st_ino
  }
}

// MARK: All descriptors of a process

extension Descriptor {
  /// Opens `/dev/null` in place of each standard descriptor (input, output or error) that was
  /// closed when the program started, for instance by `curfew simulate >&-`. Otherwise a file that
  /// is opened later could become standard output, and the report would be written into it.
  ///
  /// `/dev/null` is opened in the opposite direction, so reading or writing fails, as with
  /// a closed descriptor.
  package static func occupyClosed() {
    for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(number, F_GETFD) < 0 {
      // open(2) returns the lowest free number.
      _ = open("/dev/null", (number == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC)
    }
  }

  /// Throws if `count` more descriptors cannot be opened.
  package static func check(spare count: Int) throws(SystemError) {
    let numbers = (0..<count).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }
    let code = errno
    for number in numbers where number >= 0 { _ = Foundation.close(number) }
    if numbers.contains(where: { $0 < 0 }) {
      throw SystemError(code: code, attempt: "open \(count) more descriptors")
    }
  }
}
