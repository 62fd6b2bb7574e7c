import CurfewEngine
import CurfewUV
import TestRuns
import TestSupport
import Testing

@Suite(.inTurn) struct TimeScaleTests {
  @Test(arguments: [
    ("1", 1, 1), ("0.01", 1, 100), ("2.5", 5, 2), ("0.000001", 1, 1_000_000),
    ("1000000", 1_000_000, 1), ("007.10", 71, 10),
    ("0.333333333333", 333_333_333_333, 1_000_000_000_000), ("1.000000000000000000000000", 1, 1),
    ("999999.999999999999", 999_999_999_999_999_999, 1_000_000_000_000),
  ])
  func `a scale is exactly the number in its text`(
    text: String, numerator: Int64, denominator: Int64
  ) throws {
    let scale = try #require(TimeScale(text))
    #expect(scale.numerator == numerator)
    #expect(scale.denominator == denominator)
    #expect(TimeScale(scale.description) == scale)
  }

  @Test(arguments: [
    "", ".", "1.", ".5", "-1", "+1", "1e3", "1,5", "0", "0.0", "0.0000009", "0.0000009999999",
    "1000000.000001", "1000001",
    "9999999.999999999999", "99999999999999999999",
    "0.0000000000001", "1.2.3", " 1", "٣", "one", "nan",
  ])
  func `text that is not a decimal number from a millionth to a million is refused`(
    text: String
  ) {
    #expect(TimeScale(text) == nil)
  }

  @Test func `a scale is written as it is read`() throws {
    for text in ["1", "0.01", "2.5", "0.000001", "1000000", "12.000000000001"] {
      #expect(try #require(TimeScale(text)).description == text)
    }
    #expect(TimeScale.one == TimeScale("1"))
  }

  @Test func `a grant of 30 s is over after 300 ms at a hundredth`() throws {
    let scale = try #require(TimeScale("0.01"))
    #expect(scale.wall(for: Instant(nanoseconds: 30_000_000_000)) == 300_000_000)
    #expect(scale.engine(atWall: 300_000_000) == Instant(nanoseconds: 30_000_000_000))
  }

  @Test
  func
    `a deadline becomes wall time by rounding up, and wall time becomes engine time by rounding down`()
    throws
  {
    let small = try #require(TimeScale("0.01"))
    #expect([1, 100, 101].map { small.wall(for: Instant(nanoseconds: $0)) } == [1, 1, 2])
    let large = try #require(TimeScale("2.5"))
    #expect([1, 2, 3].map { large.wall(for: Instant(nanoseconds: $0)) } == [3, 5, 8])
    #expect([2, 3, 4, 5].map { large.engine(atWall: $0).nanoseconds } == [0, 1, 1, 2])
  }

  @Test func `never stays never in both directions, and nothing is before the start`() throws {
    for text in ["0.000001", "1", "3.7", "1000000"] {
      let scale = try #require(TimeScale(text))
      #expect(scale.wall(for: .distantFuture) == .max)
      #expect(scale.engine(atWall: .max) == .distantFuture)
      #expect(scale.wall(for: Instant(nanoseconds: .min)) == 0)
      #expect(scale.engine(atWall: .min) == .zero)
    }
    #expect(
      try #require(TimeScale("1000000")).wall(for: Instant(nanoseconds: .max / 1_000)) == .max)
    #expect(try #require(TimeScale("0.000001")).engine(atWall: .max / 1_000) == .distantFuture)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `engine time reaches a deadline at its wall instant, and not a nanosecond before`(
    seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let whole =
        Int64.random(in: 0..<1_000_000, using: &random) >> Int64.random(in: 0..<20, using: &random)
      let fraction = "\(UInt64.random(in: 1..<1_000_000_000_000, using: &random))".prefix(
        Int.random(in: 1...12, using: &random))
      guard let scale = TimeScale("\(whole).\(fraction)") else { continue }
      for deadline in [
        1, 2, .max - 1, .max,
        Int64.random(in: 1...(.max), using: &random) >> Int64.random(in: 0..<62, using: &random),
      ] {
        let wall = scale.wall(for: Instant(nanoseconds: deadline))
        #expect(
          scale.engine(atWall: wall).nanoseconds >= deadline, "\(scale), deadline \(deadline)")
        #expect(
          wall == 0 || scale.engine(atWall: wall - 1).nanoseconds < deadline || wall == .max,
          "\(scale), deadline \(deadline)")
        expectFloor(scale, wall: deadline)
      }
    }
  }

  /// Checks the engine time against its definition: the largest number of nanoseconds whose wall
  /// time is not longer.
  private func expectFloor(_ scale: TimeScale, wall: Int64) {
    let engine = scale.engine(atWall: wall).nanoseconds
    guard engine < .max else { return }
    let taken = wall.multipliedFullWidth(by: scale.denominator)
    let least = engine.multipliedFullWidth(by: scale.numerator)
    let next = (engine + 1).multipliedFullWidth(by: scale.numerator)
    #expect(
      (least.high, least.low) <= (taken.high, taken.low)
        && (taken.high, taken.low) < (next.high, next.low), "\(scale), wall \(wall)")
  }
}
