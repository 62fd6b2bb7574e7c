package import CurfewEngine
public import CurfewPolicy
public import CurfewText
import CurfewTrace

/// A scenario file, read and checked: apps, a policy, and what happens to them when.
public struct Scenario: Sendable {
  /// The scenario's name.
  public let name: String
  /// The policy that it runs under.
  public let policy: PolicyFile
  /// When the run ends, inclusive; nil for when nothing more can happen.
  package let until: Instant?
  /// The device at the start.
  package let device: DeviceFacts
  /// What is said at the start of facts of the device that the policy declares, by name.
  package let facts: NamedFacts
  /// The apps in file order; an app's place here is its `AppID`.
  package let apps: [ScenarioApp]
  /// What happens, in time order; ties in file order.
  package let timeline: [TimelineStep]
  /// What must come of it, in file order.
  public let expectations: [ScenarioExpectation]
  /// The file by the name that it is shown under.
  package let file: String
  /// The paths of all files on disk that were read for it: its own, if it is from one, and its
  /// apps' property lists, and those of its policy and the policy's parents.
  public let files: [String]
  /// What it says, or a property list of its apps, that has no effect.
  public let warnings: [FileDiagnostic]

  /// The app that was written as `identifier`.
  ///
  /// - Complexity: O(n) in the number of apps.
  package func app(_ identifier: String) -> AppID? {
    apps.firstIndex { $0.identifier == identifier }.map { AppID(rawValue: UInt32($0)) }
  }
}

/// A modelled app: what it declares and how it behaves.
package struct ScenarioApp: Sendable {
  /// The name that the file gives it.
  package let identifier: String
  /// What it declares about itself, what its user has set, and what it takes up.
  package let manifest: AppManifest
  /// How long it takes to return from a callback; at once where absent.
  package let returns: [Moment: Interval]
  /// Whether an expiration handler ends its own task as it returns.
  package let endsTasksOnExpiration: Bool
  /// What it does at a moment, in order; every one a call of its own.
  package let on: [Moment: [Step]]
  /// Where the app's name is written.
  package let place: SourcePlace
}

/// A line of a timeline.
package struct TimelineStep: Sendable {
  /// When.
  package let at: Instant
  /// What.
  package let step: Step
  /// Where it is written.
  package var place: SourcePlace { step.place }
}
