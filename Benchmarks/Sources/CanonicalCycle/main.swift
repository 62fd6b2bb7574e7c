import CurfewEngine

// The canonical cycle: each of N independent apps is in the foreground for an exponential time
// of mean 60 s. It then leaves with one task, whose work takes an exponential time of mean 20 s
// under a grant of 30 s (the handler ends the task). Finally it is suspended for an exponential
// time of mean 300 s.
//
// The benchmark measures app cycles per second on one core. Interleaved segments of the same run
// measure the bare timer queue (the floor) and a binary heap with lazy deletion (the rival) on
// the same deadlines. All three must agree on every suspension.

let isSmoke = CommandLine.arguments.contains("--smoke")
let seed: UInt64 = 1
/// `--apps 10000,1000000` measures only these sizes.
let chosen = CommandLine.arguments.firstIndex(of: "--apps").map {
  CommandLine.arguments[($0 + 1)...].prefix(1)
}?.first
let sizes =
  chosen?.split(separator: ",").compactMap { Int($0) }
  ?? (isSmoke ? [1_000, 10_000] : [1_000, 10_000, 100_000, 1_000_000])
let segments = isSmoke ? 3 : 5
let draws = Draws(seed: seed)
let clock = ContinuousClock()

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

func column(_ text: String, _ width: Int) -> String {
  String(repeating: " ", count: max(0, width - text.count)) + text
}

func millions(_ rate: Double) -> String {
  let hundredths = Int((rate / 10_000).rounded())
  let fraction = hundredths % 100
  return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
}

print(
  "canonical cycle, seed \(seed), medians of \(segments) interleaved segments; million app cycles a second on one core"
)
print(
  column("apps", 9), column("engine", 8), column("bare queue", 11), column("lazy heap", 10),
  column("engine/bare", 12),
  column("ns/cycle", 9), column("expired", 8), " checksum")

for apps in sizes {
  var engine = EngineCycle(apps: apps, draws: draws)
  var bare = BareCycle(apps: apps, draws: draws, queue: TimerQueue(minimumCapacity: apps))
  var rival = BareCycle(apps: apps, draws: draws, queue: LazyHeap(minimumCapacity: apps))
  let count = isSmoke ? 20_000 : max(500_000, apps)

  // Warm-up: every app completes about two cycles, so that the phases are mixed and storage no
  // longer grows.
  let warmUp = isSmoke ? 2 * apps : max(500_000, 2 * apps)
  engine.run(cycles: warmUp)
  bare.run(cycles: warmUp)
  rival.run(cycles: warmUp)

  var rates: (engine: [Double], bare: [Double], rival: [Double]) = ([], [], [])
  for _ in 0..<segments {
    rates.engine.append(Double(count) / (clock.measure { engine.run(cycles: count) } / .seconds(1)))
    rates.bare.append(Double(count) / (clock.measure { bare.run(cycles: count) } / .seconds(1)))
    rates.rival.append(Double(count) / (clock.measure { rival.run(cycles: count) } / .seconds(1)))
  }
  guard engine.checksum == bare.checksum, engine.checksum == rival.checksum,
    engine.expirations == bare.expirations
  else {
    print(
      "the contestants disagree at \(apps) apps: \(engine.checksum) \(bare.checksum) \(rival.checksum)"
    )
    fatalError("the contestants' results differ")
  }
  let rate = median(rates.engine)
  let ratio = median(rates.engine) / median(rates.bare)
  print(
    column("\(apps)", 9), column(millions(rate), 8), column(millions(median(rates.bare)), 11),
    column(millions(median(rates.rival)), 10),
    column(millions(ratio * 1_000_000), 12), column("\(Int(1e9 / rate))", 9),
    column("\(engine.expirations)", 8),
    " " + String(engine.checksum, radix: 16))
}
