import CurfewEngine
import CurfewUV
import TestRuns
import Testing

@testable import CurfewLoadTest

@Suite(.inTurn) struct RehearsalTests {
  @Test func `ten thousand apps give two thousand expirations a second and more`() throws {
    let outcomes = try LoadPlan(options(apps: 10_000)).expectedOutcomes()
    // In a segment of 2 s.
    #expect(outcomes.handlers >= 4_000, "\(outcomes.handlers)")
    #expect(outcomes.handlers > outcomes.visits.count { $0.warning != nil })
  }

  @Test func `a thousand apps visit repeatedly and give nearly as many`() throws {
    let outcomes = try LoadPlan(options(apps: 1_000)).expectedOutcomes()
    #expect(outcomes.handlers >= 3_000, "\(outcomes.handlers)")
  }

  @Test func `every visit ends as its tasks were meant to`() throws {
    let plan = try LoadPlan(options(apps: 1_500, segments: 3, seed: 3))
    let outcomes = plan.expectedOutcomes()
    #expect(outcomes.illegalSteps == 0)
    for (visit, outcome) in zip(plan.visits, outcomes.visits) {
      let tasks = plan.tasks(of: visit)
      let warning: Int64 = 250_000_000
      let isLate = tasks.contains {
        if case .planned(let work) = $0.ending { work >= warning } else { false }
      }
      let expected: VisitOutcome.Ending =
        if tasks.contains(where: { $0.ending == .never }) {
          .killed
        } else if isLate || tasks.contains(where: { $0.ending == .inHandler }) {
          .warned
        } else {
          .finished
        }
      #expect(outcome.ending == expected, "\(visit) \(Array(tasks)) \(outcome)")
      #expect(outcome.handlers <= tasks.count)
      #expect((outcome.warning == nil) == (outcome.handlers == 0))
    }
    let endings = outcomes.visits.map(\.ending)
    let killed = endings.count { $0 == .killed }
    #expect(killed > 0 && killed < endings.count / 20)
    #expect(endings.contains(.finished) && endings.contains(.warned))
  }

  @Test func `warnings come 25 s after the departure, later where a session stopped the clock`()
    throws
  {
    let plan = try LoadPlan(options(apps: 500))
    let outcomes = plan.expectedOutcomes()
    var waited = 0
    for (index, (visit, outcome)) in zip(plan.visits, outcomes.visits).enumerated() {
      guard let warning = outcome.warning else { continue }
      let departure = Instant(nanoseconds: visit.departure * 100)
      let hasSession = plan.segments[0].contains {
        Int($0.visit) == index
          && ($0.verb == .startSession(.location) || $0.verb == .startSession(.audio))
      }
      if hasSession {
        waited += 1
        #expect(warning > departure + .seconds(25))
      } else {
        #expect(warning == departure + .seconds(25))
      }
      if let death = outcome.death { #expect(death == warning + .seconds(5)) }
    }
    #expect(waited > 0)
  }

  @Test
  func
    `every expected handler has a planned warning and a planned end, even where location stopped the clock`()
    throws
  {
    let plan = try LoadPlan(options(apps: 500, segments: 2))
    let outcomes = plan.expectedOutcomes()
    #expect(
      outcomes.warnings.count == plan.tasks.count
        && outcomes.warnings.count { $0 != nil } == outcomes.handlers)
    var stretched = 0
    for (visit, outcome) in zip(plan.visits, outcomes.visits) {
      let warnings = (visit.firstTask..<visit.firstTask + visit.taskCount).compactMap {
        outcomes.warnings[$0]
      }
      #expect(warnings.count == outcome.handlers)
      for warning in warnings {
        #expect(warning.end - warning.due == 50_000_000)
        #expect(warning.due >= visit.departure + 250_000_000)
        if warning.due > visit.departure + 250_000_001 { stretched += 1 }
        let start = Int64(visit.segment) * plan.options.segmentNanoseconds
        if let death = outcome.death {
          #expect(abs((start + warning.end) * 100 - death.nanoseconds) <= 100)
        }
      }
    }
    #expect(stretched > 0)
  }

