import Foundation
import TestRuns
import Testing

@testable import CurfewExperiments
@testable import CurfewStatistics

/// The verdicts on event counts, and the bounds that replace an interval.
@Suite(.inTurn) struct RareEventsTests {
  private let scale = EventScale(eventsPerUnit: 1, deviceDays: 1)

  private func finding(
    _ first: [Double], _ second: [Double], _ evidence: Evidence? = nil, level: Double = 0.05
  ) -> Finding {
    Finding(
      zip(first, second).map { (baseline: $0, value: $1) }, of: evidence ?? .events(scale),
      level: level, margin: nil)
  }

  private func near(_ found: Double, _ right: Double) -> Bool { abs(found - right) < 1e-9 }

  @Test func `zero events in 8 device-days give an upper bound of 0 point 37 a day`() throws {
    let none = [Double](repeating: 0, count: 8)
    let found = finding(none, none)
    #expect(found.verdict == .tooRare && found.interval == nil)
    let rare = try #require(found.rare)
    #expect(
      near(rare.atMost, 2.995_732_273_553_991 / 8) && rare.deviceDays == 8
        && rare.baseline.events == 0 && rare.variant.events == 0)
    #expect(
      near(rare.difference.lowerBound, -rare.atMost)
        && near(rare.difference.upperBound, rare.atMost))
    // Each of ten comparisons has a tenth of the level.
    #expect(
      near(try #require(finding(none, none, level: 0.005).rare).atMost, 5.298_317_366_548_036 / 8))
  }

  @Test
  func
    `with events, each bound has a quarter of the error, so the difference has bounds`()
    throws
  {
    let rare = try #require(finding([1, 1, 1, 0], [2, 1, 2, 2]).rare)
    let (base, variant) = (
      EventCount([3]).bounds(tail: 0.0125), EventCount([7]).bounds(tail: 0.0125)
    )
    #expect(rare.baseline.events == 3 && rare.variant.events == 7)
    #expect(
      near(rare.baseline.bounds.upperBound, base.upperBound / 4)
        && near(rare.variant.bounds.lowerBound, variant.lowerBound / 4))
    #expect(near(rare.difference.lowerBound, (variant.lowerBound - base.upperBound) / 4))
    #expect(near(rare.difference.upperBound, (variant.upperBound - base.lowerBound) / 4))
  }

  @Test
  func
    `overdispersed counts have wider bounds, even in the variant without events`()
    throws
  {
    let even = try #require(finding([0, 0, 0, 0], [1, 1, 1, 1]).rare)
    let clustered = try #require(finding([0, 0, 0, 0], [4, 0, 0, 0]).rare)
    #expect(clustered.variant.bounds.upperBound > even.variant.bounds.upperBound + 0.5)
    #expect(clustered.variant.bounds.lowerBound < even.variant.bounds.lowerBound)
    #expect(near(clustered.baseline.bounds.upperBound, 4 * even.baseline.bounds.upperBound))
  }

  @Test func `twenty events can be compared, and nineteen cannot`() {
    #expect(finding([3, 2, 3, 2], [2, 3, 2, 2]).verdict == .tooRare)
    let found = finding([3, 2, 3, 2], [2, 3, 2, 3])
    #expect(found.verdict == .inconclusive && found.rare == nil && found.interval != nil)
  }

  @Test
  func
    `equal counts are identical only if each is at least twenty, in at least three repetitions`()
  {
    #expect(finding([25, 19, 30], [25, 19, 30]).verdict == .tooRare, "One repetition has 19")
    let found = finding([25, 20, 30], [25, 20, 30])
    #expect(found.verdict == .identical && found.interval == nil && found.rare == nil)
    #expect(finding([25, 20], [25, 20]).verdict == .inconclusive)
    #expect(finding([2_500, 2_000], [2_500, 2_000], .amount).verdict == .inconclusive)
  }

  @Test func `equal times are identical, and equal shares and zeros prove nothing`() {
    #expect(finding([1.5, 2.5, 3.5], [1.5, 2.5, 3.5], .amount).verdict == .identical)
    for (values, evidence) in [
      ([0.5, 0.25, 0.75], Evidence.other), ([0, 0, 0], .amount),
      ([0, 0, 0, 0, 0, 0, 0, 0], .other),
    ] {
      let found = finding(values, values, evidence)
      #expect(
        found.verdict == .inconclusive && found.interval == nil && found.rare == nil, "\(evidence)")
    }
  }

  @Test func `neither rare events nor equal repetitions stop a sweep`() {
    #expect(
      !Verdict.tooRare.isDecided && !Verdict.tooRare.maySuffice && Verdict.tooRare.direction == nil)
    #expect(Verdict.identical.isDecided && !Verdict.identical.maySuffice)
    #expect(
      Verdict.differs(.more).maySuffice && !Verdict.inconclusive.maySuffice
        && Verdict.notComparable.maySuffice)
  }

  @Test
  func `the catalogue recognizes figures of tasks, of lost work and of wakes by their names`() {
    let stems = Set(FigureCatalog.names.map { FigureCatalog.stem(of: $0) })
    #expect(stems.filter(FigureCatalog.isOfTasks).count == 7, "\(stems.sorted())")
    #expect(
      stems.filter(FigureCatalog.isOfLostWork).count == 2
        && stems.filter(FigureCatalog.isOfWakes).count == 4)
  }

  @Test func `the catalogue knows which figures count events`() {
    for figure in [
      "ends", "wakes", "opens", "denied", "denied.budget", "workLost", "age.n", "wakesPerHour",
      "coldLaunchesBound", "events",
      "lostWorkPerDevice.mean", "wakesPerDevice.mean",
    ] {
      #expect(FigureCatalog.countsEvents(figure), "\(figure)")
    }
    for figure in [
      "completion", "age.p90", "time", "wakesPerDevice.p50", "wakesPerDevice.n", "age.mean",
      "backgroundTimePerDevice.mean",
      "openTasksMean", "devices", "apps", "energyProxy", "radioTime",
    ] {
      #expect(!FigureCatalog.countsEvents(figure), "\(figure)")
    }
    var measure = Measure(name: "x", figure: "ends")
    #expect(
      measure.evidence(devices: 4, days: 0.5)
        == .events(EventScale(eventsPerUnit: 2, deviceDays: 2)))
    measure.per = .fleet
    #expect(
      measure.evidence(devices: 4, days: 0.5)
        == .events(EventScale(eventsPerUnit: 1, deviceDays: 2)))
    #expect(
      Measure(name: "x", figure: "wakesPerHour").evidence(devices: 4, days: 0.5)
        == .events(EventScale(eventsPerUnit: 48, deviceDays: 2)))
    #expect(
      Measure(name: "x", figure: "wakesPerHour").evidence(devices: 50_000, days: 1) == .other,
      "Six decimals are too few")
    #expect(
      Measure(name: "x", figure: "lostWorkPerDevice.mean").evidence(devices: 4, days: 0.5)
        == .events(EventScale(eventsPerUnit: 4, deviceDays: 2)))
  }
}
