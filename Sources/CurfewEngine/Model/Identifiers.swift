/// An app that the engine knows: its place in the order in which apps were added ("file order"
/// in the rules).
public struct AppID: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// 0 for the first app added.
  public let rawValue: UInt32

  /// The app that was added as number `rawValue`.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// File order.
  @inlinable public static func < (a: AppID, b: AppID) -> Bool { a.rawValue < b.rawValue }
}

/// The number that `beginBackgroundTask` answers. Counts from 1 in each process of an app (rule
/// F1); 0 is invalid.
public struct TaskID: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// The number; UIKit's `UIBackgroundTaskIdentifier.rawValue`.
  public let rawValue: UInt32

  /// The task with this number.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Answered where no task can be had: `UIBackgroundTaskIdentifier.invalid`.
  public static let invalid = TaskID(rawValue: 0)

  /// The order in which they were begun.
  @inlinable public static func < (a: TaskID, b: TaskID) -> Bool { a.rawValue < b.rawValue }
}

/// The number of a wake. Counts from 1 for each app, in all its processes (rule W6), and is given
/// when the wake is admitted.
public struct WakeID: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// The number.
  public let rawValue: UInt32

  /// The wake with this number.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The order in which they were admitted.
  @inlinable public static func < (a: WakeID, b: WakeID) -> Bool { a.rawValue < b.rawValue }
}

/// A wake that was admitted, as the engine names it to its host.
public struct AdmittedWake: Hashable, Sendable, BitwiseCopyable {
  /// Its number.
  public let id: WakeID
  /// The host's number for the identifier of the request that it came from; nil where the world
  /// or the system asked for it.
  public let identifier: UInt32?
  /// What it is for.
  public let kind: AssertionKind

  init(_ assertion: Assertion) {
    (id, identifier, kind) = (assertion.wake, assertion.identifier, assertion.kind)
  }
}

/// Which of an app's delivered wakes is meant: the oldest of which everything holds that is said
/// of it.
public struct WakeChoice: Hashable, Sendable {
  /// Its number.
  public var id: WakeID?
  /// What it is for.
  public var kind: AssertionKind?
  /// The request that it came from, by the host's number for its identifier.
  public var identifier: UInt32?

  /// A choice by these; by none of them, whichever is the oldest.
  public init(id: WakeID? = nil, kind: AssertionKind? = nil, identifier: UInt32? = nil) {
    (self.id, self.kind, self.identifier) = (id, kind, identifier)
  }

  /// Whether all of it holds of a wake.
  func means(_ assertion: Assertion) -> Bool {
    (kind.map { $0 == assertion.kind } ?? true) && (id.map { $0 == assertion.wake } ?? true)
      && (identifier.map { $0 == assertion.identifier } ?? true)
  }
}

/// A finite-length task as the engine names it to its host: the app's number for it, the host's own
/// label, and where it lies.
///
/// The place makes ending a task O(1); number and process make a stale one harmless, because places
/// are used again.
public struct BackgroundTask: Hashable, Sendable, BitwiseCopyable {
  /// The number that the app was answered.
  public let id: TaskID
  /// Whatever the host passed to `beginTask`, typically an index into its table of names.
  public let label: UInt32
  /// Its place among all assertions, free again when it has ended.
  let place: Place<Assertion>
  /// The process of its app that began it.
  package let process: UInt32

  /// That place as a number, for tables of a host's own.
  package var slot: UInt32 { place.index }

  private init(unopened id: TaskID, label: UInt32) {
    (self.id, self.label, place, process) = (id, label, .nowhere, 0)
  }

  init(_ assertion: Assertion, at place: Place<Assertion>, process: UInt32) {
    (id, label, self.place, self.process) = (assertion.id, assertion.label, place, process)
  }

  /// The answer to a denied begin. Ending it is silent.
  public static func invalid(label: UInt32) -> BackgroundTask {
    BackgroundTask(unopened: .invalid, label: label)
  }

  /// A task that is not open, by its number alone: what a host that has forgotten an ended
  /// one says when its app ends it again. It is answered as that one would be, with the
  /// diagnostic `unknownTask`.
  public static func ended(_ id: TaskID) -> BackgroundTask {
    BackgroundTask(unopened: id, label: 0)
  }
}
