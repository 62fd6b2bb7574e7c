@_spi(Seeds) import CurfewEngine

/// The path of a random stream in the tree of all streams of one seed: the seed, then parts such as
/// a device, an app and a purpose.
///
/// Each path has its own stream. One more app or purpose is one more path, and changes no number
/// of any other stream. A child depends on the path alone and never on earlier draws; therefore
/// a path is a separate type, and a `RandomStream` cannot be split.
///
/// ## How a path is derived
///
/// The derivation is part of the meaning of a seed: a change to it changes every simulation
/// of every seed.
///
/// Let `S(x)` be the first number of `SplitMix64(seed: x)`. `S` is one to one. A path consists
/// of two words, `a` and `b`:
/// ```
/// seed:           a = S(seed)       b = S(a)
/// each part p:    a = S(a ^ p)      b = S(b ^ a)      the new a
/// ```
/// `RandomStream` defines how the two words become its state.
///
/// ## Why two words
///
/// With one 64-bit word, 500 million streams (a million devices, 50 apps, 10 purposes) contain two
/// equal ones with a probability of about 0.7 %. With two words:
/// - Under one path, different parts always give different paths, because `S` is one to one.
/// - Under one path, different pairs of parts also always give different paths: an equal second `a`
///   and an equal second `b` require an equal first `a`.
/// - Longer paths of one seed are equal only by accident: 2^29 of them contain an equal pair with
///   a probability of less than 2^58 / 2^129 = 2^-71.
public struct RandomPath: Hashable, Sendable, BitwiseCopyable {
  let a: UInt64
  let b: UInt64

  /// The root: a path without parts.
  /// - Complexity: O(1).
  public init(seed: UInt64) {
    a = RandomPath.scrambled(seed)
    b = RandomPath.scrambled(a)
  }

  private init(a: UInt64, b: UInt64) { (self.a, self.b) = (a, b) }

  /// The path that appends `part` to the parts of this one. The order of parts matters: part 1 then
  /// 2 is a different path from part 2 then 1.
  /// - Complexity: O(1); it allocates nothing.
  @inline(__always)
  public func child(_ part: UInt64) -> RandomPath {
    let next = RandomPath.scrambled(a ^ part)
    return RandomPath(a: next, b: RandomPath.scrambled(b ^ next))
  }

  /// The first number of SplitMix64 with this seed.
  @inline(__always)
  private static func scrambled(_ seed: UInt64) -> UInt64 {
    var numbers = SplitMix64(seed: seed)
    return numbers.next()
  }
}
