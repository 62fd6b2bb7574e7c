public import CurfewEngine

/// A job that `Device.withGrant` gave a grant.
public struct GrantedJob: Hashable, Sendable {
  /// The job's name.
  public let name: String
  /// The name of the app that the job runs as; traces use this name.
  public let app: String
  /// The length of the grant.
  public let grant: Duration
  /// The place that began the job.
  public let origin: CallSite
  /// The instant at which the grant began.
  public let began: Instant
  /// The instant at which the grant ended before the job had finished; nil if it did not.
  public internal(set) var expired: Instant?
  /// The instant at which the body finished after the end of the grant; nil while it is
  /// still running.
  public internal(set) var ended: Instant?
}

/// The end of a grant whose job has not finished. The body has been cancelled but continues,
/// and its result is dropped. `Device.overrunJobs` lists the job.
public struct GrantExpiredError: Error, Hashable, CustomStringConvertible {
  /// The job, as it was when its grant ended.
  public let job: GrantedJob

  /// `'resize' outlived its grant of 30s (Images/Worker.swift:12)`.
  public var description: String {
    "'\(job.name)' outlived its grant of \(Interval(job.grant)) (\(job.origin))"
  }
}

/// The denial of a grant for a job; its body was not called.
public struct GrantDeniedError: Error, Sendable, CustomStringConvertible {
  /// The job's name.
  public let job: String
  /// The decision; nil if the device is closed.
  public let decision: Decision?

  /// The reason in short, for the answer to a client: `draining`, or `closed` if the device
  /// is closed. Several reasons are separated by commas. `DeviceCounts.jobsDenied(for:)` counts
  /// by this text.
  public var reason: String { decision.map { "\($0.reasons)" } ?? "closed" }

  /// The reason with its cause and its remedy, for a log:
  /// `'resize' was denied: draining because …`.
  public var description: String {
    "'\(job)' was denied: \(decision.map { $0.explanation.joined(separator: " ") } ?? "the device is closed")"
  }
}
