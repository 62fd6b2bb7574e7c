public import CurfewEngine
public import CurfewPolicy

/// What enters an engine, in texts and values: a step of a scenario, a call of a program, an event
/// of a trace. Who it is about stands beside it.
///
/// One record for all verbs; which of its values a verb has, its row in the table says.
public struct Deed: Hashable, Sendable {
  /// What is done.
  public var verb: Verb
  /// A task's label, a request's identifier, a notification's id, or what is posted.
  public var name: String?
  /// What a post says that it is now.
  public var value: String?
  /// A task by its number, where its label has come to hold another.
  public var task: TaskID?
  /// Whether a task is begun with a handler.
  public var handler = ExpirationHandler.present
  /// Whether a session is begun with a handler.
  public var sessionHandler = ExpirationHandler.absent
  /// The kind of a session, a wake or a request.
  public var kind: KindName?
  /// A fact that the policy declares.
  public var fact: String?
  /// Whether it holds.
  public var holds = true
  /// How a wake went.
  public var result: WakeResult?
  /// A wake by its number.
  public var wake: WakeID?
  /// What begins or returns.
  public var callback: Moment?
  /// Why grants end early.
  public var expiration: ExpirationReason?
  /// How an app ends.
  public var crash: CrashReason?
  /// A Background App Refresh switch.
  public var status: BackgroundRefreshStatus?
  /// What of the device changes.
  public var device: DeviceChange?
  /// A footprint in bytes.
  public var footprint: Int64?
  /// A share of a processor core in percent.
  public var share: UInt32?
  /// How long something lasts, or how long it is to it.
  public var length: Interval?
  /// How long before the end of such a length a wake is warned.
  public var warning: Interval?
  /// How often; nil inside for never.
  public var interval: Interval??
  /// How long after its submission a request may start.
  public var earliest = Interval.zero
  /// Whether a request waits for a network.
  public var requiresNetwork = false
  /// What an app declares that is made known; nil for a plain one.
  public var manifest: AppManifest?
  /// Whether a request waits for external power.
  public var requiresPower = false

  /// A delivered wake's own times, where it has a length (rule W7).
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

  /// A deed with these values: `Deed(.endTask) { $0.name = "upload" }`.
  package init(_ verb: Verb, _ values: (inout Deed) -> Void = { _ in }) {
    self.verb = verb
    values(&self)
  }
}

extension Deed: CustomStringConvertible {
  /// As a person reads it: `useCPU 80% for 10s`.
  public var description: String { verb.row.words(self) }
}
