import CurfewEngine
import CurfewUV
import TestRuns
import Testing

@testable import CurfewLoadTest

@Suite(.inTurn) struct LoadPlanTests {
  @Test func `the same seed gives the same plan, another seed another`() throws {
    let first = try LoadPlan(options(apps: 300, segments: 2, seed: 7))
    let second = try LoadPlan(options(apps: 300, segments: 2, seed: 7))
    let other = try LoadPlan(options(apps: 300, segments: 2, seed: 8))
    #expect(first.segments == second.segments)
    #expect(first.apps == second.apps)
    #expect(first.visits == second.visits)
    #expect(first.tasks == second.tasks)
    #expect(first.segments != other.segments)
  }

  @Test func `a plan is the same in every process`() throws {
    let plan = try LoadPlan(options(apps: 50, segments: 2, seed: 7))
    var sum: UInt64 = 0
    for steps in plan.segments {
      for step in steps { sum = (sum &* 31) &+ UInt64(step.at) &+ UInt64(step.app.rawValue) }
    }
    #expect(sum == 12_366_424_182_303_637_378)
  }

  @Test func `steps are in time order and inside their segment`() throws {
    let plan = try LoadPlan(options(apps: 2_000, segments: 2))
    for steps in plan.segments {
      #expect(!steps.isEmpty)
      #expect(zip(steps, steps.dropFirst()).allSatisfy { $0.at <= $1.at })
      let all = steps.allSatisfy { $0.at >= 0 && $0.at < 2_000_000_000 - LoadPlan.margin }
      #expect(all)
    }
  }

