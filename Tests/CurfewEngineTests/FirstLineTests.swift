import TestRuns
import Testing

@testable import CurfewEngine

/// Rule A10 on hosts that run real handlers: limits count from the callback's first line, which
/// the host reports.
@Suite(.inTurn) struct FirstLineTests {
  private static let app = AppID(rawValue: 0)

  /// A host that reports when a delivery begins and returns, and collects the actions.
  private struct Host: ~Copyable {
    private(set) var driver: Driver
    var engine: Engine { _read { yield driver.engine } }

    init(_ start: LimitStart = .firstLine, _ policy: Policy = .ios13) {
      driver = Driver(Engine(policy: policy, limitsCountFrom: start))
      _ = driver.addApp()
    }

    /// Returns the actions until `second` and those that `event` causes then, without
    /// state changes.
    mutating func tell(_ event: Event?, at second: Double) -> [String] {
      let instant = Instant(nanoseconds: Int64(second * 1e9))
      var actions: [String] = []
      while let item = driver.next(until: instant) { actions += words(item) }
      if let event { driver.say(event) }
      while let item = driver.pull() { actions += words(item) }
      driver.engine.checkInvariants()
      return actions
    }

    mutating func begin(at second: Double) -> [String] { tell(.began(app), at: second) }
    mutating func finish(at second: Double) -> [String] { tell(.returned(app), at: second) }

    private func words(_ item: Driver.Item) -> [String] {
      switch item {
      case .action(.state), .turn, .due: []
      case .action(.callback(_, let callback)): ["\(callback)"]
      case .action(.diagnostic(let diagnostic, _, _)): ["\(diagnostic)"]
      case .action(.terminated(_, let end)): ["\(end.reason) \(end.callback.map { "\($0)" } ?? "")"]
      case .action(let action): ["\(action)"]
      }
    }
  }

  private func overrun(_ callback: Callback) -> [String] {
    ["appWatchdog \(callback)"]
  }

  private let slowLaunch = "slowLaunch"

  /// An app in front at 3 s, with all callbacks returned.
  private func launched() -> Host {
    var host = Host()
    _ = host.tell(.launch(FirstLineTests.app), at: 0)
    for second in [0, 1, 2] as [Double] {
      _ = (host.begin(at: second), host.finish(at: second + 1))
    }
    return host
  }

  @Test func `A10 a callback that never began has not overrun, however long it waits`() {
    var host = Host()
    #expect(host.tell(.launch(FirstLineTests.app), at: 0) == ["willFinishLaunching"])
    #expect(host.tell(nil, at: 1_000_000) == [])
    #expect(host.engine.nextDeadline == nil)
    #expect(host.begin(at: 1_000_000) == [])
    #expect(host.tell(nil, at: 1_000_019.999) == [slowLaunch])
    #expect(host.tell(nil, at: 1_000_020) == overrun(.willFinishLaunching))
  }

  @Test func `A10 the launch clock stands still while didFinishLaunching waits for its first line`()
  {
    var host = Host()
    _ = host.tell(.launch(FirstLineTests.app), at: 0)
    _ = host.begin(at: 10)
    #expect(host.finish(at: 13) == ["didFinishLaunching"])
    #expect(host.tell(nil, at: 500) == [])
    // 3 s are used up: 2 s are left until the warning, and 17 s until the end.
    _ = host.begin(at: 500)
    #expect(host.tell(nil, at: 501.999_999_999) == [])
    #expect(host.tell(nil, at: 502) == [slowLaunch])
    #expect(host.tell(nil, at: 516.999_999_999) == [])
    #expect(host.tell(nil, at: 517) == overrun(.didFinishLaunching))
  }

  @Test func `A10 a launch reported as slow before its clock stood still is not reported again`() {
    var host = Host()
    _ = host.tell(.launch(FirstLineTests.app), at: 0)
    _ = host.begin(at: 0)
    #expect(host.finish(at: 6) == [slowLaunch, "didFinishLaunching"])
    _ = host.begin(at: 100)
    #expect(host.tell(nil, at: 113.999_999_999) == [])
    #expect(host.finish(at: 113.999_999_999) == ["didBecomeActive"])
  }

