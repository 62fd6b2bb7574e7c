import Curfew
import CurfewUV
import Foundation

// Jobs: the cost of bounding a piece of work, and the lateness of its end. First, eight concurrent
// callers run work that ends at once; this measures jobs per second, and the processor time
// of each job. Then jobs begin one after another and wait until they are cancelled; this measures
// the lateness of each cancellation, from an intended instant that is counted from the call. The
// last part measures the lateness of the ends of grants whose bodies continue. Each contestant does
// the same work, in interleaved segments of one run.

let isSmoke = CommandLine.arguments.contains("--smoke")
let segments = isSmoke ? 1 : 5
let callers = 8
let jobs = isSmoke ? 400 : 20_000
let waiting = isSmoke ? 50 : 1_000
let limit = Duration.milliseconds(300)
let distance = Duration.microseconds(500)

let device = Device(policy: .server, clock: .realTime(try UVClock()))

/// The result of one contestant in one segment.
struct Sample: Sendable {
  /// The jobs per second.
  var rate: Double
  /// The processor time per job, in nanoseconds.
  var cost: Double
  /// The time from the intended instant of each cancellation to the body's first line after it,
  /// in nanoseconds, ascending.
  var latenesses: [Int64]

  func lateness(_ share: Double) -> Double {
    latenesses.isEmpty
      ? 0 : Double(latenesses[min(latenesses.count - 1, Int(Double(latenesses.count) * share))])
  }
}

func measure(_ contestant: Contestant) async throws -> Sample {
  let (start, used) = (now(), processorTime())
  try await withThrowingTaskGroup(of: Void.self) { group in
    for _ in 0..<callers {
      group.addTask {
        for _ in 0..<jobs / callers { try await contestant.run(.seconds(25), on: device) {} }
      }
    }
    try await group.waitForAll()
  }
  let (wall, processor) = (now() - start, processorTime() - used)
  return Sample(
    rate: Double(jobs) * 1e9 / Double(wall), cost: Double(processor) / Double(jobs),
    latenesses: contestant == .task ? [] : try await latenesses(contestant))
}

/// Returns the lateness of jobs that begin one after another and wait until they are cancelled.
func latenesses(_ contestant: Contestant) async throws -> [Int64] {
  try await withThrowingTaskGroup(of: Int64.self) { group in
    for _ in 0..<waiting {
      group.addTask {
        let (ends, ending) = AsyncStream<Int64>.makeStream()
        let start = now()
        try? await contestant.run(limit, on: device) {
          // Only the cancellation ends this sleep.
          try? await Task.sleep(for: .seconds(3600))
          ending.yield(now())
        }
        for await end in ends { return lateness(start, end) }
        return 0
      }
      try await Task.sleep(for: distance)
    }
    return try await group.reduce(into: []) { $0.append($1) }.sorted()
  }
}

/// Returns the lateness of the ends of grants, for jobs that ignore their cancellation.
func endLatenesses() async throws -> [Int64] {
  try await withThrowingTaskGroup(of: Int64.self) { group in
    for _ in 0..<waiting {
      group.addTask {
        let start = now()
        do {
          try await device.withGrant(limit, warning: limit / 2) {
            await Task.detached { try? await Task.sleep(for: limit * 2) }.value
          }
          preconditionFailure("A job that sleeps for twice its grant was in time")
        } catch { return lateness(start, now()) }
      }
      try await Task.sleep(for: distance)
    }
    return try await group.reduce(into: []) { $0.append($1) }.sorted()
  }
}

func lateness(_ start: Int64, _ end: Int64) -> Int64 {
  end - start - limit.components.attoseconds / 1_000_000_000
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

func column(_ text: String) -> String {
  String(repeating: " ", count: max(1, 12 - text.count)) + text
}

func microseconds(_ value: Double) -> String { column("\((value / 100).rounded() / 10)") }

var samples: [Contestant: [Sample]] = [:]
var ends: [Sample] = []
for _ in 0..<segments {
  for contestant in Contestant.allCases {
    samples[contestant, default: []].append(try await measure(contestant))
  }
  ends.append(Sample(rate: 0, cost: 0, latenesses: try await endLatenesses()))
}

print(
  "\(jobs) jobs by \(callers) callers, \(waiting) cancelled one every 500 us; medians of \(segments) interleaved segments; microseconds"
)
print(
  String(repeating: " ", count: 18)
    + ["jobs/s", "cost", "late p50", "p99", "max"].map(column).joined())

@MainActor func late(_ all: [Sample]) -> String {
  [0.5, 0.99].map { share in microseconds(median(all.map { $0.lateness(share) })) }.joined()
    + microseconds(all.map { $0.lateness(1) }.max() ?? 0)
}

func name(_ text: String) -> String { text + String(repeating: " ", count: 18 - text.count) }

for contestant in Contestant.allCases {
  let all = samples[contestant] ?? []
  let line =
    name(contestant.rawValue) + column("\(Int(median(all.map(\.rate))))")
    + microseconds(median(all.map(\.cost)))
  print(contestant == .task ? line : line + late(all))
}
print(name("GrantExpiredError") + column("") + column("") + late(ends))

let early = ((samples[.grant] ?? []) + ends).flatMap(\.latenesses).count { $0 < 0 }
precondition(early == 0 && device.runningJobs.isEmpty, "\(early) warnings and ends came early")

@MainActor func ratio(_ other: Contestant, _ read: (Sample) -> Double) -> Double {
  let pairs = zip(samples[.grant] ?? [], samples[other] ?? [])
  return (median(pairs.map { read($0) / read($1) }) * 100).rounded() / 100
}

for other in Contestant.allCases where other != .grant {
  var line =
    "withGrant of \(other.rawValue): jobs/s \(ratio(other, \.rate)), cost \(ratio(other, \.cost))"
  if other != .task {
    line +=
      ", late p50 \(ratio(other) { $0.lateness(0.5) }), p99 \(ratio(other) { $0.lateness(0.99) })"
  }
  print(line)
}
