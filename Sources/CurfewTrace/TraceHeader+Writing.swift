import CurfewEngine
import CurfewText

extension TraceHeader {
  /// The header's line, without a line end.
  public var json: String {
    var line = JSONLine()
    line.add("curfew", "trace/1")
    line.add("name", name)
    line.add("policy", policy)
    line.add("policyDigest", policyDigest)
    line.add("seed", seed)
    line.add("clock", clock)
    if apps.count > 1 { line.add("apps", apps) }
    if !device.isEmpty {
      var object = JSONLine()
      device.write(to: &object)
      line.add("device", json: object.closed)
    }
    var declared = JSONLine()
    var isPlain = true
    for app in apps {
      guard let manifest = manifests[app], manifest != TraceManifest() else { continue }
      declared.add(app, json: manifest.json)
      isPlain = false
    }
    if !isPlain { line.add("manifests", json: declared.closed) }
    return line.closed
  }
}

extension TraceManifest {
  /// What a plain app does not declare, in the order of a scenario's keys.
  fileprivate var json: String {
    var line = JSONLine()
    if !backgroundModes.isEmpty { line.add("backgroundModes", backgroundModes.fileNames) }
    if exitsOnSuspend { line.add("exitsOnSuspend", true) }
    if backgroundRefresh != .available { line.add("backgroundRefresh", backgroundRefresh.fileName) }
    if !permittedIdentifiers.isEmpty { line.add("permittedIdentifiers", permittedIdentifiers) }
    line.add("footprint", footprint.map(SizeText.write))
    line.add("memoryLimit", memoryLimit.map(SizeText.write))
    return line.closed
  }
}
