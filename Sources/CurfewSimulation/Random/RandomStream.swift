@_spi(Seeds) import CurfewEngine

/// A stream of random numbers: xoshiro256++ 1.0, 32 bytes of state, with a period of 2^256 - 1.
///
/// Each draw takes exactly one 64-bit number, whatever its result and its parameters are. The n-th
/// draw of a stream therefore always uses the n-th number.
///
/// Source: D. Blackman, S. Vigna, "Scrambled Linear Pseudorandom Number Generators", ACM
/// Transactions on Mathematical Software 47 (2021), arXiv:1805.01407 (2019); the reference code
/// is `xoshiro256plusplus.c` at prng.di.unimi.it. SplitMix64 alone was rejected: all its streams
/// are parts of one cycle of 2^64 numbers, in which many long streams would overlap.
///
/// ## How the state is derived
///
/// The state consists of four numbers of SplitMix64, from the two words `a` and `b` of a
/// `RandomPath`: the second and third with the seed `a`, then the second and third with the seed
/// `b`. The first ones are skipped because `child(0)` of the path uses them. SplitMix64 returns
/// zero in only one of its states, so the four are never all zero, the one state that xoshiro must
/// not have.
///
/// ## Why streams do not overlap
///
/// Streams of different paths start at unrelated places of the cycle. n streams of L numbers each
/// overlap somewhere with a probability of at most n² L / 2^256 (Vigna, same source): 2^-156 for
/// 2^30 streams of 2^40 numbers. Equal paths are likelier, but still less likely than 2^-68;
/// see `RandomPath`.
public struct RandomStream: RandomNumberGenerator, Sendable, BitwiseCopyable {
  private var s0, s1, s2, s3: UInt64

  /// The stream of this path, from its first number.
  /// - Complexity: O(1), some nanoseconds; it allocates nothing.
  public init(_ path: RandomPath) {
    var (first, second) = (SplitMix64(seed: path.a), SplitMix64(seed: path.b))
    (_, _) = (first.next(), second.next())
    (s0, s1) = (first.next(), first.next())
    (s2, s3) = (second.next(), second.next())
  }

  /// The stream of the path `device`, `app`, `purpose` under
  /// `seed`: `RandomPath(seed: seed).child(device).child(app).child(purpose)`.
  /// - Complexity: O(1), some tens of nanoseconds; it allocates nothing.
  package init(seed: UInt64, device: UInt64, app: UInt64, purpose: UInt64) {
    self.init(RandomPath(seed: seed).child(device).child(app).child(purpose))
  }

  /// A stream that continues from this state, for tests.
  init(state s0: UInt64, _ s1: UInt64, _ s2: UInt64, _ s3: UInt64) {
    precondition(
      s0 | s1 | s2 | s3 != 0, "All four numbers of the state are 0")
    (self.s0, self.s1, self.s2, self.s3) = (s0, s1, s2, s3)
  }

  /// The next 64 bits.
  /// - Complexity: O(1).
  public mutating func next() -> UInt64 {
    let sum = s0 &+ s3
    let result = (sum << 23 | sum >> 41) &+ s0
    let shifted = s1 << 17
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= shifted
    s3 = s3 << 45 | s3 >> 19
    return result
  }

  // MARK: Draws of one number each

  /// A number above 0 and below 1: a multiple of 2^-53. All multiples are equally likely.
  /// 0 is replaced by 2^-54.
  ///
  /// Both ends are open because an inverse distribution function may be infinite there. (k + ½) ·
  /// 2^-53 was rejected: for large k it rounds up, finally to 1.
  /// - Complexity: O(1).
  public mutating func unit() -> Double {
    let multiple = Double(next() >> 11)
    return (multiple == 0 ? 0.5 : multiple) * 0x1p-53
  }

  /// A whole number from 0 up to, but not including, `n`.
  ///
  /// It is the high word of the product of `n` and 64 random bits. Some numbers are likelier than
  /// others, by less than `n` / 2^64: a billionth for n = 2^34. Rejection sampling would make them
  /// equal, but it was not used because it sometimes draws a second number.
  /// - Precondition: `n` is at least 1.
  /// - Complexity: O(1).
  public mutating func below(_ n: Int) -> Int {
    precondition(
      n >= 1, "There is no number from 0 up to, but not including, \(n); ask for at least 1")
    return Int(next().multipliedFullWidth(by: UInt64(n)).high)
  }

  /// True with probability `p`: never if `p` is 0, always if it is 1.
  /// - Precondition: `p` is from 0 to 1.
  /// - Complexity: O(1).
  public mutating func chance(_ p: Double) -> Bool {
    precondition(p >= 0 && p <= 1, "The probability \(p) is not from 0 to 1")
    return unit() < p
  }
}
