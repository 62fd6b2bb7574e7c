import CurfewEngine
import CurfewPolicy

/// The basis of explanations: the current state of an app and the device.
extension DeviceState {
  /// The setting of an app; with nil, the setting of the whole device. A setting names no file for
  /// facts and manifests, because the program passes them as values.
  func setting(of app: AppID?) -> Explanation.Setting {
    guard let app else { return Explanation.Setting(device: driver.engine.deviceFacts) }
    let record = apps[app]
    var manifest = record.manifest
    manifest.backgroundRefresh = record.backgroundRefresh
    return Explanation.Setting(
      app: record.name, manifest: manifest, device: driver.engine.deviceFacts)
  }

  /// - Parameter isVoluntary: Whether the app ends its own process.
  func explained(_ end: EngineProcessEnd, isVoluntary: Bool) -> Explanation.End {
    var explained = Explanation.End(
      end.reason, kind: end.kind.map(names.name(of:)), callback: end.callback,
      expiration: end.expiration, limit: end.limit,
      late: end.late, ownLength: end.ownLength)
    explained.exit = end.exit
    explained.isByItself = isVoluntary
    return explained
  }
}
