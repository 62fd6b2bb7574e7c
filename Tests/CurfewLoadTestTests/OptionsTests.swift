import CurfewEngine
import CurfewPolicy
import CurfewUV
import TestRuns
import Testing

@testable import CurfewLoadTest

@Suite(.inTurn) struct OptionsTests {
  @Test(arguments: Campaign.some(1, of: [("ios13", "0.01"), ("ios4", "0.002"), ("ios7", "0.002")]))
  func
    `a policy's own scale lets a grant last 300 ms, or its warning come 10 ms before the end, and a run fit`(
      policy: String, scale: String
    ) throws
  {
    let options = LoadTestOptions(policy: try PolicyFile.load(policy))
    #expect(options.scale == TimeScale(scale))
    let tasks = options.policy.policy.tasks
    let (grant, lead) = (options.scale.length(tasks.grant), options.scale.length(tasks.warning))
    #expect(
      grant == 300_000_000 && lead > 10_000_000 || grant < 1_250_000_000 && lead == 10_000_000)
    let plan = try LoadPlan(options)
    #expect(plan.visits.count > 10_000)
    #expect(plan.expectedOutcomes().illegalSteps == 0)
  }

  @Test func `a short grant is not stretched, and an endless one is as short as possible`() throws {
    for (grant, scale) in [
      ("10s", "0.01"), ("31s", "0.0096"), ("30m", "0.00066"), ("106751d", "0.000001"),
    ] {
      let policy = try own("tasks: {grant: \(grant), warning: 5s, grantAfterWake: 9s}")
      #expect(LoadTestOptions.usualScale(for: policy) == TimeScale(scale))
    }
  }

  @Test func `lengths round up and stay far from the end of 64 bits`() throws {
    let scale = try #require(TimeScale("0.3"))
    #expect(
      scale.length(Interval(nanoseconds: 10)) == 3 && scale.length(Interval(nanoseconds: 11)) == 4)
    #expect(scale.length(.zero) == 0)
    let longest = scale.length(Interval(nanoseconds: .max))
    #expect(longest < .max / 16 && longest > 86_400_000_000_000)
  }
}
