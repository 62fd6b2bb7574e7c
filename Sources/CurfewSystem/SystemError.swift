import Foundation

/// A failed call to the system.
package struct SystemError: Error, CustomStringConvertible {
  /// The error number, as in `errno`.
  package let code: Int32
  /// The attempted operation: `write it`.
  package let attempt: String

  package init(code: Int32 = errno, attempt: String) { (self.code, self.attempt) = (code, attempt) }

  /// The failure of a write to a descriptor that is closed.
  package static var closed: SystemError { SystemError(code: EBADF, attempt: "write it") }

  package var description: String { "cannot \(attempt): \(String(cString: strerror(code)))" }

  /// Whether the reader, such as `head` or a pager, has gone away. This is not a failure.
  package var isReaderGone: Bool { code == EPIPE || code == ECONNRESET }

  /// Whether there are too many descriptors, in this process or in the system.
  package var isOfDescriptors: Bool { code == EMFILE || code == ENFILE }

  /// Whether the system, or a limit, has too few descriptors, processes or memory.
  package var isOfResources: Bool { isOfDescriptors || code == EAGAIN || code == ENOMEM }

  /// Whether the descriptor does not exist.
  package var isClosed: Bool { code == EBADF }
}
