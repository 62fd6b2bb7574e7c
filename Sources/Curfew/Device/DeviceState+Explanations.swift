import CurfewEngine
import CurfewPolicy

/// What explanations are made from: an app and the device as they are now.
extension DeviceState {
  /// nil for what concerns the whole device. A program's facts and manifests are written in no file.
  func setting(of app: AppID?) -> Explanation.Setting {
    guard let app else { return Explanation.Setting(device: driver.engine.deviceFacts) }
    let record = apps[Int(app.rawValue)]
    var manifest = record.manifest
    manifest.backgroundRefresh = record.backgroundRefresh
    return Explanation.Setting(app: record.name, manifest: manifest, device: driver.engine.deviceFacts)
  }

  /// Remembers of what enters what the engine does not tell again.
  mutating func noteForExplanations(_ event: Event) {
    switch event {
    case .setRefresh(let app?, let status): apps[Int(app.rawValue)].backgroundRefresh = status
    case .crash(let app, _): crashing = app
    default: break
    }
  }

  func explained(_ end: Termination, of app: Int) -> Explanation.End {
    var explained = Explanation.End(
      end.reason, kind: end.kind.map(names.name(of:)), callback: end.callback, expiration: end.expiration, limit: end.limit,
      late: end.late)
    explained.isByItself = crashing.map { Int($0.rawValue) == app } ?? false
    return explained
  }
}
