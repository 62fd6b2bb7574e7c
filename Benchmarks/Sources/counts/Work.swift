/// A fixed amount of work. Its initializer does the set-up.
protocol Work: AnyObject {
  func run()
  /// The difference between the result and the expected result; nil for none.
  var mistake: String? { get }
}

struct NamedWork {
  let name: String
  let make: () throws -> any Work

  static var all: [NamedWork] {
    [
      NamedWork(name: "cycle-10000") {
        CycleWork(apps: 10_000, cycles: 40_000, expected: 0)
      },
      NamedWork(name: "cycle-100000") {
        CycleWork(apps: 100_000, cycles: 100_000, expected: 0)
      },
      NamedWork(name: "begin-end-engine") { EngineTasks(pairs: 50_000) },
      NamedWork(name: "begin-end") { DeviceTasks(pairs: 20_000) },
      NamedWork(name: "expiration") { Expirations(apps: 2_000) },
      NamedWork(name: "wake-admitted") { Wakes(5_000, areAdmitted: true) },
      NamedWork(name: "wake-denied") { Wakes(20_000, areAdmitted: false) },
      NamedWork(name: "purge") { Purges(apps: 1_000, purges: 2_000, expected: 0) },
      NamedWork(name: "fleet") { try FleetDay(devices: 20, events: 0) },
      NamedWork(name: "trace-write") { try TraceWriting(rounds: 20) },
      NamedWork(name: "trace-replay") { try TraceReplay(rounds: 5) },
      NamedWork(name: "policy") { PolicyLoading(rounds: 5) },
    ]
  }
}

/// A difference between two numbers, in words; nil if they are equal.
func difference<Number: BinaryInteger>(_ what: String, _ found: Number, _ expected: Number)
  -> String?
{ found == expected ? nil : "\(what): \(found) instead of \(expected)" }
