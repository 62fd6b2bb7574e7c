package import CurfewEngine
public import CurfewPolicy

extension PolicyFile {
  /// Explains a line of a trace. A denial gets an explanation for each of its reasons. A refusal,
  /// an end, a diagnostic and a memory warning get one explanation, and all other lines none.
  package func explanations(of line: TraceLine, in setting: Explanation.Setting) -> [Explanation] {
    switch line.body {
    case .decision(let kind, _, let denied, let next):
      explanations(ofDenial: denied, kind: kind, next: next, in: setting)
    case .request(_, let kind, .refused(let error)):
      [explanation(ofRefusal: error, kind: kind, in: setting)]
    case .terminated(let process): [explanation(of: Explanation.End(process), in: setting)]
    case .diagnostic(_, .step(_, let objection, let place)):
      [explanation(ofIllegalStep: objection, at: place, in: setting)]
    case .diagnostic(let diagnostic, _): [explanation(of: diagnostic, in: setting)]
    case .callback(.lifecycle(.didReceiveMemoryWarning)): [explanationOfMemoryWarning(in: setting)]
    default: []
    }
  }
}

extension TraceLine.Body {
  /// Whether the line may have an explanation. The check saves the lookup of a setting.
  fileprivate var mayBeExplained: Bool {
    switch self {
    case .decision(_, _, let denied, _): !denied.isEmpty
    case .request, .terminated, .diagnostic, .callback(.lifecycle(.didReceiveMemoryWarning)): true
    default: false
    }
  }
}

extension Explanation.End {
  /// Creates the end of `process` from its line.
  package init(_ process: RecordedProcessEnd) {
    self.init(
      process.reason, kind: process.details?.kind, callback: process.details?.callback,
      expiration: process.details?.expiration,
      limit: process.details?.limit ?? .length, late: process.late,
      ownLength: process.details?.ownLength)
    exit = process.exit
  }
}

/// Explains the lines of a trace, one after the other, and keeps track of the device and the
/// apps' switches.
public struct TraceExplanations: Sendable {
  package let policy: PolicyFile
  private var device: Explanation.Setting
  private var apps: [String: Explanation.Setting]
  /// The app that the last line crashed, and the instant. If the app's process ends next, the app
  /// itself caused the end.
  private var crash: (app: String?, time: Instant)?
  /// The times that deliveries have named for their wakes.
  private var delivered = DeliveredTimes()

  /// Creates explanations before the first line.
  ///
  /// - Parameters:
  ///   - device: The setting of the whole device: its facts, and where they are written.
  ///   - apps: The settings of the apps: their manifests, and where they are written. Other apps
  ///     are plain ones.
  package init(policy: PolicyFile, device: Explanation.Setting, apps: [Explanation.Setting]) {
    self.policy = policy
    self.device = device
    self.apps = Dictionary(
      apps.compactMap { app in app.app.map { ($0, app) } }, uniquingKeysWith: { first, _ in first })
  }

  /// Whether the policy has a row for a kind.
  package func hasRow(of kind: KindName) -> Bool {
    policy.wake(kind) != nil || policy.session(kind) != nil
  }

  /// Creates explanations before the first line of the trace with this header, which describes
  /// the device and the apps without places in files.
  public init(policy: PolicyFile, header: TraceHeader) {
    self.init(
      policy: policy, device: Explanation.Setting(device: header.device.applied(to: DeviceFacts())),
      apps: header.manifests.map { Explanation.Setting(app: $0, manifest: $1) })
  }

  /// Explains the next line.
  public mutating func explanations(of line: TraceLine) -> [Explanation] {
    if case .event(let deed) = line.body { note(deed, of: line.app, at: line.time) }
    delivered.read(line, policy)
    guard line.body.mayBeExplained else { return [] }
    let setting = setting(of: line.app)
    if case .terminated(let process) = line.body, let crash, crash.app == line.app,
      crash.time == line.time
    {
      var end = Explanation.End(process)
      end.isByItself = true
      return [policy.explanation(of: end, in: setting)]
    }
    if case .terminated(let process) = line.body, let length = delivered.times?.length {
      var end = Explanation.End(process)
      end.ownLength = length
      return [policy.explanation(of: end, in: setting)]
    }
    return policy.explanations(of: line, in: setting)
  }

  /// The times of the wake of the last line, as far as its delivery decides them (rule W7).
  package var deliveredTimes: DeliveredTimes.Times? { delivered.times }

  private mutating func note(_ deed: EngineInput, of app: String?, at time: Instant) {
    crash = deed.verb == .crash ? (app, time) : nil
    if let change = deed.device { device.device = change.applied(to: device.device) }
    if let status = deed.status {
      guard let app else { return device.device.backgroundRefresh = status }
      apps[app, default: Explanation.Setting(app: app)].manifest.backgroundRefresh = status
    }
  }

  private func setting(of app: String?) -> Explanation.Setting {
    guard let app else { return device }
    var setting = apps[app] ?? Explanation.Setting(app: app)
    setting.device = device.device
    setting.devicePlace = device.devicePlace
    return setting
  }
}
