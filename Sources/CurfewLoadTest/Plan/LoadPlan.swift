public import CurfewEngine

/// What all apps of a load test do and when, drawn before the run from one seed.
///
/// The plan is an open loop: every instant is fixed, none waits for an answer, so a host that falls behind finds its lateness measured from
/// when things should have happened. It is made of segments, each complete in itself: whatever begins in a segment is over before it closes.
public struct LoadPlan: Sendable {
  /// What was asked for.
  public let options: LoadTestOptions
  /// The apps, by `AppID`.
  public let apps: [LoadApp]
  /// The device: at ease, and with memory enough for all apps, since a plan of grants has no use for purges.
  public let device: DeviceFacts
  /// All visits, those of an app behind each other and in order.
  public let visits: [LoadVisit]
  /// The tasks of all visits.
  public let tasks: [LoadTask]
  /// The steps of each segment in time order.
  public let segments: [[LoadStep]]

  let firstVisits: [Int]

  /// The names of tasks, by label.
  public static let taskNames = ["upload", "sync", "save"]

  /// The visits of an app, in order, over all segments.
  public func visits(of app: AppID) -> ArraySlice<LoadVisit> {
    visits[firstVisits[Int(app.rawValue)]..<firstVisits[Int(app.rawValue) + 1]]
  }

  /// The tasks that a visit begins inside didEnterBackground, in order.
  public func tasks(of visit: LoadVisit) -> ArraySlice<LoadTask> { tasks[visit.firstTask..<visit.firstTask + visit.taskCount] }
}

/// An app of the plan.
public struct LoadApp: Hashable, Sendable {
  /// What it declares.
  public var manifest: Manifest
  /// What it does besides its tasks.
  public var role: Role

  /// What an app does besides its tasks.
  public enum Role: Hashable, Sendable {
    /// Nothing.
    case plain
    /// It holds a session of this kind for a part of some visits.
    case session(AssertionKind)
    /// It is woken for this once a visit is over.
    case wake(AssertionKind)
  }
}

/// One visit to the background: from a launch, or a return to the front, to the suspension or the kill.
public struct LoadVisit: Hashable, Sendable {
  /// Whose.
  public var app: AppID
  /// In which segment.
  public var segment: Int
  /// When the app comes to the front, in wall nanoseconds from the start of the segment.
  public var launch: Int64
  /// When it leaves the front, by itself or because the next app takes its place.
  public var departure: Int64
  /// Its tasks' place in the plan's.
  var firstTask: Int
  var taskCount: Int
}

/// One background task: begun inside didEnterBackground, with an expiration handler.
public struct LoadTask: Hashable, Sendable {
  /// Its place in `LoadPlan.taskNames`.
  public var label: UInt32
  /// How its app means to end it.
  public var ending: Ending

  /// How an app means to end a task.
  public enum Ending: Hashable, Sendable {
    /// A step of the plan ends it, so many wall nanoseconds after the departure; the handler, if it comes first, does not.
    case planned(Int64)
    /// The expiration handler ends it before it returns.
    case inHandler
    /// Never: the app is killed at the end of its grant.
    case never
  }
}

/// One thing that whoever drives the plan does, at its instant and in order.
public struct LoadStep: Hashable, Sendable {
  /// When, in wall nanoseconds from the start of the segment.
  public var at: Int64
  /// In which visit, by its place in `LoadPlan.visits`.
  public var visit: UInt32
  /// Whose.
  public var app: AppID
  /// What.
  public var verb: Verb
  /// Tells steps of one visit at one instant apart.
  var order: UInt8

  /// What is done.
  public enum Verb: Hashable, Sendable {
    /// The user opens the app, which may send another away.
    case launch
    /// The user leaves it, where no other app takes its place before.
    case home
    /// The app ends the visit's task of this number, from 0.
    case endTask(UInt8)
    /// The app starts a session.
    case startSession(AssertionKind)
    /// It stops it.
    case stopSession(AssertionKind)
    /// The world asks for a wake.
    case deliver(AssertionKind)
    /// The app is done with it.
    case completeWake(AssertionKind)
  }
}
