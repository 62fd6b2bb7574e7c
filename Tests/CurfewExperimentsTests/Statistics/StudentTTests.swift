import CurfewExperiments
import TestRuns
import Testing

@testable import CurfewStatistics

/// All values were computed with 30 digits (mpmath 1.3), for the exact value of each `Double`,
/// not for the decimal literal.
@Suite(.inTurn) struct StudentTTests {
  /// The probability of being above x.
  private static let tails: [(freedom: Double, x: Double, value: Double)] = [
    (0.5, 0.001, 0.499730323834243819), (0.5, 0.5, 0.378659036464718316),
    (0.5, 2, 0.222757445091565616), (0.5, 5, 0.1429957015794294),
    (0.5, 30, 0.0585468414900534452), (0.5, 1e6, 0.000320700975414198848),
    (1, 0.001, 0.499681690219919441),
    (1, 0.5, 0.352416382349566726), (1, 2, 0.147583617650433274), (1, 5, 0.0628329581890011838),
    (1, 30, 0.0106064024055354234),
    (1, 1e6, 3.18309886183684568e-7), (1.5, 0.001, 0.49965926511335987),
    (1.5, 0.5, 0.340283555334970004),
    (1.5, 2, 0.112094165178025533), (1.5, 5, 0.0326878838105781182),
    (1.5, 30, 0.00229282116148970259),
    (1.5, 1e6, 3.7708524320132162e-10), (4, 0.001, 0.499625000078124979),
    (4, 0.5, 0.321664981590931637), (4, 2, 0.0580582617584077972),
    (4, 5, 0.00374521694063726228), (4, 30, 3.67642804883066106e-6), (4, 1e6, 2.99999999998e-24),
    (29, 0.001, 0.499604481489181119),
    (29, 0.5, 0.310424042096890682), (29, 2, 0.0274718185914835946),
    (29, 5, 0.0000126831578677116161),
    (29, 30, 1.09887242254940253e-23), (29, 1e6, 1.17689809313281189e-154),
    (99.5, 0.001, 0.499602058879095578),
    (99.5, 0.5, 0.309089538568731715), (99.5, 2, 0.0241129333134892408),
    (99.5, 5, 1.23283366879367475e-6),
    (99.5, 30, 5.96636407343537161e-52), (1000, 0.001, 0.499601157509226365),
    (1000, 0.5, 0.308592540416937407),
    (1000, 2, 0.02288517324662582), (1000, 5, 3.38362818232431519e-7),
    (1000, 7, 2.34375128338571142e-12),
    (2000, 0.001, 0.499601107650780234), (2000, 0.5, 0.308565041701421739),
    (2000, 2, 0.0228176366558474068),
    (2000, 5, 3.11644891777301929e-7), (2000, 7, 1.74023449400476076e-12),
    (2000.5, 0.001, 0.499601107638317956),
    (2000.5, 0.5, 0.308565034827928393), (2000.5, 2, 0.022817619779897845),
    (2000.5, 5, 3.11638433088384889e-7),
    (2000.5, 7, 1.74010295486598087e-12), (1e6, 0.001, 0.499601057885824545),
    (1e6, 0.5, 0.308537593736185694),
    (1e6, 2, 0.0227502669256596042), (1e6, 5, 2.86699893544537078e-7),
    (1e6, 7, 1.28061205568703943e-12),
  ]

  /// The value that is exceeded with probability x.
  private static let quantiles: [(freedom: Double, x: Double, value: Double)] = [
    (0.1, 0.499, 0.0067531180771325745), (0.1, 0.44, 0.545408991088724147),
    (0.1, 0.1, 1604425.70566655038),
    (0.1, 0.025, 1682362288745.02455), (0.1, 0.005, 1.64293192260256214e+19),
    (0.1, 1e-12, 1.60442570566654536e+116),
    (0.5, 0.499, 0.00370817484897635156), (0.5, 0.44, 0.228120782663022537),
    (0.5, 0.1, 10.270324410234505),
    (0.5, 0.025, 164.557673480488515), (0.5, 0.005, 4113.96458880418098),
    (0.5, 1e-12, 1.02849115631634005e+23),
    (1, 0.499, 0.00314160298905615892), (1, 0.44, 0.190760202218566741),
    (1, 0.1, 3.07768353717525322), (1, 0.025, 12.7062047361747039),
    (1, 0.005, 63.6567411628715797), (1, 1e-12, 318309886183.790678),
    (1.5, 0.499, 0.00293483923720568808),
    (1.5, 0.44, 0.177624899360041508), (1.5, 0.1, 2.19639841756553727),
    (1.5, 0.025, 6.01666310442793169),
    (1.5, 0.005, 17.820310514462807), (1.5, 1e-12, 52194694.2734463546),
    (4, 0.499, 0.00266667061729413683),
    (4, 0.44, 0.160861339208497388), (4, 0.1, 1.53320627405894386), (4, 0.025, 2.7764451051977943),
    (4, 0.005, 4.6040948713499932),
    (4, 1e-12, 1316.07274655925654), (9, 0.499, 0.00257709089317791811),
    (9, 0.44, 0.15531576046032073), (9, 0.1, 1.38302873839663227),
    (9, 0.025, 2.26215716279820551), (9, 0.005, 3.24983554159212626),
    (9, 1e-12, 51.4149160232822305),
    (29, 0.499, 0.0025283290222291751), (29, 0.44, 0.152306395880887952),
    (29, 0.1, 1.31143364730155103),
    (29, 0.025, 2.04522964213270427), (29, 0.005, 2.75638590367060548),
    (29, 1e-12, 11.6131580115614066),
    (1000, 0.1, 1.28239872146092441), (1000, 0.025, 1.96233908082640846),
    (1000, 0.005, 2.58075469806595107),
    (1000, 1e-12, 7.12422892531440914), (2000.5, 0.1, 1.28197489481513168),
    (2000.5, 0.025, 1.96115052928672951),
    (2000.5, 0.005, 2.57828917203760291), (2000.5, 1e-12, 7.07910347487630722),
    (1e6, 0.1, 1.28155241212993845),
    (1e6, 0.025, 1.95996635681410701), (1e6, 0.005, 2.57583422010533415),
    (1e6, 1e-12, 7.03457260841125662),
  ]

