public import CurfewEngine

/// What is asked of a policy: whether a kind is admitted, for an app and on a device that are so
/// and so.
///
///     var question = AdmissionQuestion(.fetch, under: policy)
///     question.device.lowPowerMode = true
///     let answer = policy.answer(to: question)
public struct AdmissionQuestion: Hashable, Sendable {
  /// The kind that is asked for.
  public var kind: KindName
  /// What the app declares, how its own switch stands, and what is said of the policy's facts
  /// of apps.
  public var app: AppManifest
  /// Where the app is.
  public var presence: Presence
  /// Who is at the device, as far as `presence` leaves that open.
  public var attendance: Attendance
  /// What the device is like. What is said of the policy's facts of the device stands in `facts`.
  public var device: DeviceFacts
  /// What is said of the policy's facts of the device, by their names.
  public var facts: NamedFacts
  /// The state that a run has the app in, where the question is put to one; `presence` says what
  /// of it matters to an admission.
  public internal(set) var state: AppState?

  /// Where an app is, as far as that matters to an admission.
  public enum Presence: Hashable, Sendable, CaseIterable {
    /// The user is at it.
    case inFront
    /// In memory, frozen.
    case suspended
    /// Not in memory.
    case notRunning
    /// The user has quit it.
    case forceQuit
    /// Not in memory, and the device has not been unlocked since its restart.
    case beforeFirstUnlock
  }

  /// Who is at a device on which the app is not in front.
  public enum Attendance: Hashable, Sendable, CaseIterable {
    /// Nobody, and it is not locked.
    case nobody
    /// Somebody, in another app.
    case somebody
    /// Nobody, and it is locked.
    case locked
  }

  /// A question about a kind; an app that declares nothing, is suspended (`inFront` for a task
  /// and a session), and a device at ease where they are left out.
  package init(
    _ kind: KindName, app: AppManifest = AppManifest(), presence: Presence = .suspended,
    attendance: Attendance = .nobody,
    device: DeviceFacts = DeviceFacts(), facts: NamedFacts = [:]
  ) {
    (self.kind, self.app, self.presence, self.attendance, self.device, self.facts) = (
      kind, app, presence, attendance, device, facts
    )
  }

  /// A question about a kind of the policy's: an app that declares what the kind's row asks for
  /// and is where such a kind is asked for, on a device at ease.
  public init(_ kind: KindName, under policy: PolicyFile) {
    let presence: Presence = policy.policy.names.class(of: kind) == .wake ? .suspended : .inFront
    self.init(kind, presence: presence)
    for mode in policy.modes(askedBy: kind) { app.declare(mode) }
  }

  /// Whether the device is locked.
  public var isLocked: Bool {
    get { presence == .beforeFirstUnlock || presence != .inFront && attendance == .locked }
    set { attendance = newValue ? .locked : attendance == .locked ? .nobody : attendance }
  }

  /// Whether somebody is at the device.
  public var isUserPresent: Bool {
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

  /// Takes a mode back.
  mutating func undeclare(_ name: String) {
    if let mode = BackgroundModes(fileName: name) { backgroundModes.subtract(mode) }
    otherModes.removeAll { $0 == name }
  }
}
