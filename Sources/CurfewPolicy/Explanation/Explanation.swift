public import CurfewEngine
public import CurfewText

/// An explanation of a denial, a refusal, the end of a process, a diagnostic or a memory warning:
/// the fact that decided, the place where the fact is written, and the change that would help.
///
/// `PolicyFile` creates explanations. The embedding API, the timeline and `--json` only show them.
public struct Explanation: Hashable, Sendable {
  /// The reason that is explained.
  public let reason: Reason
  /// The app concerned; nil for the whole device.
  public let app: String?
  /// The kind that was requested, or whose time ran out.
  public let kind: KindName?
  /// The fact that decided: a value of the policy, of the app's manifest or of the device,
  /// or an action, which no file contains.
  public let fact: Fact
  /// Further facts that matter: a Background App Refresh switch that is off, the battery,
  /// the declared modes. If the host was too late to warn, the rule that ended the process is the
  /// only further fact.
  public let others: [Fact]
  /// The reason why a grant ended early; nil if the grant lasted its full time, and in all
  /// other cases.
  public let expiration: ExpirationReason?
  /// The change that would help, in one sentence; nil if asking again cannot help. The end of a
  /// process has a remedy only if the host was too late to warn.
  public let remedy: String?
  /// The instant from which the answer differs, if a budget or an interval decides and the instant
  /// is known.
  public let possibleFrom: Instant?

  /// The place of `fact`.
  public var place: Place { fact.place }

  /// The reason that is explained: a word of the vocabulary.
  public enum Reason: Hashable, Sendable {
    /// A single reason of a decision.
    case denial(Denials)
    /// The reason why a request was refused.
    case refusal(TaskRequestError)
    /// The reason why a process ended.
    case termination(TerminationReason)
    /// A diagnostic, which changes nothing.
    case diagnostic(Diagnostic)
    /// The system's warning that memory is short.
    case memoryWarning
  }

  /// A fact behind a decision.
  public struct Fact: Hashable, Sendable {
    /// The source of the fact.
    public let owner: Owner
    /// The name: a policy's path (`tasks.grant`), a manifest's key (`exitsOnSuspend`), a fact
    /// of the device (`memory`), an action (`forceQuit`), or a host's lateness (`late`).
    public let key: String
    /// The value in canonical form: `30s`. nil for a table, and for an action.
    public let value: String?
    /// The place where it is written.
    public let place: Place
    /// The confidence in a policy's value.
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

  /// The source of a fact.
  public enum Owner: String, Hashable, Sendable, CaseIterable {
    /// The policy.
    case policy
    /// The app's manifest, or the app's own switch.
    case manifest
    /// The device.
    case device
    /// An action of the user.
    case user
    /// An action of the app.
    case app
    /// An action of the host: a scenario's timeline, or the program that embeds the device.
    case host
  }

  /// The place where a fact is written.
  public enum Place: Hashable, Sendable {
    /// A known place.
    case at(SourcePlace)
    /// This file; the line is not known.
    case file(String)
    /// Not in a file: a program or a trace gives the value.
    case unwritten
    /// Nowhere: the fact is an action, not a value.
    case nowhere
  }

  /// The end of a process, as far as an explanation needs it.
  package struct End: Hashable, Sendable {
    /// The reason.
    package var reason: TerminationReason
    /// The kind of assertion that ran out; `finiteTask` for a grant.
    package var kind: KindName?
    /// The callback that overran.
    package var callback: Callback?
    /// The reason why a grant ended.
    package var expiration: ExpirationReason?
    /// The limit that a session or a wake exceeded.
    package var limit: RunLimit
    /// The lateness of the warning's decision, if the host was too late to warn.
    package var late: Interval?
    /// The length that the delivery of a wake named, if it is shorter than the row's (rule W7).
    package var ownLength: Interval?
    /// The status, the signal or the error of an end that has one.
    package var exit: ExitDetail?
    /// Whether the app itself caused the end. For `normalAppExit` the reason alone does not
    /// show this.
    package var isByItself = false

    /// Creates an end for this reason.
    package init(
      _ reason: TerminationReason, kind: KindName? = nil, callback: Callback? = nil,
      expiration: ExpirationReason? = nil,
      limit: RunLimit = .length, late: Interval? = nil, ownLength: Interval? = nil
    ) {
      self.reason = reason
      self.kind = kind
      self.callback = callback
      self.expiration = expiration
      self.limit = limit
      self.late = late
      self.ownLength = ownLength
    }
  }

  /// The app and the device that an explanation is about, as they were at the explained event.
  package struct Setting: Sendable {
    /// The app's name; nil for the whole device.
    package var app: String?
    /// The app's declarations; `backgroundRefresh` is the state of its switch.
    package var manifest: AppManifest
    /// The place where the manifest is written.
    package var manifestPlace: Place
    /// The facts of the device.
    package var device: DeviceFacts
    /// The place where the device's facts are written.
    package var devicePlace: Place

    /// Creates a setting. The defaults are an app that declares nothing and a device with the
    /// default facts.
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
