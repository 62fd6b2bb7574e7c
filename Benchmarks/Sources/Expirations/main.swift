import Curfew
import Foundation

// Expirations: N apps are in the background. Each has a task, whose warning is due a little after
// the previous app's warning. Every handler ends its task, and the app is suspended. Nothing else
// happens meanwhile. For each expiration, the benchmark measures the processor time of the whole
// process (user and system) and the lateness of the handler's first line. Interleaved segments
// of the same run measure a bare timer loop on the same deadlines.

let isSmoke = CommandLine.arguments.contains("--smoke")
let count = isSmoke ? 500 : 4_000
let distance: Int64 = 500_000
let segments = isSmoke ? 1 : 5

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

func column(_ value: Double) -> String {
  let text = "\((value / 100).rounded() / 10)"
  return String(repeating: " ", count: max(0, 12 - text.count)) + text
}

func row(_ name: String, _ samples: [Sample]) {
  let figures = [
    median(samples.map(\.cost)), median(samples.map { Double($0.percentile(0.5)) }),
    median(samples.map { Double($0.percentile(0.99)) }),
    samples.map { Double($0.percentile(1)) }.max()!,
  ]
  print(name + figures.map(column).joined())
}

var ours: [Sample] = []
var floor: [Sample] = []
for _ in 0..<segments {
  guard let (sample, dues) = try? runDevice(apps: count, distance: distance) else {
    print("inconclusive: the machine is too busy")
    exit(7)
  }
  ours.append(sample)
  let start = now() + 20_000_000
  floor.append(runBareLoop(dues.map { $0 + start }))
}
print(
  "\(count) expirations, one every \(distance / 1_000) us, medians of \(segments) interleaved segments; microseconds"
)
print("                 cost         p50         p99         max")
row("a device ", ours)
row("bare loop", floor)
let early = ours.flatMap(\.latenesses).filter { $0 < 0 }.count
precondition(early == 0, "\(early) handlers came early")
@MainActor func ratio(_ read: (Sample) -> Double) -> Double {
  (median(zip(ours, floor).map { read($0) / read($1) }) * 100).rounded() / 100
}
let ratios = [
  ratio(\.cost), ratio { Double($0.percentile(0.5)) }, ratio { Double($0.percentile(0.99)) },
]
print("relative to the loop: cost \(ratios[0]), p50 \(ratios[1]), p99 \(ratios[2])")
