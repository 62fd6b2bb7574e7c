internal import CurfewEngine

/// The lateness of a device in real time since it was created, and the warnings that were missed
/// because of it. On a virtual clock, which is never late, all values are zero.
public struct DeviceLateness: Hashable, Sendable {
  /// The time from the instant at which a warning was due to the device's decision: one entry for
  /// each expiration handler of a task or wake that could be called at once, including handlers
  /// of a device-wide `expireTasks`, and one for each cancellation of a job's body. If the app was
  /// busy when its warning was due, there is no entry; `firstLines` then includes the time that
  /// the app took.
  public internal(set) var warnings = LatenessHistogram()
  /// The time from the instant at which an expiration handler was due to its first line. It
  /// includes the delays of the device, of the thread that called the handler, and of the app if it
  /// was busy.
  public internal(set) var firstLines = LatenessHistogram()
  /// Expiration handlers that were never called, because their process had ended. A handler counts
  /// if the device had decided to call it, or if it was due when the grant ended. It does not count
  /// if it was waiting behind other callbacks of its app when the process ended for another reason.
  public internal(set) var missedHandlers = 0
  /// The ends of grants that jobs outlived.
  public internal(set) var jobEnds = JobEnds()
  /// Processes that have ended, and whose warning was decided only after their time was
  /// over (`ProcessEnd.late`).
  public internal(set) var lateWarnedEnds = 0

  /// All values zero.
  public init() {}

  /// The lateness of the ends of grants, for jobs whose bodies had not finished by then
  /// (`Device.withGrant`), with or without a warning. Both histograms count from the instant at
  /// which the grant was due to end, or, if a budget of the policy ended it, from the decision.
  public struct JobEnds: Hashable, Sendable {
    /// The time until the body was cancelled and the caller received its `GrantExpiredError`: one
    /// entry for each such error, recorded before the error is thrown.
    public internal(set) var cancelled = LatenessHistogram()
    /// The time until the body returned. A body that is still running has no entry.
    public internal(set) var bodyReturned = LatenessHistogram()

    /// No ends.
    package init() {}
  }
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
    copy.jobEnds.cancelled = jobEnds.cancelled.copy
    copy.jobEnds.bodyReturned = jobEnds.bodyReturned.copy
    return copy
  }
}
