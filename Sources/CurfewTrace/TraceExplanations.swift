package import CurfewEngine
public import CurfewPolicy

extension PolicyFile {
  /// Why what a line of a trace tells is so: one explanation for each reason of a denial, one for
  /// a refusal, an end, a remark and a warning of memory; none for anything else.
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
  /// Whether it may have an explanation, so that nobody looks for a setting in vain.
  fileprivate var mayBeExplained: Bool {
    switch self {
    case .decision(_, _, let denied, _): !denied.isEmpty
    case .request, .terminated, .diagnostic, .callback(.lifecycle(.didReceiveMemoryWarning)): true
    default: false
    }
  }
}

extension Explanation.End {
  /// The end of `process`, as far as its line tells.
  package init(_ process: TerminatedProcess) {
    self.init(
      process.reason, kind: process.details?.kind, callback: process.details?.callback,
      expiration: process.details?.expiration,
      limit: process.details?.limit ?? .length, late: process.late)
  }
}

/// Explains the lines of a trace, told one after the other, and keeps up meanwhile with what they
/// say of the device and of the apps' switches.
public struct TraceExplanations: Sendable {
  package let policy: PolicyFile
  private var device: Explanation.Setting
  private var apps: [String: Explanation.Setting]
  /// Whom the last line has crash, and when: an end that follows is its own doing.
  private var crash: (app: String?, time: Instant)?

  /// Before the first line.
  ///
  /// - Parameters:
  ///   - device: The setting of what concerns no app: what the device is like, and where that
  ///     is written.
  ///   - apps: Each app's, of which what it declares is looked at, and where that is written.
  ///     Others are plain ones.
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

  /// Before the first line of the trace with this header, which says what the device and the apps
  /// are like; no file does.
  public init(policy: PolicyFile, header: TraceHeader) {
    self.init(
      policy: policy, device: Explanation.Setting(device: header.device.applied(to: DeviceFacts())),
      apps: header.manifests.map { Explanation.Setting(app: $0, manifest: $1) })
  }

  /// Why what the next line tells is so.
  public mutating func explanations(of line: TraceLine) -> [Explanation] {
    if case .event(let deed) = line.body { note(deed, of: line.app, at: line.time) }
    guard line.body.mayBeExplained else { return [] }
    let setting = setting(of: line.app)
    if case .terminated(let process) = line.body, let crash, crash.app == line.app,
      crash.time == line.time
    {
      var end = Explanation.End(process)
      end.isByItself = true
      return [policy.explanation(of: end, in: setting)]
    }
    return policy.explanations(of: line, in: setting)
  }

  private mutating func note(_ deed: Deed, of app: String?, at time: Instant) {
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
