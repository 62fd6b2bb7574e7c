public import CurfewEngine
public import CurfewText

/// Why something was denied or refused, a process ended, or a remark was made: what says so, where
/// that is written, and what would change it.
///
/// The embedding API, the timeline and `--json` are views of this value; none of them knows more.
/// `PolicyFile` makes it.
public struct Explanation: Hashable, Sendable {
  /// What is explained.
  public let reason: Reason
  /// The app that it is about; nil where it is the whole device.
  public let app: String?
  /// What was asked for, or what ran out.
  public let kind: KindName?
  /// What says so: a value of the policy, the app's manifest, the device, or somebody's doing,
  /// which is written nowhere.
  public let fact: Fact
  /// What else is so, and would have to be otherwise: which switch of Background App Refresh is
  /// off, the battery, the modes that are declared; where the host came too late to warn of an end,
  /// what ended it.
  public let others: [Fact]
  /// Why a grant ended before its time; nil where it had its time, and for anything else.
  public let expiration: ExpirationReason?
  /// What would have to change, one sentence; nil for what cannot be had otherwise by asking again,
  /// such as an end, but for one of which the host came too late to warn.
  public let remedy: String?
  /// From when it would be otherwise, where a budget or an interval says so and that is known.
  public let possibleFrom: Instant?

  /// Where it is written what says so.
  public var place: Place { fact.place }

  /// What is explained: a word of the vocabulary.
  public enum Reason: Hashable, Sendable {
    /// A single reason of a decision.
    case denial(Denials)
    /// Why a request was not taken.
    case refusal(TaskRequestError)
    /// Why a process ended.
    case termination(TerminationReason)
    /// Something worth saying that changes nothing.
    case diagnostic(Diagnostic)
    /// The system's warning that memory is short.
    case memoryWarning
  }

  /// Something that is so.
  public struct Fact: Hashable, Sendable {
    /// Whose word it is.
    public let owner: Owner
    /// What it is called: a policy's path (`tasks.grant`), a manifest's key (`exitsOnSuspend`),
    /// a fact of the device (`memory`), a doing (`forceQuit`), a host's lateness (`late`).
    public let key: String
    /// The value, always written in the same way: `30s`. nil for a table, and for a doing.
    public let value: String?
    /// Where it is written.
    public let place: Place
    /// How sure a policy's value is.
    public let confidence: PolicyEntry.Confidence?

    init(
      _ owner: Owner, _ key: String, _ value: String? = nil, _ place: Place = .nowhere,
      confidence: PolicyEntry.Confidence? = nil
    ) {
      self.owner = owner
      self.key = key
      self.value = value
      self.place = place
      self.confidence = confidence
    }
  }

  /// Whose word a fact is.
  public enum Owner: String, Hashable, Sendable, CaseIterable {
    /// The policy's.
    case policy
    /// The app's manifest's, and that of its own switch.
    case manifest
    /// The device's.
    case device
    /// The user's doing.
    case user
    /// The app's own doing.
    case app
    /// The host's doing: a scenario's timeline, or the program in which a device is embedded.
    case host
  }

  /// Where a fact is written.
  public enum Place: Hashable, Sendable {
    /// There.
    case at(SourcePlace)
    /// In this file, it is not known in which line.
    case file(String)
    /// In no file: a program says so, or a trace.
    case unwritten
    /// Nowhere: it is somebody's doing, and no value.
    case nowhere
  }

  /// The end of a process, as far as it has to be explained.
  package struct End: Hashable, Sendable {
    /// Why.
    package var reason: TerminationReason
    /// The kind of assertion that ran out; `finiteTask` for a grant.
    package var kind: KindName?
    /// The callback that overran.
    package var callback: Callback?
    /// Why a grant ended when it did.
    package var expiration: ExpirationReason?
    /// What a wake ran beyond.
    package var limit: RunLimit
    /// How late its warning was decided, where the host came too late to warn.
    package var late: Interval?
    /// Whether the app left or failed by its own doing, which for `normalAppExit` the reason does
    /// not say.
    package var isByItself = false

    /// An end for this reason.
    package init(
      _ reason: TerminationReason, kind: KindName? = nil, callback: Callback? = nil,
      expiration: ExpirationReason? = nil,
      limit: RunLimit = .length, late: Interval? = nil
    ) {
      self.reason = reason
      self.kind = kind
      self.callback = callback
      self.expiration = expiration
      self.limit = limit
      self.late = late
    }
  }

  /// The app and the device that something is about, as they were when it happened.
  package struct Setting: Sendable {
    /// The app's name; nil where it is the whole device.
    package var app: String?
    /// What the app declares; its `backgroundRefresh` is how its switch stands.
    package var manifest: AppManifest
    /// Where that is written.
    package var manifestPlace: Place
    /// What the device is like.
    package var device: DeviceFacts
    /// Where that is written.
    package var devicePlace: Place

    /// A setting of these parts; a plain app, a device at ease where they are left out.
    package init(
      app: String? = nil, manifest: AppManifest = AppManifest(), manifestPlace: Place = .unwritten,
      device: DeviceFacts = DeviceFacts(),
      devicePlace: Place = .unwritten
    ) {
      self.app = app
      self.manifest = manifest
      self.manifestPlace = manifestPlace
      self.device = device
      self.devicePlace = devicePlace
    }
  }
}
