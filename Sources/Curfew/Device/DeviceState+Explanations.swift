import CurfewEngine
import CurfewPolicy

/// The basis of explanations: an app and the device as they are now.
extension DeviceState {
  /// The setting of an app; nil for the whole device. Facts and manifests of a program are
  /// not written in any file.
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
      late: end.late)
    explained.isByItself = isVoluntary
    return explained
  }
}
