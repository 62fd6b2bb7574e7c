import Curfew
import CurfewEngine
import CurfewPolicy
@_spi(Benchmarks) import CurfewSimulation
import CurfewText
import CurfewTrace

@MainActor func works() -> [(name: String, make: @MainActor () throws -> Work)] {
  [
    ("cycle-10000", { cycle(apps: 10_000, cycles: 40_000, checksum: 12_217_765_564_243_309_043) }),
    (
      "cycle-100000",
      { cycle(apps: 100_000, cycles: 100_000, checksum: 16_784_421_490_669_042_930) }
    ),
    ("begin-end-engine", { try engineTasks(pairs: 50_000) }),
    ("begin-end-plain", { try deviceTasks(pairs: 20_000, shape: "plain") }),
    ("begin-end", { try deviceTasks(pairs: 20_000, shape: "handler") }),
    ("expiration", { expirations(apps: 2_000) }),
    ("wake-admitted", { wakes(5_000, areAdmitted: true) }),
    ("wake-denied", { wakes(20_000, areAdmitted: false) }),
    ("purge", { purges(apps: 1_000, steps: 32_000, checksum: 12_513_861_972_371_443_455) }),
    ("fleet", { try fleet(devices: 20, events: 49_291) }),
    ("trace-write", { try traceWriting(rounds: 20) }),
    ("trace-replay", { try traceReplay(rounds: 5) }),
    ("policy", { try policyReading(rounds: 5) }),
  ]
}

func difference<Number: BinaryInteger>(_ what: String, _ found: Number, _ expected: Number)
  -> String?
{ found == expected ? nil : "\(what): \(found) instead of \(expected)" }

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
@MainActor private func expirations(apps: Int) -> Work {
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
@MainActor private func fleet(devices: Int, events: Int) throws -> Work {
  let fleet = Fleet(try .shippedPhone(), devices: devices, length: .seconds(86_400), seed: 1)
  return { difference("events", fleet.runOnThisThread().figures[.events], events) }
}

/// The trace of the shipped day.
@MainActor private func dayTrace() throws -> Trace {
  var simulation = Simulation(try .shippedDay())
  var lines: [TraceLine] = []
  _ = try simulation.run { lines.append($0) }
  return Trace(header: simulation.header, lines: lines)
}

extension Trace {
  fileprivate var text: String { header.json + "\n" + lines.map { $0.json() + "\n" }.joined() }
}

@MainActor private func traceWriting(rounds: Int) throws -> Work {
  let trace = try dayTrace()
  let expected = trace.text.utf8.count
  return {
    var bytes = 0
    for _ in 0..<rounds { bytes += trace.text.utf8.count }
    return difference("bytes", bytes, rounds * expected)
  }
}

/// A trace read from its text and replayed.
@MainActor private func traceReplay(rounds: Int) throws -> Work {
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

/// A policy with all of its rules read from its text.
@MainActor private func policyReading(rounds: Int) throws -> Work {
  let source = try SourceFile(name: "policy.yaml", bytes: Array(PolicyFile.ios13.text.utf8))
  let expected = try PolicyFile.decode(source).digest
  return {
    for _ in 0..<rounds {
      let digest = try PolicyFile.decode(source).digest
      if digest != expected { return "digest: \(digest) instead of \(expected)" }
    }
    return nil
  }
}
