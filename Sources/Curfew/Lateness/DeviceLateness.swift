internal import CurfewEngine

/// The lateness of a device in real time since it was created, and the warnings that were missed
/// because of it. On a virtual clock, which is never late, all values are zero.
public struct DeviceLateness: Hashable, Sendable {
  /// The time from the instant at which a warning was due to the device's decision: one entry for
  /// each expiration handler of a task or wake that could be called at once, including handlers
  /// of a device-wide `expireTasks`. If the app was busy when its warning was due, there is no
  /// entry; `firstLines` then includes the time that the app took.
  public internal(set) var warnings = LatenessHistogram()
  /// The time from the instant at which an expiration handler was due to its first line. It
  /// includes the delays of the device, of the thread that called the handler, and of the app if it
  /// was busy.
  public internal(set) var firstLines = LatenessHistogram()
  /// Expiration handlers that were never called, because their process had ended. A handler counts
  /// if the device had decided to call it, or if it was due when the grant ended. It does not count
  /// if it was waiting behind other callbacks of its app when the process ended for another reason.
  public internal(set) var missedHandlers = 0
  /// Processes that have ended, and whose warning was decided only after their time was
  /// over (`ProcessEnd.late`).
  public internal(set) var lateWarnedEnds = 0

  /// All values zero.
  public init() {}
}

extension Device {
  /// The lateness so far.
  /// - Complexity: O(buckets): at most about 2,000 are copied.
  public var lateness: DeviceLateness { core.withState { $0.lateness?.copy ?? DeviceLateness() } }
}

extension DeviceLateness {
  /// A copy that shares no storage.
  fileprivate var copy: DeviceLateness {
    var copy = self
    (copy.warnings, copy.firstLines) = (warnings.copy, firstLines.copy)
    return copy
  }
}
