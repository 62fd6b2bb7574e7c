import TestRuns
import Testing

@testable import CurfewSimulation

@Suite(.inTurn) struct RandomStreamTests {
  private func first(_ n: Int, of stream: RandomStream) -> [UInt64] {
    var stream = stream
    return (0..<n).map { _ in stream.next() }
  }

  // MARK: Known numbers

  /// The same ten numbers are in the tests of the crate rand_xoshiro, and the C reference code
  /// prints them.
  @Test func `the numbers are those of xoshiro256++`() {
    let expected: [UInt64] = [
      41_943_041, 58_720_359, 3_588_806_011_781_223, 3_591_011_842_654_386,
      9_228_616_714_210_784_205, 9_973_669_472_204_895_162,
      14_011_001_112_246_962_877, 12_406_186_145_184_390_807, 15_849_039_046_786_891_736,
      10_450_023_813_501_588_000,
    ]
    #expect(first(10, of: RandomStream(state: 1, 2, 3, 4)) == expected)
    let fromExtremes: [UInt64] = [
      0xffff_ffff_ffff_ffff, 0xffff_ffff_ff00_000d, 0x7ffe_2000_0040_0008, 0x8003_3000_4440_0028,
      0x8003_30ff_e561_f776,
      0x3eef_c100_a261_f48b,
    ]
    #expect(first(6, of: RandomStream(state: .max, 0, 1 << 63, 1)) == fromExtremes)
  }

  @Test func `the millionth number is that of xoshiro256++`() {
    var stream = RandomStream(state: 1, 2, 3, 4)
    for _ in 1..<1_000_000 { _ = stream.next() }
    #expect(stream.next() == 0x56b4_05ec_9951_88b8)
  }

  /// Values from a C program that follows the documentation of `RandomPath` and `RandomStream`.
  @Test func `a path gives the numbers that the documented derivation gives`() {
    let root: [UInt64] = [
      0x4548_842a_c5be_a0b6, 0x01ae_6604_61e6_f35d, 0x76d0_8108_d476_9d41, 0x9626_8d59_0bac_6a7b,
    ]
    #expect(first(4, of: RandomStream(RandomPath(seed: 0))) == root)
    let path: [UInt64] = [
      0x97d0_5f13_8826_5b38, 0xa0ad_0b5a_74e9_4f33, 0x0531_2e3e_7ba5_63fe, 0x534c_0573_04a5_014a,
    ]
    #expect(first(4, of: RandomStream(seed: 42, device: 7, app: 3, purpose: 1)) == path)
    let extremes: [UInt64] = [
      0x2396_2fbb_7bac_d040, 0x93f1_bf93_5cbf_1c55, 0x2170_a32e_d9e0_fd98, 0x9566_fcd7_a8f8_4dd3,
    ]
    #expect(first(4, of: RandomStream(seed: .max, device: .max, app: 0, purpose: .max)) == extremes)
  }

  @Test func `a path depends on its parts and their order`() {
    let device = RandomPath(seed: 42).child(7)
    #expect(device.child(3).child(1) == RandomPath(seed: 42).child(7).child(3).child(1))
    #expect(
      first(4, of: RandomStream(device.child(3).child(1)))
        == first(4, of: RandomStream(seed: 42, device: 7, app: 3, purpose: 1)))
    #expect(device.child(1).child(3) != device.child(3).child(1))
    #expect(device != RandomPath(seed: 7).child(42))
    #expect(device != device.child(0))
  }

  // MARK: Draws

  @Test func `each draw takes one number`() {
    let weights = Distribution(.empirical(.init([1, 2, 3])))
    let draws: [(String, (inout RandomStream) -> Void)] = [
      ("unit", { _ = $0.unit() }), ("below 1", { _ = $0.below(1) }),
      ("below a lot", { _ = $0.below(.max) }),
      ("chance 0", { _ = $0.chance(0) }), ("chance 1", { _ = $0.chance(1) }),
      ("constant", { _ = Distribution(.constant(1)).draw(&$0) }),
      ("log-normal", { _ = Distribution(.logNormal(median: 1, sigma: 1)).draw(&$0) }),
      ("empirical", { _ = weights.draw(&$0) }),
      ("interval", { _ = Distribution(.exponential(mean: 1e9)).interval(&$0) }),
    ]
    for (name, draw) in draws {
      var (drawn, counted) = (RandomStream(RandomPath(seed: 5)), RandomStream(RandomPath(seed: 5)))
      for _ in 0..<10 {
        draw(&drawn)
        _ = counted.next()
      }
      #expect(first(4, of: drawn) == first(4, of: counted), "\(name)")
    }
  }

  /// Xoshiro's first number is rotl(s0 + s3, 23) + s0. The state (0, …, x) gives x rotated, so any
  /// first number can be produced.
  private func unit(of number: UInt64) -> Double {
    var stream = RandomStream(state: 0, 1, 1, number >> 23 | number << 41)
    return stream.unit()
  }

  @Test func `a unit is never 0 and never 1`() {
    #expect(unit(of: 0) == 0x1p-54)
    #expect(unit(of: (1 << 11) - 1) == 0x1p-54)
    #expect(unit(of: 1 << 11) == 0x1p-53)
    #expect(unit(of: 1 << 63) == 0.5)
    #expect(unit(of: .max) == 1 - 0x1p-53)
  }

  @Test(arguments: 1...3 as ClosedRange<UInt64>) func `units are evenly distributed`(seed: UInt64) {
    var stream = RandomStream(RandomPath(seed: seed))
    let failure = StatisticalCheck.unevenness((0..<100_000).map { _ in stream.unit() })
    #expect(failure == nil)
  }

  @Test(arguments: [2, 3, 7, 10, 100, 1_000]) func `numbers below a limit are equally likely`(
    limit: Int
  ) {
    for seed in 1...3 as ClosedRange<UInt64> {
      var stream = RandomStream(RandomPath(seed: seed))
      var counts = [Int](repeating: 0, count: limit)
      for _ in 0..<50_000 { counts[stream.below(limit)] += 1 }
      #expect(
        StatisticalCheck.misfit(counts, [Double](repeating: 1 / Double(limit), count: limit))
          == nil, "seed \(seed)")
    }
  }

  @Test func `the least and the greatest limit`() {
    var stream = RandomStream(RandomPath(seed: 1))
    var greatest = 0
    for _ in 0..<1_000 {
      #expect(stream.below(1) == 0)
      greatest = max(greatest, stream.below(.max))
    }
    #expect(greatest > Int.max / 100 * 98)
  }

  @Test(arguments: [0, 1e-3, 0.25, 0.5, 0.9, 1]) func `a chance occurs with its probability`(
    p: Double
  ) {
    var stream = RandomStream(RandomPath(seed: 11))
    let n = 100_000
    let hits = (0..<n).reduce(0) { hits, _ in hits + (stream.chance(p) ? 1 : 0) }
    #expect(abs(Double(hits) - Double(n) * p) <= 4 * (Double(n) * p * (1 - p)).squareRoot())
  }

  @Test func `a draw that is impossible traps`() async {
    await #expect(processExitsWith: .failure) {
      var stream = RandomStream(RandomPath(seed: 1))
      _ = stream.below(0)
    }
    await #expect(processExitsWith: .failure) {
      var stream = RandomStream(RandomPath(seed: 1))
      _ = stream.chance(.nan)
    }
  }
}
