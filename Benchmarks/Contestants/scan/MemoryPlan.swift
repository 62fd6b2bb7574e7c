/// The apps of a plan of `memory-pressure/1`: their footprints, and the order in which the user
/// opens them. Both are functions of the plan's seed, computed before the measurement.
struct MemoryPlan {
  let footprints: [Int64]
  /// The number of apps that the user opens in a segment.
  let steps: Int
  private let opened: [UInt32]

  /// Nine tenths of all footprints.
  var capacity: Int64 { footprints.reduce(0, +) / 10 * 9 }

  init(_ plan: inout Plan) throws {
    self.init(
      apps: max(2, try plan.number("apps")), steps: try plan.number("steps"),
      seed: plan.text("seed").flatMap { UInt64($0) } ?? 0)
  }

  init(apps: Int, steps: Int, seed: UInt64) {
    self.steps = steps
    func mixed(_ place: Int, _ table: UInt64) -> UInt64 {
      let mixed = (seed &* 4 &+ table) &* 0xd1b5_4a32_d192_ed03 &+ UInt64(place) &+ 1
      let product = (mixed ^ mixed >> 31) &* 0x9e37_79b9_7f4a_7c15
      return (product ^ product >> 29) >> 24
    }
    // 20 to 83 MiB in whole MiB, so that there are ties, which are broken by the last use.
    footprints = (0..<apps).map { Int64(20 + mixed($0, 1) % 64) << 20 }
    opened = (0..<1 << 16).map { UInt32(mixed($0, 2) % UInt64(apps)) }
  }

  func app(_ step: Int) -> UInt32 { opened[step & 0xffff] }
}

/// The apps that were purged. The checksum is that of all of them since the beginning.
struct Victims {
  private var count = 0
  private var before = 0
  private(set) var checksum: UInt64 = 0

  mutating func beginSegment() { before = count }

  mutating func note(_ app: Int) {
    count += 1
    checksum = (checksum &* 31) &+ UInt64(app)
  }

  func append(to text: inout Text) {
    text.append("victims", count - before)
    text.append("checksum", text: checksum)
  }
}
