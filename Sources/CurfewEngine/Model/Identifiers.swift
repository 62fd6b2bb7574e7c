/// An app that the engine knows, identified by its place in the order in which apps were added
/// ("file order" in the rules).
public struct AppID: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// 0 for the first app added.
  public let rawValue: UInt32

  /// The app that was added as number `rawValue`.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Whether `a` precedes `b` in file order.
  @inlinable public static func < (a: AppID, b: AppID) -> Bool { a.rawValue < b.rawValue }
}

/// The number that `beginBackgroundTask` returns. It counts from 1 in each process of an app (rule
/// F1); 0 is invalid.
public struct TaskID: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// The number; UIKit's `UIBackgroundTaskIdentifier.rawValue`.
  public let rawValue: UInt32

  /// The task with this number.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The number of a denied begin: `UIBackgroundTaskIdentifier.invalid`.
  public static let invalid = TaskID(rawValue: 0)

  /// Whether `a` was begun before `b`.
  @inlinable public static func < (a: TaskID, b: TaskID) -> Bool { a.rawValue < b.rawValue }
}

/// The number of a wake. It is assigned when the wake is admitted, and counts from 1 for each app
/// across all its processes (rule W6).
public struct WakeID: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// The number.
  public let rawValue: UInt32

  /// The wake with this number.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Whether `a` was admitted before `b`.
  @inlinable public static func < (a: WakeID, b: WakeID) -> Bool { a.rawValue < b.rawValue }
}

/// A wake that was admitted, as the host sees it.
public struct AdmittedWake: Hashable, Sendable, BitwiseCopyable {
  /// Its number.
  public let id: WakeID
  /// The host's number for the identifier of the request that the wake came from; nil if the world
  /// or the system asked for it.
  public let identifier: UInt32?
  /// The kind.
  public let kind: AssertionKind

  init(_ assertion: Assertion) {
    (id, identifier, kind) = (assertion.wake, assertion.identifier, assertion.kind)
  }

  init(_ id: WakeID, _ kind: AssertionKind, from identifier: UInt32?) {
    (self.id, self.identifier, self.kind) = (id, identifier, kind)
  }
}

/// A choice among an app's delivered wakes: the oldest wake that matches every value that
/// is not nil.
public struct WakeChoice: Hashable, Sendable {
  /// Its number.
  public var id: WakeID?
  /// The kind.
  public var kind: AssertionKind?
  /// The host's number for the identifier of the request that the wake came from.
  public var identifier: UInt32?

  /// Creates a choice by these values. Without any value, it means the oldest wake.
  public init(id: WakeID? = nil, kind: AssertionKind? = nil, identifier: UInt32? = nil) {
    (self.id, self.kind, self.identifier) = (id, kind, identifier)
  }

  /// Whether a wake matches every value that is not nil.
  func means(_ wake: AdmittedWake) -> Bool {
    (kind.map { $0 == wake.kind } ?? true) && (id.map { $0 == wake.id } ?? true)
      && (identifier.map { $0 == wake.identifier } ?? true)
  }

  /// Whether a wake matches every value that is not nil.
  func means(_ assertion: Assertion) -> Bool {
    (kind.map { $0 == assertion.kind } ?? true) && (id.map { $0 == assertion.wake } ?? true)
      && (identifier.map { $0 == assertion.identifier } ?? true)
  }
}

/// A finite-length task, as the host sees it: the app's number for it, the host's label,
/// and its place.
///
/// The place makes ending a task O(1). Places are reused, so the number and the process tell
/// whether a task is stale.
public struct BackgroundTask: Hashable, Sendable, BitwiseCopyable {
  /// The number that the app received.
  public let id: TaskID
  /// The value that the host passed to `beginTask`, typically an index into its table of names.
  public let label: UInt32
  /// Its place among all assertions; freed when the task has ended.
  let place: Place<Assertion>
  /// The process of the app that began it.
  package let process: UInt32

  /// The place as a number, for tables of the host.
  package var slot: UInt32 { place.index }

  private init(unopened id: TaskID, label: UInt32) {
    (self.id, self.label, place, process) = (id, label, .nowhere, 0)
  }

  init(_ assertion: Assertion, at place: Place<Assertion>, process: UInt32) {
    (id, label, self.place, self.process) = (assertion.id, assertion.label, place, process)
  }

  /// The answer to a denied begin. Ending this task emits no action.
  public static func invalid(label: UInt32) -> BackgroundTask {
    BackgroundTask(unopened: .invalid, label: label)
  }

  /// A task that is not open, known by its number only. A host that has forgotten an ended task
  /// passes this if its app ends the task again. The answer is the same as for the task itself:
  /// the diagnostic `unknownTask`.
  public static func ended(_ id: TaskID) -> BackgroundTask {
    BackgroundTask(unopened: id, label: 0)
  }
}