  @Test(arguments: [(Callback.didEnterBackground, 10), (.willTerminate, 5)])
  func `A10 didEnterBackground and willTerminate have their limits from their first lines`(
    _ callback: Callback, limit: Double
  ) {
    var host = launched()
    _ = host.tell(
      callback == .willTerminate ? .forceQuit(FirstLineTests.app) : .home(FirstLineTests.app), at: 4
    )
    _ = (host.begin(at: 5), host.finish(at: 6))
    if callback == .willTerminate { _ = (host.begin(at: 6), host.finish(at: 7)) }
    #expect(host.tell(nil, at: 100) == [])
    _ = host.begin(at: 100)
    let remarks = callback == .didEnterBackground ? ["slowDidEnterBackground"] : []
    #expect(host.tell(nil, at: 99.999_999_999 + limit) == remarks)
    #expect(host.tell(nil, at: 100 + limit) == overrun(callback))
  }

  @Test func `A13 a run loop is busy from the first line on, and anew from the next first line`() {
    var host = Host(.firstLine, .ios13.with { $0.limits.didEnterBackground = .seconds(100) })
    _ = host.tell(.launch(FirstLineTests.app), at: 0)
    for second in [0, 1, 2] as [Double] {
      _ = (host.begin(at: second), host.finish(at: second + 1))
    }
    _ = host.tell(.home(FirstLineTests.app), at: 4)
    _ = (host.begin(at: 4), host.finish(at: 5))
    #expect(host.tell(nil, at: 50) == [])
    _ = host.begin(at: 50)
    #expect(host.tell(nil, at: 59.999_999_999) == ["slowDidEnterBackground"])
    #expect(
      host.tell(nil, at: 60) == [busy(.callback(.didEnterBackground))])
    _ = host.tell(.deliver(FirstLineTests.app, .urlSession), at: 61)
    _ = host.finish(at: 62)
    _ = host.tell(.completeWake(FirstLineTests.app, WakeChoice(), nil), at: 63)
    #expect(host.tell(nil, at: 90) == [])
    _ = host.begin(at: 90)
    #expect(host.tell(nil, at: 99.999_999_999) == [])
    #expect(host.tell(nil, at: 100) == [busy(.wake(.urlSession))])
    #expect(host.finish(at: 101) == [] && host.tell(nil, at: 101) == [])
    #expect(host.engine.state(of: FirstLineTests.app) == .suspended)
  }

  private func busy(_ call: RunningCall) -> String {
    "\(Action.runsWithoutAssertion(FirstLineTests.app, call))"
  }

  @Test func `A10 other callbacks and handlers have no limit, begun or not`() {
    var host = launched()
    _ = host.tell(.interrupt(FirstLineTests.app), at: 4)
    _ = host.begin(at: 4)
    #expect(host.tell(nil, at: 1_000) == [])
    #expect(
      host.engine.owesReturn(FirstLineTests.app) && !host.engine.owesBegin(FirstLineTests.app))
  }

  @Test
  func
    `A10 on a host that models its apps the limit counts from the delivery, and a first line has no effect`()
  {
    var host = Host(.delivery)
    _ = host.tell(.launch(FirstLineTests.app), at: 0)
    #expect(host.begin(at: 1) == [])
    #expect(host.tell(nil, at: 20) == [slowLaunch] + overrun(.willFinishLaunching))
  }

  @Test func `a copy of an engine counts from first lines too`() {
    var host = Host()
    _ = host.tell(.launch(FirstLineTests.app), at: 0)
    _ = (host.begin(at: 1), host.finish(at: 3))
    var copy = host.driver.copy()
    copy.say(.began(FirstLineTests.app), at: .zero + .seconds(10))
    #expect(copy.nextInstant == .zero + .seconds(13))
  }

  @Test func `a first line without a delivery, or a second one, stops the program`() async {
    await #expect(processExitsWith: .failure) {
      var host = Host()
      _ = host.begin(at: 0)
    }
    await #expect(processExitsWith: .failure) {
      var host = Host()
      _ = (host.tell(.launch(FirstLineTests.app), at: 0), host.begin(at: 0), host.begin(at: 0))
    }
  }
}