  @Test func `a visit that nobody leaves ends at the launch of another app`() throws {
    let plan = try LoadPlan(options(apps: 400, segments: 2))
    for (segment, steps) in plan.segments.enumerated() {
      let displaced = plan.displaced(segment)
      let launches = steps.filter { $0.verb == .launch }
      let homes = steps.filter { $0.verb == .home }
      #expect(Set(displaced.keys).isSubset(of: launches.map(\.at)) && !homes.isEmpty)
      #expect(displaced.values.joined().count + homes.count == launches.count)
      #expect(
        displaced.allSatisfy { at, visits in visits.allSatisfy { plan.visits[$0].departure == at } }
      )
    }
  }

  @Test func `launches are spread evenly, hardly ever two at one instant`() throws {
    var options = try options(apps: 10_000)
    options.visitsPerSecond = 5_000
    let plan = try LoadPlan(options)
    let launches = plan.segments[0].filter { $0.verb == .launch }.map(\.at)
    #expect(launches.count == 10_000)
    #expect(Set(launches).count > 9_900)
    // Ten equal parts of the time in which apps are launched. Towards the end only short
    // visits fit.
    let last = try #require(launches.last)
    var parts = Array(repeating: 0, count: 10)
    for launch in launches { parts[Int(min(9, launch * 10 / last))] += 1 }
    let (least, most) = (try #require(parts.dropLast(2).min()), try #require(parts.max()))
    #expect(most < least * 5 / 4, "\(parts)")
  }

  @Test func `every app leaves the foreground, by Home or for another app`() throws {
    let plan = try LoadPlan(options(apps: 1_000))
    let homes = plan.segments[0].count { $0.verb == .home }
    #expect(homes > 0)
    #expect(homes < plan.visits.count)
    #expect(plan.visits.allSatisfy { $0.departure >= $0.launch })
    var front: AppID?
    for step in plan.segments[0] {
      if step.verb == .launch { front = step.app }
      if step.verb == .home {
        #expect(front == step.app)
        front = nil
      }
    }
    #expect(front == nil)
  }

  @Test func `visits of an app do not overlap`() throws {
    let plan = try LoadPlan(options(apps: 200, segments: 2))
    for app in 0..<200 {
      let visits = plan.visits(of: AppID(rawValue: UInt32(app)))
      #expect(visits.count > 2)
      #expect(visits.allSatisfy { $0.app.rawValue == UInt32(app) })
      for (visit, next) in zip(visits, visits.dropFirst()) where visit.segment == next.segment {
        #expect(next.launch > visit.departure)
      }
    }
  }

  @Test func `with more apps than visits, apps take turns`() throws {
    var options = try options(apps: 1_000, segments: 4)
    options.visitsPerSecond = 100
    let plan = try LoadPlan(options)
    #expect(plan.visits.count == 800)
    #expect(Set(plan.visits.map(\.app)).count == 800)
  }

  @Test func `a grant that does not fit is an error that names values that fit`() throws {
    for segments in [1, 4] {
      var options = try options("ios4", apps: 10, segments: segments)
      options.scale = try #require(TimeScale("0.01"))
      let error = try #require(throws: LoadPlanError.self) { try LoadPlan(options) }
      #expect(
        error.description.hasPrefix(
          "a segment of 2s has no room for a visit of 6.19s with its grant of 6s; run for "),
        "\(error)")
      #expect(
        error.description.hasSuffix(
          "s or longer, in fewer segments, or at a smaller time scale such as 0.002"), "\(error)")
      // Both remedies are given.
      guard case .segmentTooShort(_, _, _, let length?, let scale?) = error else {
        Issue.record("\(error)")
        return
      }
      (options.lengthNanoseconds, options.scale) = (length, try #require(TimeScale("0.01")))
      #expect(try LoadPlan(options).visits.count > 0)
      (options.lengthNanoseconds, options.scale) = (Int64(segments) * 2_000_000_000, scale)
      #expect(try LoadPlan(options).visits.count > 0)
    }
    #expect(throws: LoadPlanError.noMultitasking(policy: "ios3")) {
      try LoadPlan(options("ios3", apps: 10))
    }
    #expect(throws: LoadPlanError.self) { try LoadPlan(options(apps: 0)) }
  }

  @Test func `if no segment of a day has room, only a smaller scale is suggested`() throws {
    var options = try options("ios4", apps: 10)
    options.scale = try #require(TimeScale("1000"))
    let error = try #require(throws: LoadPlanError.self) { try LoadPlan(options) }
    #expect(error.description.hasSuffix("; run at a smaller time scale such as 0.002"), "\(error)")
  }

  @Test func `a plan that is too large for memory is refused at once, with a size that fits`()
    throws
  {
    var options = try options(apps: 10_000, segments: 5)
    options.lengthNanoseconds = 3_600_000_000_000
    let error = try #require(throws: LoadPlanError.self) { try LoadPlan(options) }
    #expect(
      error.description
        == "a run of 1h with 2,000 visits a second is too large: 2,000,000 visits can be planned; "
        + "run for 1000s at most, or with 555 visits a second", "\(error)")
    options.visitsPerSecond = 10_000_000
    #expect(throws: LoadPlanError.self) { try LoadPlan(options) }
    // The length is the same, but a single app cannot make as many visits.
    (options.apps, options.visitsPerSecond) = (1, 2_000)
    #expect(try LoadPlan(options).visits.count > 3_600)
  }

  @Test func `as many visits are planned as requested`() throws {
    for (apps, rate) in [(1_000, 100), (1_000, 700), (300, 250), (7, 5)] {
      var options = try options(apps: apps)
      options.visitsPerSecond = rate
      #expect(try LoadPlan(options).visits.count == 2 * rate)
    }
  }

  @Test func `the rehearsal reports a policy that forbids the plan`() throws {
    var options = try options(apps: 50)
    options.policy = try own("tasks: {limit: 1}")
    let steps = try LoadPlan(options).expectedOutcomes().illegalSteps
    #expect(steps > 0)
    #expect(throws: LoadPlanError.unsuitable(policy: "own", steps: steps)) { try LoadTest(options) }
  }

  @Test func `every policy with multitasking can be planned at a scale that suits it`() throws {
    for (policy, scale) in [
      ("ios4", "0.0005"), ("ios4", "0.002"), ("ios7", "0.0016"), ("ios13", "0.01"),
      ("ios13", "0.0123"),
    ] {
      var options = try options(policy, apps: 300)
      options.scale = try #require(TimeScale(scale))
      let plan = try LoadPlan(options)
      let outcomes = plan.expectedOutcomes()
      #expect(outcomes.illegalSteps == 0, "\(policy)")
      #expect(outcomes.visits.allSatisfy { $0.ending != .open }, "\(policy)")
    }
  }

  @Test func `a plan has all kinds of steps and tasks`() throws {
    let plan = try LoadPlan(options(apps: 2_000))
    let verbs = plan.segments[0].map(\.verb)
    #expect(verbs.contains(.endTask(0)) && verbs.contains(.endTask(2)))
    #expect(verbs.contains(.startSession(.audio)) && verbs.contains(.stopSession(.location)))
    #expect(verbs.contains(.deliver(.fetch)) && verbs.contains(.completeWake(.fetch)))
    #expect(
      verbs.contains(.deliver(.remoteNotification)) && verbs.contains(.completeWake(.urlSession)))
    #expect(
      plan.tasks.contains { $0.ending == .never } && plan.tasks.contains { $0.ending == .inHandler }
    )
    #expect(Set(plan.visits.map { plan.tasks(of: $0).count }) == [1, 2, 3])
  }
}
