import CurfewEngine

/// The times of a plan of `fleet/1`. All contestants read the same times.
struct CyclePlan {
  let apps: Int
  /// The number of suspensions of a segment.
  let cycles: Int
  private let foreground: [Int64]
  private let work: [Int64]
  private let suspended: [Int64]

  /// - Parameters foreground, work, suspended: Tables of 4096 times in nanoseconds.
  init(apps: Int, cycles: Int, foreground: [Int64], work: [Int64], suspended: [Int64]) {
    (self.apps, self.cycles) = (apps, cycles)
    (self.foreground, self.work, self.suspended) = (foreground, work, suspended)
  }

  init(_ plan: inout Plan) throws {
    let apps = try plan.number("apps")
    guard apps < 1 << 28 else {
      throw CannotTakePart(reason: "numbers of apps have 28 bits, so \(apps) are too many")
    }
    self.init(
      apps: apps, cycles: try plan.number("cycles"),
      foreground: try CyclePlan.table(&plan, PlanKey("foreground")),
      work: try CyclePlan.table(&plan, PlanKey("work")),
      suspended: try CyclePlan.table(&plan, PlanKey("suspended")))
  }

  private static func table(_ plan: inout Plan, _ name: PlanKey) throws -> [Int64] {
    var table: [Int64] = []
    table.reserveCapacity(4096)
    try plan.readLine { if $0 == name { table.append($1) } }
    guard table.count == 4096 else { throw plan.wrong("expected a table of 4096 times") }
    return table
  }

  /// The time in the foreground in cycle `cycle` of app `app`.
  @inline(__always)
  func foreground(_ app: UInt32, _ cycle: UInt32) -> Interval {
    .nanoseconds(foreground[index(app, cycle)])
  }
  @inline(__always)
  func work(_ app: UInt32, _ cycle: UInt32) -> Interval { .nanoseconds(work[index(app, cycle)]) }
  @inline(__always)
  func suspended(_ app: UInt32, _ cycle: UInt32) -> Interval {
    .nanoseconds(suspended[index(app, cycle)])
  }

  /// The index depends only on app and cycle, not on the order in which apps are served.
  @inline(__always)
  private func index(_ app: UInt32, _ cycle: UInt32) -> Int {
    let mixed = (UInt64(app) << 32 | UInt64(cycle)) &* 0x9e37_79b9_7f4a_7c15
    return Int(truncatingIfNeeded: (mixed ^ (mixed >> 29)) >> 33) & 4095
  }
}

/// The results of cycles. The checksum is that of all suspensions since the beginning.
struct CycleCounts {
  private(set) var suspensions = 0
  private(set) var checksum: UInt64 = 0
  var expirations = 0
  /// The counts before the last segment.
  private var before = (suspensions: 0, expirations: 0)

  mutating func beginSegment() { before = (suspensions, expirations) }

  @inline(__always)
  mutating func noteSuspension(_ app: UInt32, at instant: Instant) {
    suspensions += 1
    checksum = (checksum &* 31) &+ UInt64(bitPattern: instant.nanoseconds) &+ UInt64(app)
  }

  func append(to text: inout Text) {
    text.append("suspensions", suspensions - before.suspensions)
    text.append("expirations", expirations - before.expirations)
    text.append("checksum", text: checksum)
  }
}
