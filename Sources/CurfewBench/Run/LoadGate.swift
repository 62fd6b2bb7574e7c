internal import CurfewSystem
internal import CurfewText

/// The load of other processes while a contestant is measured.
struct LoadGate {
  /// The share of the cores' time from which a segment is repeated.
  static let limit = 0.05
  /// The number of attempts at a segment.
  static let attempts = 10
  /// The least time about which the counts of idle time, in ticks of 10 ms, say enough.
  static let leastWindow: Int64 = 500_000_000

  /// The load and the contestant's processor time at one instant.
  struct Reading {
    let load: MachineLoad?
    let contestant: Int64

    init(_ process: ContestantProcess) {
      contestant = process.use.processorNanoseconds
      load = MachineLoad.now()
    }
  }

  /// The share that others have taken from `start` until now, and the length of that time. A time
  /// shorter than `window` is extended by waiting.
  static func share(
    since start: Reading, _ process: ContestantProcess, atLeast window: Int64 = 0
  ) -> (share: Double?, length: Int64) {
    var end = Reading(process)
    guard let before = start.load, var load = end.load else { return (nil, 0) }
    let missing = window - before.elapsed(until: load)
    if missing > 0 {
      SystemClock.monotonic.sleep(until: SystemClock.monotonic.now + missing)
      end = Reading(process)
      load = end.load ?? load
    }
    return (
      before.othersShare(until: load, children: end.contestant - start.contestant),
      before.elapsed(until: load)
    )
  }
}

/// The busiest processes of a time.
struct BusyProcesses {
  private let start: [Int32: ProcessEntry]
  private let instant: Int64

  init() {
    start = Dictionary(
      ProcessTable.all().map { ($0.identifier, $0) }, uniquingKeysWith: { $1 })
    instant = SystemClock.monotonic.now
  }

  /// The three processes outside of this one and the contestant's group that used most: `yes (pid
  /// 12, 98 % of a core)`.
  func busiest(besides group: Int32) -> String {
    let elapsed = Double(max(1, SystemClock.monotonic.now - instant))
    let used = ProcessTable.all().compactMap { entry -> (ProcessEntry, Int64)? in
      guard entry.group != group, entry.identifier != ProcessFacts.ownIdentifier else { return nil }
      let before = start[entry.identifier]?.processorNanoseconds ?? 0
      let spent = entry.processorNanoseconds - before
      return spent > 0 ? (entry, spent) : nil
    }
    let busiest = used.sorted { ($0.1, $1.0.identifier) > ($1.1, $0.0.identifier) }.prefix(3)
    if busiest.isEmpty { return "no process that is visible here" }
    return busiest.map { entry, spent in
      "\(entry.name) (pid \(entry.identifier), \(HumanNumber.percent(Double(spent) / elapsed)) of a core)"
    }.joined(separator: ", ")
  }
}
