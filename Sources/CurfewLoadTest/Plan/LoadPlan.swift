package import CurfewEngine

/// The actions of all apps of a load test and their instants, drawn before the run from one seed.
///
/// The plan is an open loop: every instant is fixed, and no step waits for an answer.
/// The lateness of a slow host is therefore measured from the planned instants. The plan consists
/// of self-contained segments: everything that begins in a segment is over before it ends.
package struct LoadPlan: Sendable {
  /// The options that the plan was drawn for.
  package let options: LoadTestOptions
  /// The apps, by `AppID`.
  package let apps: [LoadApp]
  /// The facts of the device. They deny no background work, and memory suffices for all apps, since
  /// a plan of grants has no use for purges.
  package let device: DeviceFacts
  /// All visits, grouped by app and in order.
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
  /// The manifest that it declares.
  package var manifest: Manifest
  /// The app's activity besides its tasks.
  package var role: Role

  /// The activity of an app besides its tasks.
  package enum Role: Hashable, Sendable {
    /// Nothing.
    case plain
    /// The app holds a session of this kind for a part of some visits.
    case session(AssertionKind)
    /// The app is woken for this kind after a visit.
    case wake(AssertionKind)
  }
}

/// One visit to the background: from a launch, or a return to the front, to the suspension
/// or termination.
package struct LoadVisit: Hashable, Sendable {
  /// The app of the visit.
  package var app: AppID
  /// The segment of the visit.
  package var segment: Int
  /// The instant at which the app comes to the front, in wall nanoseconds from the start
  /// of the segment.
  package var launch: Int64
  /// The instant at which the app leaves the foreground, because the user leaves it or another app
  /// takes its place.
  package var departure: Int64
  /// The range of its tasks in the plan's `tasks`.
  var firstTask: Int
  var taskCount: Int
}

/// One background task: begun inside didEnterBackground, with an expiration handler.
package struct LoadTask: Hashable, Sendable {
  /// The index of its name in `LoadPlan.taskNames`.
  package var label: UInt32
  /// How its app plans to end it.
  package var ending: Ending

  /// How an app plans to end a task.
  package enum Ending: Hashable, Sendable {
    /// A step of the plan ends it, this many wall nanoseconds after the departure. The handler does
    /// not end it, even if it comes first.
    case planned(Int64)
    /// The expiration handler ends it before it returns.
    case inHandler
    /// The app never ends it, and is terminated at the end of its grant.
    case never
  }
}

/// One step of the plan, performed at its instant and in order.
package struct LoadStep: Hashable, Sendable {
  /// The instant, in wall nanoseconds from the start of the segment.
  package var at: Int64
  /// The visit, as an index in `LoadPlan.visits`.
  package var visit: UInt32
  /// The app.
  package var app: AppID
  /// The action.
  package var verb: Verb
  /// Orders the steps of one visit at one instant.
  var order: UInt8

  /// The action of a step.
  package enum Verb: Hashable, Sendable {
    /// The user opens the app, which may send another away.
    case launch
    /// The user leaves the app, if no other app has taken its place before.
    case home
    /// The app ends the visit's task of this number, from 0.
    case endTask(UInt8)
    /// The app starts a session.
    case startSession(AssertionKind)
    /// The app stops a session.
    case stopSession(AssertionKind)
    /// The world asks for a wake.
    case deliver(AssertionKind)
    /// The app completes the wake.
    case completeWake(AssertionKind)
  }
}
