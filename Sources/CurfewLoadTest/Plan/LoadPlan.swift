package import CurfewEngine

/// What all apps of a load test do and when, drawn before the run from one seed.
///
/// The plan is an open loop: every instant is fixed, none waits for an answer, so a host that
/// falls behind finds its lateness measured from when things should have happened. It is made
/// of segments, each complete in itself: whatever begins in a segment is over before it closes.
package struct LoadPlan: Sendable {
  /// What was asked for.
  package let options: LoadTestOptions
  /// The apps, by `AppID`.
  package let apps: [LoadApp]
  /// The device: at ease, and with memory enough for all apps, since a plan of grants has no use
  /// for purges.
  package let device: DeviceFacts
  /// All visits, those of an app behind each other and in order.
  package let visits: [LoadVisit]
  /// The tasks of all visits.
  package let tasks: [LoadTask]
  /// The steps of each segment in time order.
  package let segments: [[LoadStep]]

  let firstVisits: [Int]

  /// The names of tasks, by label.
  static let taskNames = ["upload", "sync", "save"]

  /// The visits of an app, in order, over all segments.
  package func visits(of app: AppID) -> ArraySlice<LoadVisit> {
    visits[firstVisits[Int(app.rawValue)]..<firstVisits[Int(app.rawValue) + 1]]
  }

  /// The tasks that a visit begins inside didEnterBackground, in order.
  package func tasks(of visit: LoadVisit) -> ArraySlice<LoadTask> {
    tasks[visit.firstTask..<visit.firstTask + visit.taskCount]
  }
}

/// An app of the plan.
package struct LoadApp: Hashable, Sendable {
  /// What it declares.
  package var manifest: Manifest
  /// What it does besides its tasks.
  package var role: Role

  /// What an app does besides its tasks.
  package enum Role: Hashable, Sendable {
    /// Nothing.
    case plain
    /// It holds a session of this kind for a part of some visits.
    case session(AssertionKind)
    /// It is woken for this once a visit is over.
    case wake(AssertionKind)
  }
}

/// One visit to the background: from a launch, or a return to the front, to the suspension
/// or the kill.
package struct LoadVisit: Hashable, Sendable {
  /// Whose.
  package var app: AppID
  /// In which segment.
  package var segment: Int
  /// When the app comes to the front, in wall nanoseconds from the start of the segment.
  package var launch: Int64
  /// When it leaves the front, by itself or because the next app takes its place.
  package var departure: Int64
  /// Its tasks' place in the plan's.
  var firstTask: Int
  var taskCount: Int
}

/// One background task: begun inside didEnterBackground, with an expiration handler.
package struct LoadTask: Hashable, Sendable {
  /// Its place in `LoadPlan.taskNames`.
  package var label: UInt32
  /// How its app means to end it.
  package var ending: Ending

  /// How an app means to end a task.
  package enum Ending: Hashable, Sendable {
    /// A step of the plan ends it, so many wall nanoseconds after the departure; the handler, if it
    /// comes first, does not.
    case planned(Int64)
    /// The expiration handler ends it before it returns.
    case inHandler
    /// Never: the app is killed at the end of its grant.
    case never
  }
}

/// One thing that whoever drives the plan does, at its instant and in order.
package struct LoadStep: Hashable, Sendable {
  /// When, in wall nanoseconds from the start of the segment.
  package var at: Int64
  /// In which visit, by its place in `LoadPlan.visits`.
  package var visit: UInt32
  /// Whose.
  package var app: AppID
  /// What.
  package var verb: Verb
  /// Tells steps of one visit at one instant apart.
  var order: UInt8

  /// What is done.
  package enum Verb: Hashable, Sendable {
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
