import CurfewEngine
package import CurfewPolicy
package import CurfewUV

/// The options of a load test. Lengths are wall time; all other times are the policy's, scaled.
package struct LoadTestOptions: Sendable {
  /// The policy that the device runs.
  package var policy: PolicyFile
  /// The number of apps on the device.
  package var apps = 10_000
  /// The ratio of wall time to engine time: at 0.01 a grant of 30 s lasts 300 ms. Its default
  /// is `usualScale` of the policy.
  package var scale: TimeScale
  /// The length of all measured segments together.
  package var lengthNanoseconds: Int64 = 10_000_000_000
  /// The time by which the loop may wake up late, in wall nanoseconds.
  package var leewayNanoseconds: Int64 = 0
  /// The number of segments that the length is divided into; figures are medians over them.
  package var segments = 5
  /// The number of visits to the background to plan per second. Fewer are planned if the apps have
  /// no time for more.
  ///
  /// The default gives each of 10,000 apps two visits in a run of 10 s, and slightly more than
  /// 2,000 expirations per second. With more apps, most of them are idle for most of the run; with
  /// fewer, each app returns sooner.
  package var visitsPerSecond = 2_000
  /// The seed of every random draw.
  package var seed: UInt64 = 1
  /// The conditions that the result must meet.
  package var thresholds: [Threshold] = []

  /// Creates the default options for this policy.
  package init(policy: PolicyFile) {
    self.policy = policy
    scale = LoadTestOptions.usualScale(for: policy)
  }

  /// The default scale: 0.01, or smaller so that a grant lasts 300 ms at most, because several
  /// grants have to fit into a segment.
  ///
  /// The scale is reduced no further than to leave 10 ms between a warning and the end of its
  /// grant, unless a grant would then last more than 1.2 s. A handler that is not called within
  /// this time is missed, and a shared machine sometimes stands still for some milliseconds.
  package static func usualScale(for policy: PolicyFile) -> TimeScale {
    let (grant, warning) = (
      max(1, policy.policy.tasks.grant.nanoseconds), max(1, policy.policy.tasks.warning.nanoseconds)
    )
    // In millionths, the smallest possible scale. Two digits are exact enough and easy to remember.
    let roomy = min(10_000_000_000_000 / warning, 1_200_000_000_000_000 / grant)
    var millionths = min(10_000, max(1, 300_000_000_000_000 / grant, roomy))
    var power: Int64 = 1
    while millionths / power >= 100 { power *= 10 }
    millionths = millionths / power * power
    let digits = String(millionths)
    guard let scale = TimeScale("0." + String(repeating: "0", count: 6 - digits.count) + digits)
    else {
      preconditionFailure("\(millionths) millionths are no time scale")
    }
    return scale
  }

  /// The length of one segment.
  package var segmentNanoseconds: Int64 { lengthNanoseconds / Int64(max(1, segments)) }
}
