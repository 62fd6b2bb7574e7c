@_spi(Seeds) import CurfewEngine

/// Where a random stream stands in the tree of all streams of one seed: the seed, and below it
/// parts such as a device, an app and a purpose.
///
/// Each path has a stream of its own. One more app, or one more purpose, is one more path,
/// and moves no number of any other stream. A child depends on the path alone and never on what has
/// been drawn: this is why a path is a type of its own, and a `RandomStream` cannot be split.
///
/// ## How a path is derived The derivation is part of what a seed means: whoever changes it changes
/// every simulation of every seed.
///
/// Let `S(x)` be the first number of `SplitMix64(seed: x)`. `S` is one to one. A path is two words,
/// `a` and `b`:
/// ```
/// seed:           a = S(seed)       b = S(a)
/// each part p:    a = S(a ^ p)      b = S(b ^ a)      the new a
/// ```
/// `RandomStream` says how the two words become its state.
///
/// ## Why two words With one word of 64 bits, 500 million streams (a million devices, 50 apps, 10
/// purposes) hold two equal ones with a probability of about 0.7 %. With two words:
/// - Under one path, different parts always give different paths, because `S` is one to one.
/// - Under one path, different pairs of parts also give different paths, always: an equal second
///   `a` and an equal second `b` need an equal first `a`.
/// - Longer paths of one seed are equal by accident only: 2^29 of them hold an equal pair with
///   a probability of less than 2^58 / 2^129 = 2^-71.
public struct RandomPath: Hashable, Sendable, BitwiseCopyable {
  let a: UInt64
  let b: UInt64

  /// The root: a path with no parts.
  /// - Complexity: O(1).
  public init(seed: UInt64) {
    a = RandomPath.scrambled(seed)
    b = RandomPath.scrambled(a)
  }

  private init(a: UInt64, b: UInt64) { (self.a, self.b) = (a, b) }

  /// The path that has `part` after the parts of this one. The order of parts counts: part 1
  /// and then 2 is another path than 2 and then 1.
  /// - Complexity: O(1); it allocates nothing.
  public func child(_ part: UInt64) -> RandomPath {
    let next = RandomPath.scrambled(a ^ part)
    return RandomPath(a: next, b: RandomPath.scrambled(b ^ next))
  }

  /// The first number of SplitMix64 with this seed.
  private static func scrambled(_ seed: UInt64) -> UInt64 {
    var numbers = SplitMix64(seed: seed)
    return numbers.next()
  }
}
