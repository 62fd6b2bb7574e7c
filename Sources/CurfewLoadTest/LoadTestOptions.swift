import CurfewEngine
package import CurfewPolicy
package import CurfewUV

/// What a load test is asked to do. Lengths are wall time; everything else about time is the
/// policy's, scaled.
package struct LoadTestOptions: Sendable {
  /// The policy that the device runs.
  package var policy: PolicyFile
  /// How many apps the device has.
  package var apps = 10_000
  /// Wall time is engine time times this: at 0.01 a grant of 30 s lasts 300 ms. At first it is what
  /// `usualScale` says of the policy.
  package var scale: TimeScale
  /// How long the measured segments last together.
  package var lengthNanoseconds: Int64 = 10_000_000_000
  /// How much later than due the loop may wake up, in wall nanoseconds.
  package var leewayNanoseconds: Int64 = 0
  /// Into how many segments that is divided; medians are taken over them.
  package var segments = 5
  /// How many visits to the background are planned a second, where the apps suffice for it
  /// and their visits fit.
  ///
  /// The default gives each of 10,000 apps two visits in a run of 10 s, and something more than
  /// 2,000 expirations a second. More apps than that are there and dormant for most of the run;
  /// fewer come back sooner.
  package var visitsPerSecond = 2_000
  /// Everything random comes from it.
  package var seed: UInt64 = 1
  /// What must hold of the result.
  package var thresholds: [Threshold] = []

  /// The defaults, under this policy.
  package init(policy: PolicyFile) {
    self.policy = policy
    scale = LoadTestOptions.usualScale(for: policy)
  }

  /// The scale where nobody asks for one: 0.01, or so much less that a grant lasts 300 ms at most,
  /// since several have to fit into a segment.
  ///
  /// But never so much less that a warning comes less than 10 ms before the end of its grant, as
  /// long as a grant lasts no more than 1.2 s: a handler is missed that is not called in that time,
  /// and a machine that is shared stands still for some milliseconds now and then.
  package static func usualScale(for policy: PolicyFile) -> TimeScale {
    let (grant, warning) = (
      max(1, policy.policy.tasks.grant.nanoseconds), max(1, policy.policy.tasks.warning.nanoseconds)
    )
    // In millionths, which are the smallest scale there is. Two digits of it are exact enough,
    // and can be remembered.
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

  /// How long one segment lasts.
  package var segmentNanoseconds: Int64 { lengthNanoseconds / Int64(max(1, segments)) }
}
