import CLibuv
import CurfewSystem

/// A call to libuv or to the system that failed: out of descriptors, out of threads.
public struct UVFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The error number, as `errno` has it.
  public let code: Int32
  /// What was attempted: `make a timerfd`.
  public let attempt: String

  /// From an answer of libuv's, which is an error number with its sign turned.
  init(answer: Int32, attempt: String) {
    code = -answer
    self.attempt = attempt
  }

  /// What happened, in a sentence without a full stop.
  public var description: String { "could not \(attempt): \(String(cString: uv_strerror(-code)))" }
}

#if os(Linux)
  extension TimerDescriptor {
    init(_ source: UVClock.Source) throws(UVFailure) {
      do { try self.init(on: source.clock) } catch {
        throw UVFailure(answer: -error.code, attempt: error.attempt)
      }
    }
  }
#endif

/// Ends the program where an answer of libuv's can only mean a mistake in this module.
func require(_ answer: Int32, _ attempt: String) {
  precondition(answer == 0, "\(UVFailure(answer: answer, attempt: attempt))")
}

extension UVFailure {
  /// What a system without `timerfd` says to one who insists.
  static var noTimerDescriptor: UVFailure {
    UVFailure(answer: Int32(UV_ENOSYS.rawValue), attempt: "make a timerfd")
  }

  /// Whether the system does not know what was asked of it, rather than lack the means.
  var isMissingFeature: Bool {
    [UV_ENOSYS, UV_EINVAL, UV_ENODEV].contains { Int32($0.rawValue) == -code }
  }
}
