package import CurfewEngine
public import CurfewPolicy
public import CurfewText
import CurfewTrace

/// A scenario file, read and checked: apps, a policy, and a timeline of steps.
public struct Scenario: Sendable {
  /// The scenario's name.
  public let name: String
  /// The policy that the scenario runs under.
  public let policy: PolicyFile
  /// The end of the run, inclusive; nil to run until nothing more can happen.
  package let until: Instant?
  /// The device at the start.
  package let device: DeviceFacts
  /// The file's initial values of the device facts that the policy declares, by name.
  package let facts: NamedFacts
  /// The apps in file order; an app's place here is its `AppID`.
  package let apps: [ScenarioApp]
  /// The steps, in time order; ties are in file order.
  package let timeline: [TimelineStep]
  /// The expectations, in file order.
  public let expectations: [ScenarioExpectation]
  /// The file's name in messages.
  package let file: String
  /// The paths of all files on disk that were read for the scenario: its own, its apps' property
  /// lists, its policy and that policy's parents.
  public let files: [String]
  /// Warnings about entries of the file, or of its apps' property lists, that have no effect.
  public let warnings: [FileDiagnostic]

  /// The app with this identifier in the file.
  ///
  /// - Complexity: O(n) in the number of apps.
  package func app(_ identifier: String) -> AppID? {
    apps.firstIndex { $0.identifier == identifier }.map { AppID(rawValue: UInt32($0)) }
  }
}

/// A modelled app: its declarations and its behavior.
package struct ScenarioApp: Sendable {
  /// The name of the app in the file.
  package let identifier: String
  /// The app's declarations, its user's settings and its memory use.
  package let manifest: AppManifest
  /// The time to return from each callback; the app returns at once from callbacks without
  /// an entry.
  package let returns: [AppCall: Interval]
  /// Whether an expiration handler ends its own task when it returns.
  package let endsTasksOnExpiration: Bool
  /// The app's own calls at each moment, in order.
  package let on: [AppCall: [Step]]
  /// The place of the app's name in the file.
  package let place: SourcePlace
}

/// A step of a timeline, with its time.
package struct TimelineStep: Sendable {
  /// The time of the step.
  package let at: Instant
  /// The step.
  package let step: Step
  /// The place of the step in the file.
  package var place: SourcePlace { step.place }
}
