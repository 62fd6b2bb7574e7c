import CurfewEngine
import CurfewManifest
import CurfewPolicy
import CurfewText

/// Reads apps: their declarations, in the file or in a property list, and their behavior.
extension ScenarioReader {
  mutating func app(_ pair: SourceNode.Pair, _ id: AppID) -> ScenarioApp {
    let node = pair.value
    var manifest = manifest(node)
    var returns: [AppCall: Interval] = [:]
    for (moment, node) in moments(node["returns"]) { returns[moment] = node.interval }
    var on: [AppCall: [Step]] = [:]
    for (moment, node) in moments(node["on"]) { on[moment] = ownCalls(node, of: id) }
    manifest.handlesWakeExpiration =
      returns[.wakeExpirationHandler] != nil || on[.wakeExpirationHandler] != nil
    return ScenarioApp(
      identifier: pair.key, manifest: manifest, returns: returns,
      endsTasksOnExpiration: node["endsTasksOnExpiration"]?.flag ?? true, on: on,
      place: pair.keyPlace)
  }

  /// The app's property list, overridden by the keys of the file.
  private mutating func manifest(_ node: SourceNode) -> AppManifest {
    checkSizes(node)
    checkModes(node["backgroundModes"])
    checkFacts(node["facts"], ofApp: true)
    if node["manifest"] == nil, let variables = node["variables"] {
      findings.warn(
        at: variables.place, "'variables' have no effect without a 'manifest'")
    }
    let list = node["manifest"].flatMap { propertyList($0, variables: node["variables"]) }
    if let list, let place = node["manifest"]?.place, node["backgroundModes"] == nil,
      node["permittedIdentifiers"] == nil
    {
      for warning in list.requestWarnings where manifests.told.insert(warning).inserted {
        warn(of: warning, at: place)
      }
    }
    var manifest = list.map(AppManifest.init) ?? AppManifest()
    AppManifest.fields.read(node, into: &manifest)
    return manifest
  }

  private mutating func propertyList(_ node: SourceNode, variables: SourceNode?) -> InfoPlist? {
    guard let name = node.text, !name.isEmpty else { return nil }
    let path = SourceFile.path(name, relativeTo: source.name)
    let pairs = (variables?.pairs ?? []).compactMap { pair in
      pair.value.text.map { (name: pair.key, value: $0, place: pair.keyPlace) }
    }
    // Several apps may share one list, and one list may be read with the settings of several apps.
    let identity = ([path] + pairs.flatMap { [$0.name, $0.value] }).joined(separator: "\0")
    if let known = manifests.lists[identity] { return known }
    do {
      let list = try InfoPlist.read(
        path, variables: Dictionary(pairs.map { ($0.name, $0.value) }) { $1 })
      manifests.lists[identity] = list
      if !manifests.files.contains(path) { manifests.files.append(path) }
      let known = Set(list.remarksOnModes.filter { policyNames?.mode($0.key) != nil }.values)
      for warning in list.fileWarnings where !known.contains(warning) {
        warn(of: warning, at: node.place)
      }
      for unused in list.unusedVariables {
        let place = pairs.first { $0.name == unused.name }?.place ?? node.place
        manifests.warnings.append(
          FileDiagnostic(.warning, at: place, "the manifest '\(path)': \(unused.message)"))
      }
      return list
    } catch {
      // The error is reported in the scenario, which its author can correct: the list may belong
      // to somebody else's app.
      for found in error.diagnostics {
        findings.error(
          at: node.place,
          "the manifest '\(found.place?.description ?? found.file)': \(found.message)")
      }
      return nil
    }
  }

  private mutating func warn(of warning: FileDiagnostic, at place: SourcePlace) {
    manifests.warnings.append(
      FileDiagnostic(
        .warning, at: place,
        "the manifest '\(warning.place?.description ?? warning.file)': \(warning.message)"))
  }

}
