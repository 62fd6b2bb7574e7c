import Foundation

/// A descriptor that is written to, beside `FileBytes`, which reads.
package struct Descriptor: Equatable, Sendable {
  private let number: Int32

  package static let standardOutput = Descriptor(number: STDOUT_FILENO)
  package static let standardError = Descriptor(number: STDERR_FILENO)

  private init(number: Int32) { self.number = number }

  /// Makes the file at `path`, or empties it.
  package init(path: String) throws(SystemError) {
    // One file opened twice is written over by itself: standard output's own place in it has
    // to be shared.
    number =
      Descriptor.isSameFile(path, "/dev/stdout")
      ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0) : Descriptor.openForWriting(path)
    guard number >= 0 else { throw SystemError(attempt: "open it for writing") }
  }

  /// A pipe's reader is waited for; a signal is heard meanwhile.
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

  /// Whether a person sees what is written there as it comes.
  package var isTerminal: Bool { isatty(number) != 0 }

  /// How many columns a terminal has; nil for anything else, and for one that does not say.
  package var columns: Int? {
    var size = winsize()
    guard isTerminal, ioctl(number, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
      return nil
    }
    return Int(size.ws_col)
  }

  /// Writes all of it, waiting where nobody reads yet; nil, or the system's error and how much was
  /// written before.
  package func write(_ bytes: [UInt8]) -> (error: SystemError, written: Int)? {
    var done = 0
    while done < bytes.count {
      let written = bytes[done...].withUnsafeBytes {
        Foundation.write(number, $0.baseAddress, $0.count)
      }
      if written > 0 {
        done += written
      } else if written < 0, errno == EAGAIN {
        // Somebody who shares the descriptor does not want to wait; this does.
        var question = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
        _ = poll(&question, 1, -1)
      } else if written == 0 || errno != EINTR {
        return (SystemError(code: written == 0 ? EIO : errno, attempt: "write it"), done)
      }
    }
    return nil
  }

  /// Throws if whoever read this has gone, although there is nothing to write.
  package func lookForReader() throws(SystemError) {
    var question = pollfd(fd: number, events: 0, revents: 0)
    // Of a pipe without a reader Linux says error, and others say that it was hung up.
    if poll(&question, 1, 0) > 0, question.revents & Int16(POLLERR | POLLHUP) != 0 {
      throw SystemError(code: EPIPE, attempt: "write it")
    }
  }

  /// Takes back the last bytes that were written, where that is the end of a file.
  package func takeBack(_ count: Int) {
    var status = stat()
    let end = lseek(number, 0, SEEK_CUR)
    guard fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size == end
    else { return }
    _ = ftruncate(number, end - off_t(count))
  }

  /// Whether two paths lead to one file that holds something: not to a terminal, or to `/dev/null`.
  package static func isSameFile(_ a: String, _ b: String) -> Bool {
    var (first, second) = (stat(), stat())
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_mode & S_IFMT == S_IFREG
      && first.st_dev == second.st_dev
      && first.st_ino == second.st_ino
  }
}

// MARK: All of a process's

extension Descriptor {
  /// Occupies those of standard input, output and error that the program was started without, as
  /// by `curfew simulate >&-`: so that no file that is opened later becomes standard output and has
  /// the report written into it.
  ///
  /// By `/dev/null`, the wrong way round: who reads or writes there is told that it cannot be done,
  /// as without it.
  package static func occupyClosed() {
    for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(number, F_GETFD) < 0 {
      // The lowest free number is the one that is given.
      _ = open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// Throws if so many more cannot be opened.
  package static func check(spare count: Int) throws(SystemError) {
    let numbers = (0..<count).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }
    let code = errno
    for number in numbers where number >= 0 { _ = Foundation.close(number) }
    if numbers.contains(where: { $0 < 0 }) {
      throw SystemError(code: code, attempt: "open \(count) descriptors more")
    }
  }
}
