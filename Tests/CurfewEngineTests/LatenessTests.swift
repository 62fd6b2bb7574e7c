import TestRuns
import Testing

@testable import CurfewEngine

/// Ends that report that the host came too late to warn (rules F6, W6).
@Suite(.inTurn) struct LatenessTests {
  private let app = AppID(rawValue: 0)

  /// The end of a grant whose warning was due at 35 s, on a host that came at the given instants
  /// and did everything due.
  private func end(_ whenLate: TaskRules.WhenLate, hostAt seconds: Int64...) -> EngineProcessEnd? {
    var host = TestHost.uploading(.ios13.with { $0.tasks.whenLate = whenLate }, endsTask: false)
    host.tell(.home(nil), at: 10)
    return ends(&host, seconds).last
  }

  private func ends(_ host: inout TestHost, _ seconds: [Int64]) -> [EngineProcessEnd] {
    var actions = ActionBuffer()
    for second in seconds {
      while host.engine.advance(to: .zero + .seconds(second), into: &actions) {}
    }
    return actions.actions.compactMap { if case .terminated(_, let end) = $0 { end } else { nil } }
  }

  @Test(arguments: [TaskRules.WhenLate.kill, .extend])
  func `F6 the end of a visit says that the host came too late to warn, and by how much`(
    whenLate: TaskRules.WhenLate
  ) {
    // The host comes in time, late with time left, exactly at the grant's end, and after it; each
    // time the end is late.
    #expect(end(whenLate, hostAt: 35, 50)?.late == nil)
    #expect(end(whenLate, hostAt: 39, 50)?.late == nil)
    #expect(end(whenLate, hostAt: 40, 50)?.late == nil)
    #expect(end(whenLate, hostAt: 41, 50)?.late == .seconds(6))
    #expect(end(whenLate, hostAt: 100, 105, 200)?.late == .seconds(65))
  }

  @Test func `F6 a visit that was warned in time does not report the previous visit`() {
    var host = TestHost.uploading(endsTask: false)
    host.tell(.home(nil), at: 10)
    var actions = ActionBuffer()
    while host.engine.advance(to: .zero + .seconds(50), into: &actions) {}
    host.engine.handle(.returned(app), at: .zero + .seconds(51), into: &actions)
    host.tell(.launch(app), at: 52)
    host.tell(.home(nil), at: 60)
    #expect(ends(&host, [85, 90]).map(\.late) == [nil])
  }

  @Test func `W6 the end of a wake that ends its process also says so`() {
    for (second, late) in [(25, nil), (30, nil), (31, .seconds(6))] as [(Int64, Interval?)] {
      let policy = Policy.ios13.with { $0.wakes[.remoteNotification]?.warning = .seconds(5) }
      var driver = Driver(Engine(policy: policy), pace: .late)
      _ = driver.addApp(Manifest(backgroundModes: .remoteNotification, handlesWakeExpiration: true))
      driver.say(.deliver(app, .remoteNotification))
      var ends: [EngineProcessEnd] = []
      for limit in [0, second, 100] as [Int64] {
        while let item = driver.next(until: .zero + .seconds(limit)) {
          if case .turn(let app) = item { driver.say(.returned(app)) }
          if case .action(.terminated(_, let end)) = item { ends.append(end) }
        }
      }
      #expect(ends.map(\.kind) == [.remoteNotification] && ends.map(\.late) == [late])
    }
  }
}