  private func near(_ found: Double, _ right: Double, _ error: Double) -> Bool {
    abs(found - right) <= error * abs(right)
  }

  @Test func `tails are right to 12 digits`() {
    for (freedom, t, p) in Self.tails {
      let distribution = StudentT(degreesOfFreedom: freedom)
      #expect(near(distribution.upperTail(t), p, 1e-12), "\(freedom), \(t)")
      #expect(
        abs(distribution.cumulative(t) - (1 - p)) < 4e-15
          && near(distribution.cumulative(-t), p, 1e-12), "\(freedom), \(t)")
    }
  }

  @Test func `quantiles are right to 12 digits`() {
    for (freedom, tail, t) in Self.quantiles {
      #expect(
        near(StudentT(degreesOfFreedom: freedom).quantile(upperTail: tail), t, 1e-12),
        "\(freedom), \(tail)")
    }
  }

  /// `qt` of R, as in every textbook's table.
  @Test func `quantiles are those of tables`() {
    for (p, freedom, t) in [
      (0.975, 1.0, 12.7062047361747), (0.975, 9, 2.26215716279820), (0.975, 29, 2.04522964213270),
      (0.995, 4, 4.60409487135),
    ] {
      #expect(near(StudentT(degreesOfFreedom: freedom).quantile(p), t, 1e-12))
      #expect(near(StudentT(degreesOfFreedom: freedom).quantile(1 - p), -t, 1e-12))
    }
  }

  @Test(arguments: [0.01, 0.5, 1, 3, 9.5, 200, 2_000, 2_001, 1e9])
  func `quantile and tail are inverses of each other`(freedom: Double) {
    let distribution = StudentT(degreesOfFreedom: freedom)
    var last = Double.infinity
    for tail in [
      1e-100, 1e-12, 1e-5, 0.01, 0.2, 0.4, 0.45, 0.4501, 0.49, 0.4999, 0.5, 0.6, 0.9, 0.999,
    ] {
      let t = distribution.quantile(upperTail: tail)
      #expect(t <= last, "\(tail)")
      // Infinity stands for values beyond 1e300.
      if t < 1e299 {
        #expect(near(distribution.upperTail(t), tail, 1e-11), "\(tail)")
        #expect(t < last, "\(tail)")
      }
      last = t
    }
  }

  @Test func `the ends are infinite, and the median is zero`() {
    for freedom in [1, 7, 5_000, .infinity] {
      let distribution = StudentT(degreesOfFreedom: freedom)
      #expect(
        distribution.quantile(0) == -.infinity && distribution.quantile(1) == .infinity
          && distribution.quantile(0.5) == 0)
      #expect(
        distribution.upperTail(.infinity) == 0 && distribution.cumulative(-.infinity) == 0
          && distribution.cumulative(0) == 0.5)
    }
  }

  @Test func `with infinitely many degrees of freedom, the distribution is normal`() {
    let normal = StudentT(degreesOfFreedom: .infinity)
    #expect(
      near(normal.quantile(0.975), 1.959_963_984_540_054, 1e-15)
        && near(normal.upperTail(1.959_963_984_540_054), 0.025, 1e-14))
    #expect(near(StudentT(degreesOfFreedom: 1e16).quantile(0.975), 1.959_963_984_540_054, 1e-14))
  }

  @Test func `the density is the slope of the probability`() {
    for freedom in [0.7, 4, 300] {
      let distribution = StudentT(degreesOfFreedom: freedom)
      for t in [0.1, 1, 2.5] {
        let slope = (distribution.cumulative(t + 1e-5) - distribution.cumulative(t - 1e-5)) / 2e-5
        #expect(near(distribution.density(t), slope, 1e-8))
      }
    }
  }

  @Test func `too few degrees of freedom are refused`() async {
    await #expect(processExitsWith: .failure) { _ = StudentT(degreesOfFreedom: 0) }
    await #expect(processExitsWith: .failure) { _ = StudentT(degreesOfFreedom: .nan) }
  }

  /// The digest was taken on x86-64 Linux. A different digest elsewhere shows that the platform
  /// computes different bits.
  @Test func `results are the same bits everywhere`() {
    var digest: UInt64 = 0
    for freedom in [1, 2.5, 9, 40, 333, 1_999, 2_001, 1e8] {
      for tail in [1e-9, 0.001, 0.025, 0.2, 0.46] {
        let t = StudentT(degreesOfFreedom: freedom).quantile(upperTail: tail)
        digest = (digest << 5 | digest >> 59) ^ t.bitPattern
      }
    }
    #expect(digest == 0x89d367529817ea91)
  }
}
