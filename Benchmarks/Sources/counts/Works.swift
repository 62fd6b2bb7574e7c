import Curfew
import CurfewEngine
import CurfewPolicy
@_spi(Benchmarks) import CurfewSimulation
import CurfewText
import CurfewTrace

/// A fixed amount of work after its set-up. Returns the difference between the result and
/// the expected result; nil for none.
typealias Work = () throws -> String?

func works() -> [(name: String, make: () throws -> Work)] {
  [
    ("cycle-10000", { cycle(apps: 10_000, cycles: 40_000, checksum: 221_752_590_909_104_524) }),
    (
      "cycle-100000", { cycle(apps: 100_000, cycles: 100_000, checksum: 6_806_174_017_050_690_451) }
    ),
    ("begin-end-engine", { engineTasks(pairs: 50_000) }),
    ("begin-end", { deviceTasks(pairs: 20_000) }),
    ("expiration", { expirations(apps: 2_000) }),
    ("wake-admitted", { wakes(5_000, areAdmitted: true) }),
    ("wake-denied", { wakes(20_000, areAdmitted: false) }),
    ("purge", { purges(2_000, apps: 1_000, checksum: 16083073034059304835) }),
    ("fleet", { try fleet(devices: 20, events: 49_291) }),
    ("trace-write", { try traceWriting(rounds: 20) }),
    ("trace-replay", { try traceReplay(rounds: 5) }),
    ("policy", { policyLoading(rounds: 5) }),
  ]
}

func difference<Number: BinaryInteger>(_ what: String, _ found: Number, _ expected: Number)
  -> String?
{ found == expected ? nil : "\(what): \(found) instead of \(expected)" }

/// Pairs of `beginBackgroundTask` with a handler and `endBackgroundTask`.
private func deviceTasks(pairs: Int) -> Work {
  let device = Device(policy: .ios13, facts: DeviceFacts(memory: 1 << 50))
  let apps = (0..<1_000).map { device.register("app\($0)") }
  let handler: @Sendable () -> Void = { _ = device }
  func run(_ pairs: Int) {
    for _ in 0..<pairs {
      apps[0].endBackgroundTask(
        apps[0].beginBackgroundTask(withName: nil, expirationHandler: handler))
    }
  }
  apps[0].launch()
  run(100)
  return {
    let before = device.counts.events
    run(pairs)
    return difference("events", device.counts.events - before, 2 * pairs)
      ?? difference("open tasks", device.openTasks.count, 0)
      ?? difference("problems", device.diagnostics.count, 0)
  }
}

/// Begins a task when its app leaves the foreground, and ends it in the handler.
private final class Uploader: AppDelegate, @unchecked Sendable {
  var expired = 0

  func applicationDidEnterBackground(_ app: App) {
    _ = app.beginBackgroundTask(withName: "upload") { [unowned self] expiration in
      expired += 1
      app.endBackgroundTask(expiration.identifier)
    }
  }
}

/// Expirations on a virtual clock.
private func expirations(apps: Int) -> Work {
  let device = Device(policy: .ios13, facts: DeviceFacts(memory: 1 << 50))
  let uploaders = (0..<apps).map { _ in Uploader() }
  for (index, uploader) in uploaders.enumerated() {
    let app = device.register("app\(index)", delegate: uploader)
    app.launch()
    app.home()
  }
  return {
    device.advance(by: .seconds(40))
    return difference("apps with one expiration", uploaders.count { $0.expired == 1 }, apps)
      ?? difference("ended processes", device.processEnds.count, 0)
  }
}

/// The default workload on devices, for a day.
private func fleet(devices: Int, events: Int) throws -> Work {
  let fleet = Fleet(try .shippedPhone(), devices: devices, length: .seconds(86_400), seed: 1)
  return { difference("events", fleet.runOnThisThread().figures[.events], events) }
}

/// The trace of the shipped day.
private func dayTrace() throws -> Trace {
  var simulation = Simulation(try .shippedDay())
  var lines: [TraceLine] = []
  _ = try simulation.run { lines.append($0) }
  return Trace(header: simulation.header, lines: lines)
}

extension Trace {
  fileprivate var text: String { header.json + "\n" + lines.map { $0.json() + "\n" }.joined() }
}

private func traceWriting(rounds: Int) throws -> Work {
  let trace = try dayTrace()
  let expected = trace.text.utf8.count
  return {
    var bytes = 0
    for _ in 0..<rounds { bytes += trace.text.utf8.count }
    return difference("bytes", bytes, rounds * expected)
  }
}

/// A trace read from its text and replayed.
private func traceReplay(rounds: Int) throws -> Work {
  let trace = try dayTrace()
  let text = Array(trace.text.utf8)
  return {
    for _ in 0..<rounds {
      let read = try Trace.decode(SourceFile(name: "day.jsonl", bytes: text))
      if let mistake = difference("lines", read.lines.count, trace.lines.count) { return mistake }
      if let divergence = try Replay.run(read, under: .load("ios13")) { return "\(divergence)" }
    }
    return nil
  }
}

/// A policy loaded with its parents.
private func policyLoading(rounds: Int) -> Work {
  let expected = PolicyFile.ios13.digest
  return {
    for _ in 0..<rounds {
      let digest = try PolicyFile.load("ios13").digest
      if digest != expected { return "digest: \(digest) instead of \(expected)" }
    }
    return nil
  }
}
