/// A kind of reason to run in the background, by its number. One table for all: a kind differs from
/// another only in its row of the policy.
///
/// The standard kinds have fixed numbers, in `StandardKinds.swift`; a policy's own follow in the
/// order of `PolicyNames.kinds`.
public struct AssertionKind: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
  /// The number.
  public let rawValue: UInt8

  /// The kind of that number.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// So many kinds a policy may know, the standard ones among them.
  package static let greatestCount = 64
}

/// What a kind is.
public enum AssertionClass: UInt8, Hashable, Sendable, BitwiseCopyable {
  /// Begun by the app and finite: `beginBackgroundTask`.
  case task
  /// On while the app is at it.
  case session
  /// Asked for by an event.
  case wake
}

/// How wakes of a kind come about, beside being delivered by the world.
public enum WakeStart: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
  /// In no other way.
  case event
  /// The system starts them on opportunities, no more often than the app has asked for, and its
  /// results move the next (rule W3): fetches.
  case opportunity
  /// The system starts them at the interval that the app has asked for (rule W3): keep-alives.
  case interval
  /// Apps submit requests for them (rule W5): app refresh.
  case request
}

/// The values of a manifest that admit kinds: what an app declares.
public struct BackgroundModes: OptionSet, Hashable, Sendable, BitwiseCopyable {
  /// One bit a mode: the standard ones, then a policy's own in the order of `PolicyNames.modes`.
  public let rawValue: UInt64

  /// The modes with these bits.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The mode at a place among all that a policy knows.
  package init(place: Int) { self.init(rawValue: 1 << UInt64(place)) }

  /// So many modes a policy may know, the standard ones among them.
  package static let greatestCount = 64
}
