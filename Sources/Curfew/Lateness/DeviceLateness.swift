internal import CurfewEngine

/// The lateness of a device in real time since it was created, and the warnings that were missed
/// for it. On a virtual clock, which is never late, all values are zero.
public struct DeviceLateness: Hashable, Sendable {
  /// From the instant at which a warning was due to the device's decision: one entry for each
  /// expiration handler of a task or wake that could be called at once, those of a device-wide
  /// `expireTasks` included. If the app was busy when its warning was due, there is no entry here;
  /// `firstLines` then includes the time that the app took.
  public internal(set) var warnings = LatenessHistogram()
  /// From the instant at which an expiration handler was due to its first line. Includes the delay
  /// of the device, of the thread that called it, and of its app if that was busy.
  public internal(set) var firstLines = LatenessHistogram()
  /// Expiration handlers that were to be called, or were due when their grant ended, and never
  /// were, because their process had ended. A handler that still waits behind other callbacks
  /// of its app when the process ends for another reason is not counted.
  public internal(set) var missedHandlers = 0
  /// Processes that have ended and whose warning was decided only after their time was
  /// over (`ProcessEnd.late`).
  public internal(set) var lateWarnedEnds = 0

  /// All values zero.
  public init() {}
}

extension Device {
  /// The lateness so far.
  /// - Complexity: O(buckets): at most some two thousand are copied.
  public var lateness: DeviceLateness { core.withState { $0.lateness?.copy ?? DeviceLateness() } }
}

extension DeviceLateness {
  /// A copy with storage of its own.
  fileprivate var copy: DeviceLateness {
    var copy = self
    (copy.warnings, copy.firstLines) = (warnings.copy, firstLines.copy)
    return copy
  }
}
