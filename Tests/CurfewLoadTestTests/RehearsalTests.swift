import CurfewEngine
import CurfewFiles
import CurfewUV
import Testing

@testable import CurfewLoadTest

@Suite struct RehearsalTests {
  @Test func `ten thousand apps give two thousand expirations a second and more`() throws {
    let outcomes = try LoadPlan(options(apps: 10_000)).expectedOutcomes()
    // In a segment of 2 s.
    #expect(outcomes.handlers >= 4_000, "\(outcomes.handlers)")
    #expect(outcomes.handlers > outcomes.visits.count { $0.warning != nil })
  }

  @Test func `a thousand apps come back to give nearly as many`() throws {
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
      let isLate = tasks.contains { if case .planned(let work) = $0.ending { work >= warning } else { false } }
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

  @Test func `warnings come 25 s after the departure, later where location stopped the clock`() throws {
    let plan = try LoadPlan(options(apps: 500))
    let outcomes = plan.expectedOutcomes()
    var waited = 0
    for (index, (visit, outcome)) in zip(plan.visits, outcomes.visits).enumerated() {
      guard let warning = outcome.warning else { continue }
      let departure = Instant(nanoseconds: visit.departure * 100)
      let hasLocation = plan.segments[0].contains { Int($0.visit) == index && $0.verb == .startSession(.location) }
      if hasLocation {
        waited += 1
        #expect(warning > departure + .seconds(25))
      } else {
        #expect(warning == departure + .seconds(25))
      }
      if let death = outcome.death { #expect(death == warning + .seconds(5)) }
    }
    #expect(waited > 0)
  }

  @Test func `planned wakes are all admitted and completed`() throws {
    // Five segments: a push a segment would be more than an hour admits, and no newsstand comes twice a day.
    let plan = try LoadPlan(options(apps: 2_000, segments: 5))
    let outcomes = plan.expectedOutcomes()
    let planned = plan.segments.joined().count { if case .deliver = $0.verb { true } else { false } }
    #expect(planned > 0)
    #expect(outcomes.visits.reduce(0) { $0 + $1.wakes } == planned)
  }

  @Test func `apps with a step near a deadline are known`() throws {
    let plan = try LoadPlan(options(apps: 2_000))
    let outcomes = plan.expectedOutcomes()
    var clear = 0
    for app in plan.apps.indices {
      let outcome = plan.outcome(of: AppID(rawValue: UInt32(app)), in: outcomes)
      #expect(outcome.visits.count == plan.visits(of: AppID(rawValue: UInt32(app))).count)
      if outcome.isClear(of: 5_000_000) { clear += 1 }
    }
    #expect(clear > plan.apps.count / 2)
    #expect(clear < plan.apps.count)
    // A task that ends so many nanoseconds before its warning is that near.
    let steps = plan.segments[0]
    let near = try #require(
      plan.visits.indices.first { index in
        plan.tasks(of: plan.visits[index]).count == 1 && !steps.contains { Int($0.visit) == index && $0.verb.isOfSession }
          && outcomes.visits[index].ending == .finished && outcomes.visits[index].nearest.map { $0 < 20_000_000 } == true
      })
    guard case .planned(let work) = plan.tasks(of: plan.visits[near]).first?.ending else { return #expect(Bool(false)) }
    #expect(outcomes.visits[near].nearest == 250_000_000 - work)
  }

  @Test func `a run is compared app by app, without those that are too close to a deadline`() throws {
    let plan = try LoadPlan(options(apps: 400))
    let expected = plan.expectedOutcomes()
    let same = plan.compare(expected, with: expected)
    #expect(same.different.isEmpty)
    #expect(same.compared + same.leftOut.count == 400)
    #expect(same.compared > 0 && !same.leftOut.isEmpty)
    let clear = try #require((0..<400).map { AppID(rawValue: $0) }.first { !same.leftOut.contains($0) })
    let visit = try #require(plan.visits.firstIndex { $0.app == clear })
    var real = expected
    (real.visits[visit].death, real.visits[visit].deathReason) = (.zero, .appWatchdog)
    if let close = same.leftOut.first, let place = plan.visits.firstIndex(where: { $0.app == close }) {
      real.visits[place] = VisitOutcome()
    }
    #expect(real.visits[visit].ending == .died)
    #expect(plan.compare(real, with: expected).different == [clear])
    // What was made late is another plan, and no longer compared; what is too close to say is that first.
    let late = plan.compare(real, with: expected, late: Set(same.leftOut).union([clear]))
    #expect(late.different.isEmpty && late.late == [clear] && late.leftOut == same.leftOut && late.compared == same.compared - 1)
  }

  @Test(arguments: [("0.01", true), ("0.0011", true), ("0.001", false), ("0.0001", false)])
  func `below a thousandth 5 ms decide how an app ends`(scale: String, isComparable: Bool) throws {
    var options = try options(apps: 10)
    options.scale = try #require(TimeScale(scale))
    #expect(try LoadPlan(options).isComparable() == isComparable)
  }

  @Test func `a rehearsal says the same twice`() throws {
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
