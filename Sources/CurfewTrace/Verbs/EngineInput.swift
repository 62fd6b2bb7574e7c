public import CurfewEngine
package import CurfewPolicy

/// An event expressed in names and plain values: a step of a scenario, a call of a program,
/// or an event of a trace. Its app is stored separately.
///
/// One record serves all verbs; the verb's row in the table says which values it has.
public struct EngineInput: Hashable, Sendable {
  /// The verb.
  public var verb: InputVerb
  /// A task's label, a request's identifier, a notification's id, or the name of a post.
  public var name: String?
  /// The new value in a post.
  public var value: String?
  /// A task's number, if its label now belongs to another task.
  public var task: TaskID?
  /// Whether a task is begun with a handler.
  package var handler = ExpirationHandler.present
  /// Whether a session is begun with a handler.
  package var sessionHandler = ExpirationHandler.absent
  /// The kind of a session, a wake or a request.
  public var kind: KindName?
  /// A fact that the policy declares.
  package var fact: String?
  /// Whether the fact holds.
  package var holds = true
  /// The result of a wake.
  package var result: WakeResult?
  /// A wake's number.
  public var wake: WakeID?
  /// The callback that begins or returns.
  package var callback: AppCall?
  /// The reason why grants end early.
  package var expiration: ExpirationReason?
  /// The reason why an app's process ends.
  package var crash: TerminationReason?
  /// The status of an exit with an error.
  package var exitStatus: UInt8?
  /// The signal that ended the process.
  package var signal: UInt8?
  /// The error with which the process could not be started.
  package var spawnError: SpawnError?
  /// A Background App Refresh switch.
  package var status: BackgroundRefreshStatus?
  /// The change to the device.
  package var device: DeviceChange?
  /// A footprint in bytes.
  package var footprint: Int64?
  /// A share of a processor core in percent.
  package var share: UInt32?
  /// A duration, or the time until something is due.
  package var length: Interval?
  /// The time from the warning of a wake to the end of `length`.
  package var warning: Interval?
  /// An interval; nil inside the optional means never.
  package var interval: Interval??
  /// The least time between the submission of a request and its start.
  package var earliest = Interval.zero
  /// Whether a request waits for a network.
  package var requiresNetwork = false
  /// The manifest of an added app; nil for a plain one.
  package var manifest: AppManifest?
  /// Whether a request waits for external power.
  package var requiresPower = false

  /// The times of a delivered wake that has its own length (rule W7).
  var runTimes: RunTimes? {
    get {
      length.flatMap {
        $0 > .zero ? RunTimes(length: $0, warning: max(.zero, warning ?? .zero)) : nil
      }
    }
    set {
      (length, warning) = (
        newValue?.length, newValue.flatMap { $0.warning > .zero ? $0.warning : nil }
      )
    }
  }

  /// Creates a deed with these values: `EngineInput(.endTask) { $0.name = "upload" }`.
  package init(_ verb: InputVerb, _ values: (inout EngineInput) -> Void = { _ in }) {
    self.verb = verb
    values(&self)
  }
}

extension EngineInput: CustomStringConvertible {
  /// The deed in words: `useCPU 80% for 10s`.
  public var description: String { verb.row.words(self) }
}
