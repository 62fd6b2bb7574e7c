public import CurfewEngine

/// Work that was given a grant of its own by `Device.withGrant`.
public struct GrantedJob: Hashable, Sendable {
  /// Its name.
  public let name: String
  /// The name of the app that it runs as, by which traces tell of it.
  public let app: String
  /// How long it was granted.
  public let grant: Duration
  /// Who began it.
  public let origin: CallSite
  /// When its grant began.
  public let began: Instant
  /// When it outlived its grant; nil where it has not.
  public internal(set) var expired: Instant?
  /// When its body came to an end all the same; nil while it goes on.
  public internal(set) var ended: Instant?
}

/// A job's grant is over, and its body has not come to an end: it goes on alone, cancelled,
/// and what it comes to is dropped. It stands in `Device.outlivedJobs`.
public struct GrantExpired: Error, Hashable, CustomStringConvertible {
  /// The job, as it was when its grant ended.
  public let job: GrantedJob

  /// `'resize' outlived its grant of 30s (Images/Worker.swift:12)`.
  public var description: String {
    "'\(job.name)' outlived its grant of \(Interval(job.grant)) (\(job.origin))"
  }
}

/// A job that was not given a grant; its body was not called.
public struct GrantDenied: Error, Sendable, CustomStringConvertible {
  /// The job's name.
  public let job: String
  /// Why not; nil where the device is closed.
  public let decision: Decision?

  /// `'resize' was denied: draining because …`.
  public var description: String {
    "'\(job)' was denied: \(decision.map { $0.explanation.joined(separator: " ") } ?? "the device is closed")"
  }
}
