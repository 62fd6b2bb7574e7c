import CurfewEngine
@_spi(Benchmarks) import CurfewSimulation
import CurfewTrace

// The default workload on many devices: events per second on one core, compared with the bare
// engine on the same events and deadlines, in interleaved segments of one run. The second part
// measures the speed-up from a second thread; `--devices 10000` sets its number of devices.

let isSmoke = CommandLine.arguments.contains("--smoke")
let chosen = CommandLine.arguments.firstIndex(of: "--devices").flatMap {
  Int(CommandLine.arguments[$0 + 1])
}
let segments = isSmoke ? 3 : 9
let count = isSmoke ? 20 : 200
let day = Interval.seconds(86_400)
let clock = ContinuousClock()

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
func rounded(_ value: Double, _ places: Double = 100) -> String {
  "\((value * places).rounded() / places)"
}
func seconds(_ body: () -> Void) -> Double { clock.measure(body) / .seconds(1) }

let workload = try Workload.shippedPhone()
let fleet = Fleet(workload, devices: count, length: day, seed: 1)
let tapes = fleet.tapes(ofFirst: count)
var (fleets, bares, events, actions) = ([Double](), [Double](), 0, 0)
for _ in 0..<segments {
  fleets.append(seconds { events = fleet.run(jobs: 1).figures[.events] })
  bares.append(seconds { actions = tapes.reduce(0) { $0 + $1.play(until: .zero + day) } })
}
let ratios = zip(bares, fleets).map { $0 / $1 }
print(
  "\(count) devices, a day, seed 1, one thread; medians of \(segments) interleaved segments; \(events) events, \(actions) actions"
)
print("fleet  \(rounded(Double(events) / median(fleets) / 1e6)) M events/s")
print("bare   \(rounded(Double(events) / median(bares) / 1e6)) M events/s")
print(
  "fleet/bare \(rounded(median(ratios))) (\(ratios.map { rounded($0) }.joined(separator: " ")))")

let devices = chosen ?? (isSmoke ? 100 : 2_000)
let large = Fleet(workload, devices: devices, length: day, seed: 1)
var pairs: [(one: Double, two: Double)] = []
for _ in 0..<(isSmoke ? 1 : 5) {
  var (one, two) = (Figures(names: [], works: []), Figures(names: [], works: []))
  let first = seconds { one = large.run(jobs: 1).figures }
  let second = seconds { two = large.run(jobs: 2).figures }
  guard one == two else { fatalError("two threads give different figures from one") }
  pairs.append((first, second))
}
let shares = pairs.map { $0.two / $0.one }
print(
  "\(devices) devices: one thread \(rounded(median(pairs.map(\.one)))) s, two \(rounded(median(pairs.map(\.two)))) s"
)
print("two/one \(rounded(median(shares))) (\(shares.map { rounded($0) }.joined(separator: " ")))")
