public import CurfewEngine

/// The counts of a device's activity since it was created.
public struct DeviceCounts: Hashable, Sendable {
  /// Events that the engine has received: actions of the user and the system, calls of apps,
  /// and returns of their handlers.
  public internal(set) var events = 0
  /// Expiration handlers that the device has decided to call. The cancellation of a job's body is
  /// such a handler: at the job's warning, or at the end of a grant without a warning.
  public internal(set) var expirations = 0
  /// Expiration handlers that were called.
  public internal(set) var handlersCalled = 0
  /// Expiration handlers that the device had decided to call but did not call, because the task
  /// or its process ended first.
  public internal(set) var skippedHandlers = 0
  /// Processes that have ended.
  public private(set) var processEnds = 0
  /// Processes that have ended, by reason.
  private var ends = SIMD32<Int>()

  // The jobs of `Device.withGrant`.

  /// Jobs that received a grant: the sum of `jobsFinished`, `jobsExpired`, `jobsRevoked`
  /// and `jobsRunning`.
  public internal(set) var jobsAdmitted = 0
  /// Jobs that were denied a grant. `jobsDenied(for:)` counts them by reason.
  public private(set) var jobsDenied = 0
  /// Jobs whose bodies finished before their grants ended, with a value or an error.
  public internal(set) var jobsFinished = 0
  /// Jobs that were warned before the end of their grants.
  public internal(set) var jobsWarned = 0
  /// Jobs whose bodies had not finished when their grants ended: each call threw
  /// a `GrantExpiredError`.
  public internal(set) var jobsExpired = 0
  /// Bodies that have finished after the end of their grants. `jobsExpired - jobsOutlived` bodies
  /// are still running without a grant.
  public internal(set) var jobsOutlived = 0
  /// Jobs whose grants were revoked, because the device was closed or restarted.
  public internal(set) var jobsRevoked = 0
  private var denials: [String: Int] = [:]

  /// Jobs that hold a grant now.
  public var jobsRunning: Int { jobsAdmitted - jobsFinished - jobsExpired - jobsRevoked }

  /// All counts zero.
  public init() {}

  /// The number of processes that have ended for this reason.
  /// - Complexity: O(1).
  public func processEnds(for reason: TerminationReason) -> Int { ends[Int(reason.rawValue)] }

  /// The number of jobs that were denied for this reason, as `GrantDeniedError.reason` states it:
  /// `draining`.
  /// - Complexity: O(1).
  public func jobsDenied(for reason: String) -> Int { denials[reason] ?? 0 }

  /// The reasons for which jobs were denied, in alphabetical order.
  public var jobDenialReasons: [String] { denials.keys.sorted() }

  mutating func countDenial(_ reason: String) {
    jobsDenied += 1
    denials[reason, default: 0] += 1
  }

  mutating func countEnd(_ reason: TerminationReason) {
    processEnds += 1
    ends[Int(reason.rawValue)] += 1
  }
}
