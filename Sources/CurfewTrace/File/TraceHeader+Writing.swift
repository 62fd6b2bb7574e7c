import CurfewEngine
import CurfewPolicy
import CurfewText

extension TraceHeader {
  /// The header's line, without a line end.
  public var json: String {
    var line = JSONLine()
    line.add("curfew", TraceHeader.version)
    line.add("name", name)
    line.add("policy", policy)
    line.add("policyDigest", policyDigest)
    if !settings.isEmpty {
      var object = JSONLine()
      for setting in settings.sorted(by: { $0.path < $1.path }) {
        object.add(setting.path, setting.text)
      }
      line.add("set", json: object.closed)
    }
    line.add("seed", seed)
    line.add("clock", clock)
    line.add("continues", continues)
    if apps.count > 1 || namesOnlyApp, !apps.isEmpty { line.add("apps", apps) }
    if !device.isEmpty {
      var object = JSONLine()
      DeviceChange.values.write(device, to: &object)
      line.add("device", json: object.closed)
    }
    if !facts.isEmpty, case .texts(let texts) = Notation.facts.write(facts) {
      line.add("facts", texts)
    }
    var declared = JSONLine()
    var isPlain = true
    for app in apps {
      guard let manifest = manifests[app], manifest != AppManifest() else { continue }
      var object = JSONLine()
      (AppManifest.fields + AppManifest.traced).write(manifest, to: &object)
      declared.add(app, json: object.closed)
      isPlain = false
    }
    if !isPlain { line.add("manifests", json: declared.closed) }
    return line.closed
  }
}
