internal import CurfewSystem

/// The times of apps, from a plan.
struct FleetTables: Sendable {
  static let count = 4_096

  let foreground: [Int64]
  let work: [Int64]
  let suspended: [Int64]

  /// The index depends only on app and cycle, not on the order in which apps are served.
  static func index(_ app: UInt32, _ cycle: UInt32) -> Int {
    let mixed = (UInt64(app) << 32 | UInt64(cycle)) &* 0x9e37_79b9_7f4a_7c15
    return Int(truncatingIfNeeded: (mixed ^ (mixed >> 29)) >> 33) & (count - 1)
  }
}

/// One suspension of an app. Suspensions at one instant are ordered by the instants at which
/// their apps left the foreground, then by those at which they entered it, then by
/// their previous suspensions.
struct FleetSuspension: Comparable {
  let instant: Int64
  let home: Int64
  let front: Int64
  /// The number of the app's previous suspension among all. At first, it is negative and in
  /// the order of the apps.
  let previous: Int64
  let app: UInt32
  let cycle: UInt32
  let isExpired: Bool

  static func < (a: Self, b: Self) -> Bool {
    if a.instant != b.instant { return a.instant < b.instant }
    if a.home != b.home { return a.home < b.home }
    if a.front != b.front { return a.front < b.front }
    return a.previous < b.previous
  }
}

/// The canonical cycle without a queue of timers. No app has an influence on another one, so the
/// times of a cycle are sums of the plan's, and a binary heap of the next suspension of each app
/// gives their order.
struct FleetCycle {
  /// The warning comes this long after the app has left the foreground, and ends its work.
  private static let warning: Int64 = 25_000_000_000

  private let tables: FleetTables
  private var heap: [FleetSuspension]
  private var suspensions: Int64 = 0
  /// The expirations of the apps that were suspended.
  private var expired = 0
  /// All expirations, which come before the first suspension of their instant.
  private(set) var expirations = 0
  private(set) var checksum: UInt64 = 0

  init(apps: Int, _ tables: FleetTables) {
    self.tables = tables
    heap = (0..<apps).map { app in
      FleetCycle.suspension(UInt32(app), 0, after: 0, previous: Int64(app - apps), tables)
    }
    for parent in (0..<apps / 2).reversed() { sink(heap[parent], from: parent) }
  }

  /// Goes on until `count` more suspensions have happened.
  mutating func run(suspensions count: Int) {
    var now: Int64 = 0
    for _ in 0..<count {
      let first = heap[0]
      now = first.instant
      if first.isExpired { expired += 1 }
      checksum = (checksum &* 31) &+ UInt64(bitPattern: first.instant) &+ UInt64(first.app)
      let next = FleetCycle.suspension(
        first.app, first.cycle + 1, after: first.instant, previous: suspensions, tables)
      suspensions += 1
      sink(next, from: 0)
    }
    expirations = expired + heap.count { $0.isExpired && $0.instant == now }
  }

  private static func suspension(
    _ app: UInt32, _ cycle: UInt32, after suspended: Int64, previous: Int64, _ tables: FleetTables
  ) -> FleetSuspension {
    let index = FleetTables.index(app, cycle)
    let front = suspended + tables.suspended[index]
    let home = front + tables.foreground[index]
    let work = tables.work[index]
    return FleetSuspension(
      instant: home + min(work, warning), home: home, front: front, previous: previous, app: app,
      cycle: cycle, isExpired: work >= warning)
  }

  /// Puts an entry in place of another one that does not come after it.
  private mutating func sink(_ entry: FleetSuspension, from top: Int) {
    var place = top
    while 2 * place + 1 < heap.count {
      var child = 2 * place + 1
      if child + 1 < heap.count, heap[child + 1] < heap[child] { child += 1 }
      guard heap[child] < entry else { break }
      heap[place] = heap[child]
      place = child
    }
    heap[place] = entry
  }
}

/// The right answers to a plan of `fleet/1`, computed once for all contestants of a repetition and
/// only as far as they are asked for.
package final class FleetReference: @unchecked Sendable {
  struct Answer: Hashable {
    var expirations: Int
    var checksum: UInt64
  }

  private let apps: Int
  private let cycles: Int
  private let tables: FleetTables
  private let lock = Lock()
  private var cycle: FleetCycle?
  private var answers: [Answer] = []

  init(apps: Int, cycles: Int, _ tables: FleetTables) {
    (self.apps, self.cycles, self.tables) = (apps, cycles, tables)
  }

  /// The answer about a segment, counted from 0.
  func answer(_ segment: Int) -> Answer {
    lock.withLock {
      if cycle == nil { cycle = FleetCycle(apps: apps, tables) }
      while answers.count <= segment {
        let before = cycle?.expirations ?? 0
        cycle?.run(suspensions: cycles)
        answers.append(
          Answer(
            expirations: (cycle?.expirations ?? 0) - before, checksum: cycle?.checksum ?? 0))
      }
      return answers[segment]
    }
  }

  func judge(_ answer: JSONValue, _ segment: SegmentMeasurement) -> AnswerVerdict {
    for key in ["suspensions", "expirations"] where answer[key]?.number == nil {
      return .unreadable(answer.complaint(about: key, expected: "a whole number"))
    }
    guard let suspensions = answer["suspensions"]?.number,
      let expirations = answer["expirations"]?.number, let checksum = answer["checksum"]?.text
    else { return .unreadable(answer.complaint(about: "checksum", expected: "text")) }
    let right = self.answer(segment.index)
    guard suspensions == Int64(cycles) else {
      return .wrong("\(suspensions) suspensions in a segment, \(cycles) would be right")
    }
    guard expirations == Int64(right.expirations) else {
      return .wrong("\(expirations) expirations in a segment, \(right.expirations) would be right")
    }
    guard checksum == String(right.checksum) else {
      return .wrong("the checksum is \(checksum.prefix(40)), \(right.checksum) would be right")
    }
    var findings = SegmentFindings()
    findings.add("cycle", segment.length / Double(cycles))
    findings.add("memory", Double(segment.peakMemory) / Double(apps))
    return .right(findings)
  }
}
