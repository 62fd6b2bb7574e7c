internal import CurfewEngine

/// The apps and the device of a trace, read back from what was decided about them.
///
/// A trace holds no manifests, but for the apps that opt out of the background. It need not: the rest enters the engine's decisions only, and each
/// decision names all facts that denied it. An app of which no decision says otherwise may as well have declared every mode.
struct TraceRoster {
  /// In file order.
  var apps: [String]
  var manifests: [Manifest]
  var device = DeviceFacts()

  init(_ trace: Trace, policy: Policy) {
    apps = trace.header.apps
    var indices = Dictionary(uniqueKeysWithValues: apps.enumerated().map { ($1, $0) })
    for case let app? in trace.lines.lazy.map(\.app) where indices[app] == nil {
      indices[app] = apps.count
      apps.append(app)
    }
    let allModes = BackgroundModes.named.reduce(into: BackgroundModes()) { $0.formUnion($1) }
    manifests = Array(repeating: Manifest(backgroundModes: allModes), count: apps.count)

    for app in trace.header.exitsOnSuspend { indices[app].map { manifests[$0].exitsOnSuspend = true } }
    for line in trace.lines {
      guard case .decision(let kind, let denied) = line.body, let app = line.app.flatMap({ indices[$0] }) else { continue }
      learn(app, kind, denied, policy)
    }
  }

  private mutating func learn(_ app: Int, _ kind: AssertionKind, _ denied: DenialReasons, _ policy: Policy) {
    if denied.contains(.modeNotDeclared) {
      manifests[app].backgroundModes.subtract(kind.class == .session ? kind.sessionMode : policy.wakes[kind]?.modes ?? [])
    }
    if denied.contains(.backgroundRefreshRestricted) {
      // An app's own switch has one position: the device's is the other reason.
      if denied.contains(.backgroundRefreshDenied) { device.backgroundRefresh = false }
      manifests[app].backgroundRefresh = .restricted
    } else if denied.contains(.backgroundRefreshDenied) {
      manifests[app].backgroundRefresh = .denied
    }
    if denied.contains(.lowPowerMode) { device.lowPowerMode = true }
    if denied.contains(.lowBattery) { device.lowBattery = true }
  }
}
