/// A kind of reason to run in the background, identified by its number. All kinds share one table;
/// they differ only in their row of the policy.
///
/// The standard kinds have fixed numbers, listed in `StandardKinds.swift`. A policy's own kinds
/// follow in the order of `PolicyNames.kinds`.
public struct AssertionKind: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
  /// The number.
  public let rawValue: UInt8

  /// The kind with this number.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The maximum number of kinds in a policy, including the standard ones.
  package static let greatestCount = 64
}

/// The class of a kind.
public enum AssertionClass: UInt8, Hashable, Sendable, BitwiseCopyable {
  /// A finite-length task that the app begins: `beginBackgroundTask`.
  case task
  /// A session: an assertion that holds while the app keeps the session on.
  case session
  /// A wake: requested by an event.
  case wake
}

/// How wakes of a kind start, in addition to events from outside.
public enum WakeStart: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
  /// By events from outside only.
  case event
  /// At opportunities that the system picks, no more often than the app has asked for: fetches. The
  /// result of a wake moves the next opportunity (rule W3).
  case opportunity
  /// At the interval that the app has asked for (rule W3): keep-alives.
  case interval
  /// On requests that apps submit (rule W5): app refresh.
  case request
}

/// The background modes that a manifest declares. Rows of the policy require them.
public struct BackgroundModes: OptionSet, Hashable, Sendable, BitwiseCopyable {
  /// One bit per mode: the standard ones, then a policy's own in the order of `PolicyNames.modes`.
  public let rawValue: UInt64

  /// The modes with these bits.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The mode at `place` among all modes of a policy.
  package init(place: Int) { self.init(rawValue: 1 << UInt64(place)) }

  /// The maximum number of modes in a policy, including the standard ones.
  package static let greatestCount = 64
}
