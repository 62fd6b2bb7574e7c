import TestRuns
import Testing

@testable import CurfewEngine

/// How late starts by the system and the ends of lingers may come (rules L2, W3, W5).
@Suite(.inTurn) struct LeewayTests {
  private static let (app, other) = (AppID(rawValue: 0), AppID(rawValue: 1))

  private static func roundest(_ milliseconds: Int64, _ leeway: Int64) -> Int64 {
    let due = Instant.zero + .milliseconds(milliseconds)
    return Leeway.roundest(from: due, within: .milliseconds(leeway)).nanoseconds / 1_000_000
  }

  @Test(
    arguments: [
      (61_000, 0, 61_000), (61_000, 3000, 61_000), (61_000, 4000, 65_000), (61_000, 5000, 65_000),
      (61_000, 9000, 70_000),
      (58_000, 5000, 60_000), (3_599_000, 5000, 3_600_000), (61_200, 500, 61_500),
      (61_200, 799, 61_500), (61_200, 800, 62_000),
      (60_000, 59_000, 60_000), (60_000, 60_000, 60_000), (60_001, 240_000, 300_000),
      (0, 86_400_000, 0), (7, 2, 7), (7, 3, 10),
    ] as [(Int64, Int64, Int64)]) func `the roundest instant within a leeway is taken`(
      _ due: Int64, _ leeway: Int64, _ expected: Int64
    )
  {
    #expect(LeewayTests.roundest(due, leeway) == expected)
  }

  @Test
  func
    `C3 nothing comes early or later than its leeway, and nothing overflows at the end of time`()
  {
    for due in stride(from: 0 as Int64, to: 5_000_000_000_000, by: 7_777_777_777) {
      for leeway in [1, 999, 1_000_000, 4_999_999_999, 61_000_000_000] as [Int64] {
        let instant = Leeway.roundest(from: Instant(nanoseconds: due), within: .nanoseconds(leeway))
          .nanoseconds
        #expect(instant >= due && instant <= due + leeway)
      }
    }
    let last = Instant(nanoseconds: .max - 1)
    #expect(Leeway.roundest(from: last, within: .nanoseconds(.max)) == last)
    #expect(Leeway.roundest(from: .distantFuture, within: .seconds(1)) == .distantFuture)
  }

  private static func keepAlives(_ lines: [String]) -> [String] {
    lines.filter { $0.hasSuffix("wake voipKeepAlive") }
  }

  @Test func `W3 keep-alives of two apps coincide, and count from their due instants`() {
    // Due at 601 s and 613 s, then each 600 s later. The whole half minutes are 630 s, 1230 s,
    // 1830 s.
    let policy = Policy.ios13.with { $0.wakes[.voipKeepAlive]?.leeway = .seconds(30) }
    var host = TestHost(
      policy, apps: [Manifest(backgroundModes: .voip), Manifest(backgroundModes: .voip)])
    host.reaction = { action in
      if case .wakeBegan(let app, _) = action {
        [.completeWake(app, WakeChoice(), nil)]
      } else {
        []
      }
    }
    host.tell(.launch(LeewayTests.app), at: 0)
    host.tell(.setInterval(LeewayTests.app, .voipKeepAlive, .seconds(600)), at: 1)
    host.tell(.launch(LeewayTests.other), at: 12)
    host.tell(.setInterval(LeewayTests.other, .voipKeepAlive, .seconds(600)), at: 13)
    host.tell(.home(nil), at: 14)
    host.run(to: 2000)
    let expected = ["630s", "1230s", "1830s"].flatMap {
      ["\($0) a wake voipKeepAlive", "\($0) b wake voipKeepAlive"]
    }
    #expect(LeewayTests.keepAlives(host.takeLines()) == expected)
  }

  @Test func `W3 setting the interval again does not delay a fetch within its leeway`() {
    // 100 s + 901 s = 1001 s, which the leeway moves to 1020 s. 901 s later it is 1921 s, which
    // becomes 1930 s.
    let policy = Policy.ios13.with {
      $0.wakes[.fetch]?.schedule = WakeSchedule(minimumInterval: .seconds(901))
      $0.wakes[.fetch]?.leeway = .seconds(19)
    }
    var host = TestHost(policy, apps: [Manifest(backgroundModes: [.fetch, .audio])])
    host.reaction = { action in
      if case .wakeBegan(let app, _) = action {
        [.completeWake(app, WakeChoice(), .newData)]
      } else {
        []
      }
    }
    host.tell(.launch(LeewayTests.app), at: 100)
    host.tell(.setInterval(LeewayTests.app, .fetch, .zero), at: 100)
    host.tell(.startSession(LeewayTests.app, .audio), at: 100)
    host.tell(.home(nil), at: 101)
    host.tell(.setInterval(LeewayTests.app, .fetch, .zero), at: 1925)
    host.run(to: 2000)
    #expect(
      host.takeLines().filter { $0.hasSuffix("wake fetch") } == [
        "1020s a wake fetch", "1930s a wake fetch",
      ])
  }

  @Test func `L2 the end of a linger has leeway, the end of a wake has none`() {
    let policy = Policy.ios13.with {
      $0.sessions[.location]?.leeway = .seconds(5)
      $0.wakes[.region]?.leeway = .seconds(5)
    }
    var host = TestHost(policy, apps: [Manifest(backgroundModes: .location)])
    host.tell(.launch(LeewayTests.app), at: 0)
    host.tell(.startSession(LeewayTests.app, .location), at: 1)
    host.tell(.home(nil), at: 2)
    host.tell(.stopSession(LeewayTests.app, .location), at: 11)
    host.run(to: 20)
    // The linger lasts 1 s, until 12 s; 15 s is rounder.
    #expect(host.takeLines().last == "15s a background → suspended")
    host.tell(.deliver(LeewayTests.app, .region), at: 21)
    host.run(to: 40)
    // The wake was promised 10 s.
    #expect(host.takeLines().suffix(2) == ["31s a overran region", "31s a background → suspended"])
  }

  @Test
  func
    `W5 a request starts within its leeway, and a request with an alignment starts on its opportunity`()
  {
    let identifiers: [UInt32] = [1]
    let policy = Policy.ios13.with {
      $0.wakes[.appRefresh]?.leeway = .seconds(30)
      $0.wakes[.processing]?.leeway = .seconds(30)
      $0.wakes[.processing]?.schedule.alignment = .seconds(77)
    }
    for (kind, expected) in [(AssertionKind.appRefresh, "90s"), (.processing, "77s")] {
      var host = TestHost(
        policy,
        apps: [Manifest(backgroundModes: [.fetch, .processing], permittedIdentifiers: identifiers)])
      host.tell(.launch(LeewayTests.app), at: 0)
      host.tell(
        .submitTask(
          LeewayTests.app, TaskRequest(identifier: 1, kind: kind, earliest: .seconds(61))), at: 1)
      host.tell(.home(nil), at: 2)
      host.run(to: 100)
      #expect(
        host.takeLines().contains { $0.hasPrefix("\(expected) a \(kind) 1 started") }, "\(kind)")
    }
  }
}
