import CLibuv
import CurfewSystem

/// A failed call to libuv or to the system, for instance because descriptors or threads ran out.
public struct UVError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The error number, as in `errno`.
  public let code: Int32
  /// The attempted operation: `create a timerfd`.
  public let attempt: String

  /// Converts an answer of libuv, which is a negated error number.
  init(answer: Int32, attempt: String) {
    code = -answer
    self.attempt = attempt
  }

  /// A sentence without a full stop.
  public var description: String { "could not \(attempt): \(String(cString: uv_strerror(-code)))" }
}

#if os(Linux)
  extension TimerDescriptor {
    init(_ source: UVClock.Source) throws(UVError) {
      do { try self.init(on: source.clock) } catch {
        throw UVError(answer: -error.code, attempt: error.attempt)
      }
    }
  }
#endif

/// Stops the program if libuv's answer can only mean a mistake in this module.
func require(_ answer: Int32, _ attempt: String) {
  precondition(answer == 0, "\(UVError(answer: answer, attempt: attempt))")
}

extension UVError {
  /// The error for `.timerfd` on a system without `timerfd`.
  static var noTimerDescriptor: UVError {
    UVError(answer: Int32(UV_ENOSYS.rawValue), attempt: "create a timerfd")
  }

  /// Whether the system does not support the call, as opposed to a lack of resources.
  var isMissingFeature: Bool {
    [UV_ENOSYS, UV_EINVAL, UV_ENODEV].contains { Int32($0.rawValue) == -code }
  }
}
