@_spi(Seeds) import CurfewEngine

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Exponential times, drawn before the measurement. Every contestant reads the same times.
struct Draws {
  private let foreground: [Int64]
  private let work: [Int64]
  private let suspended: [Int64]
  private let mask: Int

  /// Draws tables of 32 KiB: small enough to stay in the cache, so that drawing does not count.
  init(seed: UInt64, count: Int = 1 << 12) {
    var numbers = SplitMix64(seed: seed)
    func exponential(mean: Double) -> Int64 {
      let unit = (Double(numbers.next() >> 11) + 0.5) / Double(1 << 53)
      return Int64(-mean * log(unit) * 1e9)
    }
    foreground = (0..<count).map { _ in exponential(mean: 60) }
    work = (0..<count).map { _ in exponential(mean: 20) }
    suspended = (0..<count).map { _ in exponential(mean: 300) }
    mask = count - 1
  }

  /// The time in the foreground in cycle `cycle` of app `app`.
  func foreground(_ app: UInt32, _ cycle: UInt32) -> Interval {
    .nanoseconds(foreground[index(app, cycle)])
  }
  func work(_ app: UInt32, _ cycle: UInt32) -> Interval { .nanoseconds(work[index(app, cycle)]) }
  func suspended(_ app: UInt32, _ cycle: UInt32) -> Interval {
    .nanoseconds(suspended[index(app, cycle)])
  }

  /// The index depends only on app and cycle, not on the order in which apps are served.
  private func index(_ app: UInt32, _ cycle: UInt32) -> Int {
    let mixed = (UInt64(app) << 32 | UInt64(cycle)) &* 0x9e37_79b9_7f4a_7c15
    return Int(truncatingIfNeeded: (mixed ^ (mixed >> 29)) >> 33) & mask
  }
}
