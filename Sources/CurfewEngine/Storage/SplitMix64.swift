/// SplitMix64: the same seed gives the same numbers on every platform and in every process.
///
/// The engine draws no random numbers. The generator is in this module because load-test plans,
/// tests and benchmarks all import the module. The generator is SPI, to hide it from other users.
/// Each user derives its own draws from these numbers; the order of the draws is part of the
/// meaning of a seed.
@_spi(Seeds) public struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates the stream of `seed`.
  public init(seed: UInt64) { state = seed }

  /// The next number of the stream.
  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}
