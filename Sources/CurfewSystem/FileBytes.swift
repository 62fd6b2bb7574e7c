import Foundation

/// The only place that reads files: open(2), fstat(2), read(2).
///
/// Foundation's `Data(contentsOf:)` reads a whole file of any size, and does not say why
/// a read failed.
package enum FileBytes {
  /// The reason why a file's bytes cannot be read.
  package enum Failure: Error {
    /// The file has more bytes than the limit; none were kept.
    case overLimit
    /// The system's error, in words.
    case failed(String)
    /// A signal asked the run to end while the read was waiting.
    case interrupted
  }

  /// All bytes of the file at `path`, at most `limit`. A pipe or a terminal is read to its end;
  /// the call waits for the bytes.
  package static func read(_ path: String, limit: Int) throws(Failure) -> [UInt8] {
    guard !path.utf8.contains(0) else { throw .failed(missing) }
    return try read(Array(path.utf8CString), limit: limit)
  }

  /// The same for a path that need not be UTF-8, ended by 0.
  package static func read(_ path: [CChar], limit: Int) throws(Failure) -> [UInt8] {
    let (descriptor, size) = try openFile(path)
    defer { close(descriptor) }
    guard size <= limit else { throw .overLimit }
    return try drain(descriptor, limit: limit)
  }

  /// Opens `path` for reading. Uses O_NONBLOCK because open(2) would otherwise wait until a pipe
  /// has a writer, and a signal would not end that wait.
  fileprivate static func openFile(_ path: [CChar]) throws(Failure) -> (
    descriptor: Int32, size: Int
  ) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { throw .failed(reason(errno)) }
    var status = stat()
    let refusal: String? =
      if fstat(descriptor, &status) != 0 {
        reason(errno)
      } else if status.st_mode & S_IFMT == S_IFDIR {
        "it is a directory, not a file"
      } else {
        nil
      }
    guard let refusal else {
      return (descriptor, status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : 0)
    }
    close(descriptor)
    throw .failed(refusal)
  }

  /// The bytes of standard input until its end, at most `limit`.
  package static func readStandardInput(limit: Int) throws(Failure) -> [UInt8] {
    try drain(STDIN_FILENO, limit: limit)
  }

  /// The real path of the file at `path`, so that two names of one file compare equal; `path`
  /// itself if there is no such file, or if the real path is not UTF-8.
  package static func identity(of path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(validatingCString: resolved) ?? path
  }

  /// Removes the file at `path`, or the one to which a link there leads.
  package static func remove(_ path: String) {
    guard let resolved = realpath(path, nil) else { return }
    unlink(resolved)
    free(resolved)
  }

  private static func drain(_ descriptor: Int32, limit: Int) throws(Failure) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = try readSome(descriptor, into: &chunk)
      if count == 0 { return bytes }
      guard bytes.count + count <= limit else { throw .overLimit }
      bytes += chunk[..<count]
    }
  }

  /// The interval, in milliseconds, at which a waiting read checks for an interrupt. A signal may
  /// arrive just before the wait, or on another thread.
  private static let patience: Int32 = 100

  /// Reads the available bytes, at most the size of `piece`; returns 0 at the end. A signal
  /// interrupts the wait for a writer, including the first writer.
  fileprivate static func readSome(_ descriptor: Int32, into piece: inout [UInt8]) throws(Failure)
    -> Int
  {
    while true {
      if Interrupt().isRequested { throw .interrupted }
      var question = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let answers = poll(&question, 1, patience)
      if answers == 0 || answers < 0 && errno == EINTR { continue }
      let count = Foundation.read(descriptor, &piece, piece.count)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count >= 0 else { throw .failed(reason(errno)) }
      return count
    }
  }

  package static let missing = "no such file"

  private static func reason(_ code: Int32) -> String {
    switch code {
    case ENOENT: missing
    case ENXIO: "it is a socket, or a device that does not exist"
    case EISDIR: "it is a directory, not a file"
    case EACCES: "the file cannot be read: permission denied"
    default: "the file cannot be read: \(String(cString: strerror(code)).lowercased())"
    }
  }
}

/// Reads a file piece by piece, so that a file of any size needs the memory of one piece only.
package final class FilePieces {
  private let descriptor: Int32
  private let isOurs: Bool
  private var piece = [UInt8](repeating: 0, count: 256 << 10)

  /// Opens the file at `path`.
  package init(_ path: String) throws(FileBytes.Failure) {
    guard !path.utf8.contains(0) else { throw .failed(FileBytes.missing) }
    (descriptor, isOurs) = (try FileBytes.openFile(Array(path.utf8CString)).descriptor, true)
  }

  /// Standard input.
  package init() { (descriptor, isOurs) = (STDIN_FILENO, false) }

  deinit { if isOurs { close(descriptor) } }

  /// The next bytes; empty at the end. Waits for the writer of a pipe.
  package func next() throws(FileBytes.Failure) -> ArraySlice<UInt8> {
    piece[..<(try FileBytes.readSome(descriptor, into: &piece))]
  }
}
