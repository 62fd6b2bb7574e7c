import CurfewSystem
public import CurfewTrace

/// Writes a recording to a file, a write for each step.
///
/// So whatever ends the program, the file has whole steps and at most one torn line. If a write
/// fails (the disk is full), the file ends with the last whole step.
public final class FileSink: TraceSink, @unchecked Sendable {
  /// The moments at which written bytes are forced to the disk.
  public enum Sync: Hashable, Sendable {
    /// Never: written steps outlive the program, but not a failure of the system.
    case never
    /// After every write. A step costs as much as the disk takes, often milliseconds.
    case everyStep
  }

  /// The path of the file.
  public let path: String
  private let sync: Sync
  /// Whether the file is one that others know.
  private let isContinued: Bool
  private let lock = Lock()
  // The lock guards all properties below.
  private let descriptor: Descriptor
  private var isOpen = true

  /// Creates the file, or empties it.
  /// - Throws: A `FileSinkError` if the file cannot be opened for writing.
  public init(_ path: String, sync: Sync = .never) throws(FileSinkError) {
    do { descriptor = try Descriptor(path: path) } catch {
      throw FileSinkError(path: path, error)
    }
    (self.path, self.sync, isContinued) = (path, sync, false)
  }

  /// Opens a file whose first `length` bytes stay. The rest, such as a torn line, is cut off.
  /// A write fails if another program has changed the length of the file meanwhile.
  /// - Throws: A `FileSinkError` if the file cannot be opened for writing, or is shorter.
  public init(_ path: String, continuingAt length: Int, sync: Sync = .never)
    throws(FileSinkError)
  {
    precondition(length >= 0, "A file continues at a negative length: \(length)")
    do { descriptor = try Descriptor(path: path, continuingAt: length) } catch {
      throw FileSinkError(path: path, error)
    }
    (self.path, self.sync, isContinued) = (path, sync, true)
  }

  deinit { try? close() }

  /// Appends whole steps with one write.
  /// - Throws: A `FileSinkError`. After a failed write nothing of the steps stays in a regular
  ///   file. Steps that cannot be forced to the disk stay, unless the system fails.
  public func write(_ steps: [UInt8]) throws(FileSinkError) {
    lock.lock()
    defer { lock.unlock() }
    guard isOpen else { throw FileSinkError(path: path, .closed) }
    if isContinued {
      do { try descriptor.checkEnd() } catch { throw FileSinkError(path: path, error) }
    }
    if let failure = descriptor.write(steps) {
      descriptor.takeBack(failure.written)
      throw FileSinkError(path: path, failure.error)
    }
    guard sync == .everyStep else { return }
    do { try descriptor.sync() } catch { throw FileSinkError(path: path, error) }
  }

  /// Closes the file. A recording that goes on fails at its next step. Closing a closed file
  /// has no effect.
  /// - Throws: A `FileSinkError` if the system reports that written bytes are lost.
  public func close() throws(FileSinkError) {
    lock.lock()
    defer { lock.unlock() }
    guard isOpen else { return }
    isOpen = false
    do { try descriptor.close() } catch { throw FileSinkError(path: path, error) }
  }
}

/// The reason why a recording could not be written to its file.
public struct FileSinkError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The path of the file.
  public let path: String
  /// The system's error number, as in `errno`.
  public let code: Int32
  /// `run.jsonl: cannot write it: No space left on device`.
  public let description: String

  init(path: String, _ error: SystemError) {
    (self.path, code, description) = (path, error.code, "\(path): \(error)")
  }
}
