/// A point in engine time: whole nanoseconds since the engine's start (rule C1).
///
/// The engine never reads a clock. The host passes instants in and defines what zero means.
public struct Instant: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// Nanoseconds since the engine's start, never negative.
  public var nanoseconds: Int64

  /// Creates an instant `nanoseconds` after the start.
  @inlinable public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// The engine's start.
  @inlinable public static var zero: Instant { Instant(nanoseconds: 0) }
  /// The last instant: 292 years after the start.
  @inlinable public static var distantFuture: Instant { Instant(nanoseconds: .max) }

  /// Whether `a` comes before `b`.
  @inlinable public static func < (a: Instant, b: Instant) -> Bool { a.nanoseconds < b.nanoseconds }

  /// `start` moved by `interval`. Saturates at both ends.
  @inlinable public static func + (start: Instant, interval: Interval) -> Instant {
    start.moved(by: interval)
  }

  /// `end` moved back by `interval`. Saturates.
  @inlinable public static func - (end: Instant, interval: Interval) -> Instant {
    end.moved(backBy: interval)
  }

  /// The time from `start` to `end`. Saturates.
  @inlinable public static func - (end: Instant, start: Instant) -> Interval {
    end.interval(since: start)
  }

  @inlinable package func moved(by interval: Interval) -> Instant {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(interval.nanoseconds)
    guard overflow else { return Instant(nanoseconds: sum) }
    return Instant(nanoseconds: interval.nanoseconds > 0 ? .max : .min)
  }

  @inlinable package func moved(backBy interval: Interval) -> Instant {
    let (difference, overflow) = nanoseconds.subtractingReportingOverflow(interval.nanoseconds)
    guard overflow else { return Instant(nanoseconds: difference) }
    return Instant(nanoseconds: interval.nanoseconds > 0 ? .min : .max)
  }

  @inlinable package func interval(since start: Instant) -> Interval {
    let (difference, overflow) = nanoseconds.subtractingReportingOverflow(start.nanoseconds)
    guard overflow else { return Interval(nanoseconds: difference) }
    return Interval(nanoseconds: nanoseconds > start.nanoseconds ? .max : .min)
  }
}

/// A length of engine time in whole nanoseconds.
///
/// `Swift.Duration` counts attoseconds in 128 bits; the engine needs 64-bit keys and
/// saturating sums.
public struct Interval: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// The length in nanoseconds.
  public var nanoseconds: Int64

  /// Creates a length of this many nanoseconds.
  @inlinable public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// No time.
  public static let zero = Interval(nanoseconds: 0)
  /// The longest interval.
  package static let greatest = Interval(nanoseconds: .max)

  /// An interval of whole seconds. Saturates.
  public static func seconds(_ seconds: Int64) -> Interval {
    Interval(nanoseconds: seconds.scaled(by: 1_000_000_000))
  }
  /// An interval of whole milliseconds. Saturates.
  public static func milliseconds(_ milliseconds: Int64) -> Interval {
    Interval(nanoseconds: milliseconds.scaled(by: 1_000_000))
  }
  /// An interval of nanoseconds.
  public static func nanoseconds(_ nanoseconds: Int64) -> Interval {
    Interval(nanoseconds: nanoseconds)
  }

  /// The sum of both intervals. Saturates.
  package func adding(_ other: Interval) -> Interval {
    Interval(nanoseconds: (Instant(nanoseconds: nanoseconds) + other).nanoseconds)
  }

  /// The interval multiplied by `factor`. Saturates.
  func times(_ factor: Int64) -> Interval { Interval(nanoseconds: nanoseconds.scaled(by: factor)) }

  /// Whether `a` is shorter than `b`.
  @inlinable public static func < (a: Interval, b: Interval) -> Bool {
    a.nanoseconds < b.nanoseconds
  }
}

extension Instant: CustomStringConvertible {
  /// The seconds since the start with all decimals: `25s`, `8.000000001s`.
  public var description: String { Interval(nanoseconds: nanoseconds).description }
}

extension Interval: CustomStringConvertible {
  /// The length in seconds with all decimals: `30s`, `0.25s`.
  public var description: String {
    let (seconds, rest) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
    var decimals = String(String(1_000_000_000 + rest).dropFirst())
    while decimals.last == "0" { decimals.removeLast() }
    return "\(nanoseconds < 0 ? "-" : "")\(seconds)\(decimals.isEmpty ? "" : ".")\(decimals)s"
  }
}

extension Int64 {
  fileprivate func scaled(by factor: Int64) -> Int64 {
    let (product, overflow) = multipliedReportingOverflow(by: factor)
    return overflow ? (self < 0 ? .min : .max) : product
  }
}
