import CurfewEngine

// Memory pressure: N apps, nine tenths of which fit in memory. The user opens apps at random,
// and each app that has to be launched again displaces another. Per victim, the benchmark measures
// the whole engine (launch, two changes of state, suspension, purge); interleaved segments
// of the same run measure only the choice of the victim by a scan of all apps. Both must agree on
// every victim.

let isSmoke = CommandLine.arguments.contains("--smoke")
let seed: UInt64 = 1
/// `--apps 1000,100000` measures only these sizes.
let chosen = CommandLine.arguments.firstIndex(of: "--apps").map {
  CommandLine.arguments[($0 + 1)...].prefix(1)
}?.first
let sizes =
  chosen?.split(separator: ",").compactMap { Int($0) }
  ?? (isSmoke ? [1_000] : [1_000, 10_000, 100_000])
let segments = isSmoke ? 3 : 5
let clock = ContinuousClock()

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

func column(_ text: String, _ width: Int) -> String {
  String(repeating: " ", count: max(0, width - text.count)) + text
}

print(
  "memory pressure, seed \(seed), medians of \(segments) interleaved segments; nanoseconds per victim on one core"
)
print(
  column("apps", 9), column("engine", 10), column("scan", 12), column("scan/engine", 12),
  column("purged", 8), " checksum")

for apps in sizes {
  let draws = Draws(apps: apps, seed: seed)
  let capacity = draws.footprints.reduce(0, +) / 10 * 9
  var engine = EnginePhone(draws, capacity: capacity)
  var scan = ScanningPhone(draws, capacity: capacity)
  scan.fill()
  // The number is small enough for the scan to finish.
  let count = max(200, min(20_000, 20_000_000 / apps))
  var times: (engine: [Double], scan: [Double]) = ([], [])
  for _ in 0..<segments {
    times.engine.append(clock.measure { engine.run(purges: count) } / .nanoseconds(count))
    times.scan.append(clock.measure { scan.run(purges: count) } / .nanoseconds(count))
  }
  guard engine.checksum == scan.checksum, engine.purges == scan.purges else {
    print(
      "the contestants disagree at \(apps) apps: \(engine.purges) \(engine.checksum), \(scan.purges) \(scan.checksum)"
    )
    fatalError("the contestants' results differ")
  }
  let ratio = Int(median(times.scan) / median(times.engine) + 0.5)
  print(
    column("\(apps)", 9), column("\(Int(median(times.engine)))", 10),
    column("\(Int(median(times.scan)))", 12), column("\(ratio)", 12),
    column("\(engine.purges)", 8), " " + String(engine.checksum, radix: 16))
}
