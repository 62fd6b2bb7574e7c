import CurfewSimulation
import Foundation
import TestRuns
import Testing

@testable import CurfewExperiments
@testable import CurfewStatistics

/// Tests the bounds of rare events, and how often they hold. `CURFEW_RUNS=20000` gives the coverage
/// to within a third of a percentage point.
@Suite(.inTurn) struct EventCountTests {
  private static let runs = max(400, Campaign.runs(400))

  private func near(_ found: Double, _ right: Double) -> Bool {
    abs(found - right) <= 1e-4 * max(1, abs(right))
  }

  /// Garwood's own table, as in every textbook.
  @Test func `bounds are Garwood's`() {
    for (events, low, high) in [
      (0.0, 0.0, 3.6889), (1, 0.0253, 5.5716), (2, 0.2422, 7.2247), (5, 1.6235, 11.6683),
      (10, 4.7954, 18.3904),
    ] {
      let bounds = EventCount([events]).bounds(tail: 0.025)
      #expect(near(bounds.lowerBound, low) && near(bounds.upperBound, high), "\(events): \(bounds)")
    }
    #expect(
      near(EventCount.mostOfNone(level: 0.05), 2.9957)
        && near(EventCount([0, 0]).bounds(tail: 0.05).upperBound, 2.9957))
  }

  @Test func `dispersion is the variance over the mean`() {
    #expect(
      EventCount([3, 0, 0]).dispersion == 3 && EventCount([2, 2, 2]).dispersion == 0
        && EventCount([1, 3]).dispersion == 1)
    #expect(EventCount([0, 0]).dispersion == nil && EventCount([7]).dispersion == nil)
    #expect(EventCount([1.000_000_01, 1.999_999_9]).total == 3, "Rates that were rounded")
  }

  @Test func `a greater dispersion widens the bounds, and a smaller one never narrows them`() {
    for events in [0.0, 1, 3, 9, 19] {
      let count = EventCount([events])
      let exact = count.bounds(tail: 0.0125)
      #expect(count.bounds(tail: 0.0125, dispersion: 0.2) == exact)
      var last = exact
      for dispersion in [1.01, 1.5, 2, 4, 19] {
        let wide = count.bounds(tail: 0.0125, dispersion: dispersion)
        #expect(
          wide.lowerBound <= last.lowerBound && wide.upperBound > last.upperBound,
          "\(events), \(dispersion)")
        last = wide
      }
    }
  }

  // MARK: Coverage

  /// A random process that counts events, and the ratio of its variance to its mean.
  enum Process: String, CaseIterable, Sendable {
    case poisson, negativeBinomial, clusters

    func count(_ mean: Double, _ stream: inout RandomStream) -> Double {
      switch self {
      case .poisson: return Double(Self.poisson(mean, &stream))
      // A Poisson count of geometric clusters with mean 2: the variance is 3 times the mean.
      case .clusters:
        return (0..<Self.poisson(mean / 2, &stream)).reduce(0) { sum, _ in
          var size = 1.0
          while stream.unit() < 0.5 { size += 1 }
          return sum + size
        }
      // A Poisson count of logarithmic clusters, with a variance of twice the mean.
      case .negativeBinomial:
        let clusters = mean * PortableMath.log(2)
        return (0..<Self.poisson(clusters, &stream)).reduce(0) { sum, _ in
          var (size, term) = (1.0, 0.5 / PortableMath.log(2))
          var left = stream.unit() - term
          while left > 0, size < 100 {
            term *= 0.5 * size / (size + 1)
            size += 1
            left -= term
          }
          return sum + size
        }
      }
    }

    private static func poisson(_ mean: Double, _ stream: inout RandomStream) -> Int {
      var (count, product) = (0, stream.unit())
      let least = PortableMath.exp(-mean)
      while product > least {
        count += 1
        product *= stream.unit()
      }
      return count
    }
  }

  /// The coverage among pairs with too few events: how often the bounds of the difference hold
  /// the true difference, and how often both variants' bounds hold theirs.
  private func coverage(
    _ process: Process, repetitions: Int, _ events: (Double, Double), seed: UInt64
  ) -> (
    difference: Double, both: Double
  ) {
    var stream = RandomStream(RandomPath(seed: seed))
    var (rare, differences, both) = (0, 0, 0)
    for _ in 0..<Self.runs {
      let pairs = (0..<repetitions).map { _ in
        (
          baseline: process.count(events.0 / Double(repetitions), &stream),
          value: process.count(events.1 / Double(repetitions), &stream)
        )
      }
      // The unit covers all repetitions together, so that the true value is the number of events.
      let scale = EventScale(eventsPerUnit: 1 / Double(repetitions), deviceDays: 1)
      let scaled = pairs.map {
        (baseline: $0.baseline * Double(repetitions), value: $0.value * Double(repetitions))
      }
      guard let found = RareEvents(scaled, scale, level: 0.05) else { continue }
      rare += 1
      if found.difference.contains(events.1 - events.0) { differences += 1 }
      if found.baseline.bounds.contains(events.0), found.variant.bounds.contains(events.1) {
        both += 1
      }
    }
    return (Double(differences) / Double(rare), Double(both) / Double(rare))
  }

  private static let expectations: [(Double, Double)] = [(0.3, 0.3), (1, 3), (4, 8), (9, 9)]

  @Test(arguments: [2, 5, 8], expectations)
  func `bounds of Poisson counts hold at least as often as promised`(
    _ repetitions: Int, _ events: (Double, Double)
  ) {
    let found = coverage(.poisson, repetitions: repetitions, events, seed: UInt64(repetitions))
    #expect(
      found.difference >= 0.95
        && found.both >= 0.95 - 3 * (0.05 * 0.95 / Double(Self.runs)).squareRoot(), "\(found)")
  }

  /// The bounds of both variants are not guaranteed to hold together here: with few events,
  /// a cluster that has not occurred yet leaves no trace.
  @Test(arguments: [Process.negativeBinomial, .clusters], [2, 5, 8])
  func `bounds of the difference of clustered events hold as often as promised`(
    _ process: Process, _ repetitions: Int
  ) {
    for events in Self.expectations {
      let found = coverage(process, repetitions: repetitions, events, seed: UInt64(repetitions))
      let tolerance = 3 * (0.05 * 0.95 / Double(Self.runs)).squareRoot()
      #expect(
        found.difference >= 0.95 - tolerance && found.both >= 0.8, "\(process), \(events): \(found)"
      )
    }
  }
}
