import Curfew
import CurfewEngine
import CurfewUV
import TestRuns
import Testing

extension RealTimeTests {
  @Suite(.inTurn) struct LeewayTests {
    private static let scale = TimeScale("0.01")!

    @Test(arguments: [
      ("1", 1, 1), ("0.01", 1, 100), ("0.3", 1, 4), ("0.3", 3, 10), ("3", 1, 1), ("3", 4, 2),
      ("0.000001", Int64.max, Int64.max),
    ])
    func `a clock's leeway is engine time, rounded up`(scale: String, wall: Int64, engine: Int64)
      throws
    {
      let scale = try #require(TimeScale(scale))
      #expect(scale.engineLength(ofWall: wall) == Interval(nanoseconds: engine))
      #expect(
        try UVClock(scale: scale, leeway: .nanoseconds(wall)).leeway
          == Interval(nanoseconds: engine))
    }

    @Test
    func
      `a leeway that reaches the warning is refused by Device.init, and the message has a remedy`()
      async throws
    {
      // A warning of 5 s takes 50 ms here.
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let clock = try UVClock(scale: TimeScale("0.01")!, leeway: .milliseconds(50))
        _ = Device(policy: .ios13, clock: .realTime(clock))
      }
      let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(
        message.contains(
          "leeway is 5s of engine time, but the policy 'ios13' warns only 5s before"),
        "\(message)")
      #expect(
        message.contains("below 5s times its scale") && message.contains("'tasks.warning'"),
        "\(message)")
    }

    @Test func `a shorter leeway is accepted, and any leeway without background work`() throws {
      let short = try UVClock(scale: Self.scale, leeway: .milliseconds(50) - .nanoseconds(1))
      Device(policy: .ios13, clock: .realTime(short)).close()
      Device(policy: .ios3, clock: .realTime(try UVClock(leeway: .seconds(1_000_000)))).close()
    }
  }
}
