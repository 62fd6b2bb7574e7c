public import CurfewEngine

/// A job with a grant of its own from `Device.withGrant`.
public struct GrantedJob: Hashable, Sendable {
  /// Its name.
  public let name: String
  /// The name of the app that it runs as, which traces use.
  public let app: String
  /// The length of its grant.
  public let grant: Duration
  /// The place that began it.
  public let origin: CallSite
  /// The instant at which its grant began.
  public let began: Instant
  /// The instant at which it outlived its grant; nil if it has not.
  public internal(set) var expired: Instant?
  /// The instant at which its body finished after outliving the grant; nil while it goes on.
  public internal(set) var ended: Instant?
}

/// The end of a grant whose job has not finished. The body goes on alone, cancelled, and its result
/// is dropped. `Device.overrunJobs` lists it.
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

  /// `'resize' was denied: draining because …`.
  public var description: String {
    "'\(job)' was denied: \(decision.map { $0.explanation.joined(separator: " ") } ?? "the device is closed")"
  }
}
