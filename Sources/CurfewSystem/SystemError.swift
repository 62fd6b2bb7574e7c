import Foundation

/// What the system said no to.
package struct SystemError: Error, CustomStringConvertible {
  /// As `errno` has it.
  package let code: Int32
  /// `write it`
  package let attempt: String

  init(code: Int32 = errno, attempt: String) { (self.code, self.attempt) = (code, attempt) }

  package var description: String { "cannot \(attempt): \(String(cString: strerror(code)))" }

  /// Whether it is a reader that has gone away, such as `head` or a pager, and no failure.
  package var isReaderGone: Bool { code == EPIPE || code == ECONNRESET }

  /// Whether there is no such descriptor.
  package var isClosed: Bool { code == EBADF }
}
