internal import CurfewEngine

/// How late a device in real time has been since it was made, and whom that has cost a warning. On
/// a virtual clock, which is never late, all of it is zero.
public struct DeviceLateness: Hashable, Sendable {
  /// From when a warning was due until the device had decided it: one for each task's and each
  /// wake's expiration handler that was to be called at once, those of a device-wide `expireTasks`
  /// among them. An app that was busy when its warning was due has none here, and in `firstLines`
  /// the time that it took as well.
  public internal(set) var warnings = LatenessHistogram()
  /// From when an expiration handler was due until its first line: that of the device, of the
  /// thread that called it, and of its app, where that was busy.
  public internal(set) var firstLines = LatenessHistogram()
  /// Expiration handlers that were to be called, or were due when their grant ended, and never
  /// were, because their process had ended. One that waits behind what else its app is doing when
  /// the process ends for another reason is not among them.
  public internal(set) var missedHandlers = 0
  /// Processes that have ended and whose warning was decided when their time was
  /// over (`ProcessEnd.late`).
  public internal(set) var endsWarnedTooLate = 0

  /// Nothing has been late.
  public init() {}
}

extension Device {
  /// How late it has been so far.
  /// - Complexity: O(buckets): some two thousand at most are copied.
  public var lateness: DeviceLateness { core.withState { $0.lateness?.copy ?? DeviceLateness() } }
}

extension DeviceLateness {
  /// The same in storage of its own.
  fileprivate var copy: DeviceLateness {
    var copy = self
    (copy.warnings, copy.firstLines) = (warnings.copy, firstLines.copy)
    return copy
  }
}
