public import CurfewEngine

/// A question about a policy: whether a kind is admitted for an app and a device in a given state.
///
///     var question = AdmissionQuestion(.fetch, under: policy)
///     question.device.lowPowerMode = true
///     let answer = policy.answer(to: question)
public struct AdmissionQuestion: Hashable, Sendable {
  /// The requested kind.
  public var kind: KindName
  /// The app's declarations, its own switch, and the values of the policy's facts of apps.
  public var app: AppManifest
  /// The app's presence.
  public var presence: Presence
  /// The user's attendance, as far as `presence` leaves it open.
  public var attendance: Attendance
  /// The state of the device. Facts of the device that the policy declares are in `facts`.
  public var device: DeviceFacts
  /// The values of the policy's facts of the device, by name.
  public var facts: NamedFacts
  /// The app's state in the run, if the question is put to a run. `presence` is the part of the
  /// state that matters for an admission.
  public internal(set) var state: AppState?

  /// The presence of an app, as far as it matters to an admission.
  public enum Presence: Hashable, Sendable, CaseIterable {
    /// The user is using the app.
    case inFront
    /// In memory, suspended.
    case suspended
    /// Not in memory.
    case notRunning
    /// The user has force-quit it.
    case forceQuit
    /// Not in memory, and the device has not been unlocked since its restart.
    case beforeFirstUnlock
  }

  /// The user's attendance at a device on which the app is not in front.
  public enum Attendance: Hashable, Sendable, CaseIterable {
    /// Nobody, and the device is not locked.
    case nobody
    /// Somebody, in another app.
    case somebody
    /// Nobody, and the device is locked.
    case locked
  }

  /// Creates a question about a kind. The defaults are a suspended app that declares nothing,
  /// and a device with the default facts. A task or a session needs `inFront`.
  package init(
    _ kind: KindName, app: AppManifest = AppManifest(), presence: Presence = .suspended,
    attendance: Attendance = .nobody,
    device: DeviceFacts = DeviceFacts(), facts: NamedFacts = [:]
  ) {
    (self.kind, self.app, self.presence, self.attendance, self.device, self.facts) = (
      kind, app, presence, attendance, device, facts
    )
  }

  /// Creates a question about a kind of the policy, for an app that declares the modes that the row
  /// requires, with the usual presence for the kind, on a device with the default facts.
  public init(_ kind: KindName, under policy: PolicyFile) {
    let presence: Presence = policy.policy.names.class(of: kind) == .wake ? .suspended : .inFront
    self.init(kind, presence: presence)
    for mode in policy.modes(askedBy: kind) { app.declare(mode) }
  }

  /// Whether the device is locked.
  package var isLocked: Bool {
    get { presence == .beforeFirstUnlock || presence != .inFront && attendance == .locked }
    set { attendance = newValue ? .locked : attendance == .locked ? .nobody : attendance }
  }

  /// Whether somebody is at the device.
  package var isUserPresent: Bool {
    get { presence == .inFront || presence != .beforeFirstUnlock && attendance == .somebody }
    set { attendance = newValue ? .somebody : attendance == .somebody ? .nobody : attendance }
  }
}

extension AdmissionQuestion.Presence: FileNamed {
  package var fileName: String { "\(self)" }
}

extension AppManifest {
  /// Declares a mode, by its name.
  package mutating func declare(_ name: String) {
    if let mode = BackgroundModes(fileName: name) {
      backgroundModes.formUnion(mode)
    } else if !otherModes.contains(name) {
      otherModes.append(name)
    }
  }

  /// Removes the declaration of a mode.
  mutating func undeclare(_ name: String) {
    if let mode = BackgroundModes(fileName: name) { backgroundModes.subtract(mode) }
    otherModes.removeAll { $0 == name }
  }
}
