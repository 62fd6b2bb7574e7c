import CurfewEngine
import CurfewPolicy
import CurfewText

/// Reads sorts of app.
extension WorkloadReader {
  mutating func apps(_ node: SourceNode?) -> [WorkloadApp] {
    guard let node, case .mapping(let pairs) = node.content else { return [] }
    if pairs.isEmpty { findings.error(at: node.place, "a workload needs at least one app") }
    let apps = pairs.map { app($0) }
    let count = apps.reduce(0) { $0 + $1.count }
    if count > WorkloadReader.mostApps {
      findings.error(
        at: node.place,
        "\(HumanCount.text(count)) apps on a device; the limit is \(HumanCount.text(WorkloadReader.mostApps))"
      )
    }
    return apps
  }

  /// The limit on the apps that a file may put on a device: far more than a real phone has.
  private static let mostApps = 100_000

  private mutating func app(_ pair: SourceNode.Pair) -> WorkloadApp {
    let node = pair.value
    var app = WorkloadApp(pair.key)
    checkSizes(node)
    checkModes(node["backgroundModes"])
    checkFacts(node["facts"], ofApp: true)
    AppManifest.fields.filter { $0.name != "footprint" }.read(node, into: &app.manifest)
    app.count = node["count"]?.text.flatMap { Int($0) } ?? 1
    app.share = node["share"]?.portion ?? 1
    app.popularity = node["popularity"]?.decimal ?? 1
    app.refreshOff = node["refreshOff"]?.portion ?? 0
    app.footprint = node["footprint"].flatMap {
      DistributionForm.size.distribution($0, relativeTo: source.name, &findings)
    }
    for pair in node["returns"]?.pairs ?? [] {
      guard let time = duration(pair.value) else { continue }
      if let callback = Callback(fileName: pair.key) {
        app.returns[callback] = time
      } else {
        app.handlerTime = time
      }
    }
    app.processor = node["processor"]?.text.flatMap { try? ShareText.read($0, upTo: 6_400) }
    app.tasks = (node["tasks"]?.pairs ?? []).compactMap { task($0) }
    app.sessions = (node["sessions"]?.pairs ?? []).compactMap { session($0) }
    app.wakes = (node["wakes"]?.pairs ?? []).compactMap { wake($0) }
    if app.wakes.count > WorkloadApp.mostWakes {
      findings.error(
        at: pair.keyPlace,
        "'\(pair.key)' has \(app.wakes.count) sorts of wake; the limit is \(WorkloadApp.mostWakes)")
    }
    return app
  }

  private mutating func task(_ pair: SourceNode.Pair) -> TaskModel? {
    guard let work = duration(pair.value["work"]) else { return nil }
    var task = TaskModel(pair.key, work: work, chance: pair.value["chance"]?.portion ?? 1)
    task.withoutHandler = pair.value["withoutHandler"]?.portion ?? 0
    task.leaks = pair.value["leaks"]?.portion ?? 0
    task.unfinished =
      pair.value["unfinished"]?.text.flatMap { TaskModel.Unfinished(rawValue: $0) } ?? .lost
    return task
  }

  private mutating func session(_ pair: SourceNode.Pair) -> SessionModel? {
    guard check(pair, .session), let length = duration(pair.value["length"]) else { return nil }
    return SessionModel(
      KindName(rawValue: pair.key), length: length, chance: pair.value["chance"]?.portion ?? 1)
  }

  private mutating func wake(_ pair: SourceNode.Pair) -> WakeModel? {
    guard check(pair, .wake) else { return nil }
    let node = pair.value
    var wake = WakeModel(KindName(rawValue: pair.key))
    wake.perDay = node["perDay"]?.decimal ?? 0
    wake.followsRhythm = node["followsRhythm"]?.flag ?? false
    (wake.interval, wake.earliest) = (node["interval"]?.interval, node["earliest"]?.interval)
    wake.requiresNetwork = node["requiresNetwork"]?.flag ?? false
    wake.requiresPower = node["requiresPower"]?.flag ?? false
    wake.work = duration(node["work"]) ?? wake.work
    wake.newData = node["newData"]?.portion ?? 1
    checkStart(of: wake, node)
    return wake
  }

  /// Checks that the policy lets such wakes start by the interval or request that the file gives.
  private mutating func checkStart(of wake: WakeModel, _ node: SourceNode) {
    guard let known, let kind = known.policy.names.kind(wake.kind) else { return }
    let start = known.policy.start(of: kind)
    let isSchedule = start == .opportunity || start == .interval
    if let place = node["interval"]?.place, !isSchedule {
      findings.error(
        at: place,
        "'interval' has no effect on '\(wake.kind)', whose 'start' is '\(start)'")
    }
    if let place = node["earliest"]?.place {
      if start != .request {
        findings.error(
          at: place, "'earliest' has no effect on '\(wake.kind)', whose 'start' is '\(start)'")
      }
      if wake.earliest == .zero {
        findings.error(
          at: place, "'earliest' must be more than 0s, or one request would start the next at once")
      }
    }
  }

  private mutating func check(_ pair: SourceNode.Pair, _ what: AssertionClass) -> Bool {
    let name = KindName(rawValue: pair.key)
    guard let names = policyNames else { return true }
    let known = names.kinds(what)
    if known.contains(name) { return true }
    findings.error(at: pair.keyPlace) {
      "unknown \(what == .wake ? "wake" : "session") '\(name)'"
        + $0.hint(for: name.rawValue, among: known.map(\.rawValue), "allowed here")
    }
    return false
  }
}

extension WorkloadApp {
  /// The limit on an app's sorts of wake.
  static let mostWakes = 64
}