  @Test func `planned wakes are all admitted and completed`() throws {
    // Five segments: one push a segment would exceed what an hour admits, and no newsstand push
    // comes twice a day.
    let plan = try LoadPlan(options(apps: 2_000, segments: 5))
    let outcomes = plan.expectedOutcomes()
    let planned = plan.segments.joined().count {
      if case .deliver = $0.verb { true } else { false }
    }
    #expect(planned > 0)
    #expect(outcomes.visits.reduce(0) { $0 + $1.wakes } == planned)
  }

  @Test func `visits with a step near a deadline are known`() throws {
    let plan = try LoadPlan(options(apps: 2_000))
    let outcomes = plan.expectedOutcomes()
    let clear = outcomes.visits.count { $0.isClear(of: 5_000_000) }
    #expect(clear > plan.visits.count * 4 / 5)
    #expect(clear < plan.visits.count)
    // A visit's distance is the time between its task's end and the warning.
    let steps = plan.segments[0]
    let near = try #require(
      plan.visits.indices.first { index in
        plan.tasks(of: plan.visits[index]).count == 1
          && !steps.contains { Int($0.visit) == index && $0.verb.isOfSession }
          && outcomes.visits[index].ending == .finished
          && outcomes.visits[index].nearest.map { $0 < 20_000_000 } == true
      })
    guard case .planned(let work) = plan.tasks(of: plan.visits[near]).first?.ending else {
      return #expect(Bool(false))
    }
    #expect(outcomes.visits[near].nearest == 250_000_000 - work)
  }

  @Test func `a run is compared visit by visit, without those that are too close to a deadline`()
    throws
  {
    let plan = try LoadPlan(options(apps: 400))
    let expected = plan.expectedOutcomes()
    let same = plan.compare(expected, with: expected)
    #expect(same.different.isEmpty && same.visits == plan.visits.count)
    #expect(same.compared > 0 && same.leftOut > 0 && same.late == 0)
    let places = plan.visits.indices
    let (clear, close) = (
      try #require(places.first { expected.visits[$0].isClear(of: 5_000_000) }),
      try #require(places.first { !expected.visits[$0].isClear(of: 5_000_000) })
    )
    var real = expected
    (real.visits[clear].death, real.visits[clear].deathReason) = (.zero, .appWatchdog)
    real.visits[close] = VisitOutcome()
    #expect(real.visits[clear].ending == .died)
    #expect(plan.compare(real, with: expected).different == [plan.visits[clear].app])
    // Late visits are not compared, because their plan changes; a visit too close to decide
    // counts as that first.
    let late = plan.compare(real, with: expected, late: [clear, close])
    #expect(
      late.different.isEmpty && late.late >= 1 && late.leftOut == same.leftOut
        && late.visits == same.visits)
  }

  @Test func `a late visit may affect the next one of the same app`() throws {
    let plan = try LoadPlan(options(apps: 40))
    var expected = plan.expectedOutcomes()
    for place in expected.visits.indices { expected.visits[place].nearest = nil }
    let last = try #require(plan.visits.indices.last { plan.visits[$0].app == AppID(rawValue: 0) })
    #expect(plan.compare(expected, with: expected, late: [0]).late == 2 && last > 1)
    // The next visit in the list belongs to another app.
    #expect(plan.compare(expected, with: expected, late: [last]).late == 1)
  }

  @Test(arguments: [("0.01", true), ("0.0011", true), ("0.001", false), ("0.0001", false)])
  func `below a thousandth 5 ms decide how a visit ends`(scale: String, isComparable: Bool) throws {
    var options = try options(apps: 10)
    options.scale = try #require(TimeScale(scale))
    #expect(try LoadPlan(options).isComparable() == isComparable)
  }

  @Test func `a rehearsal gives the same result twice`() throws {
    let plan = try LoadPlan(options(apps: 300, segments: 2))
    #expect(plan.expectedOutcomes().visits == plan.expectedOutcomes().visits)
  }
}

extension LoadStep.Verb {
  var isOfSession: Bool {
    switch self {
    case .startSession, .stopSession: true
    default: false
    }
  }
}
