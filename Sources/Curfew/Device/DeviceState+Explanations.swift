import CurfewEngine
import CurfewPolicy

/// What explanations are made from: an app and the device as they are now.
extension DeviceState {
  /// nil for what concerns the whole device. A program's facts and manifests are written
  /// in no file.
  func setting(of app: AppID?) -> Explanation.Setting {
    guard let app else { return Explanation.Setting(device: driver.engine.deviceFacts) }
    let record = apps[app]
    var manifest = record.manifest
    manifest.backgroundRefresh = record.backgroundRefresh
    return Explanation.Setting(
      app: record.name, manifest: manifest, device: driver.engine.deviceFacts)
  }

  /// - Parameter isVoluntary: Whether the app ends its own process.
  func explained(_ end: Termination, isVoluntary: Bool) -> Explanation.End {
    var explained = Explanation.End(
      end.reason, kind: end.kind.map(names.name(of:)), callback: end.callback,
      expiration: end.expiration, limit: end.limit,
      late: end.late)
    explained.isByItself = isVoluntary
    return explained
  }
}
