import CoreMetrics
import Curfew
import CurfewMetrics
import Foundation
import MetricsTestKit
import TestRuns
import Testing

/// Metrics of a device, as a backend gets them.
@Suite(.inTurn) struct DeviceMetricsTests {
  /// A grant that its app leaks: five deliveries, one handler, one end.
  private func leak(_ device: Device) {
    let app = device.register("mail")
    app.launch()
    _ = app.beginBackgroundTask {}
    device.home()
    device.advance(by: .seconds(30))
  }

  @Test func `a report has the changes since the last report`() throws {
    let factory = TestMetrics()
    let device = Device(policy: .ios13)
    let metrics = DeviceMetrics(device, factory: factory)
    leak(device)
    metrics.report()
    metrics.report()
    let counts = device.counts
    #expect(try factory.expectCounter("curfew_events").values == [Int64(counts.events)])
    #expect(try factory.expectCounter("curfew_expirations").values == [1])
    #expect(try factory.expectCounter("curfew_handlers_called").values == [1])
    #expect(try factory.expectCounter("curfew_handlers_left_out").values == [])
    device.app(named: "mail")?.launch()
    metrics.report()
    #expect(
      try factory.expectCounter("curfew_events").values
        == [counts.events, device.counts.events - counts.events].map(Int64.init))
  }

  @Test func `processes that have ended are counted by reason`() throws {
    let factory = TestMetrics()
    let device = Device(policy: .ios13)
    let metrics = DeviceMetrics(device, dimensions: [("device", "phone")], factory: factory)
    leak(device)
    for reason in [CrashReason.badAccess, .badAccess, .abnormalExit] {
      device.app(named: "mail")?.launch()
      device.app(named: "mail")?.crash(reason)
    }
    metrics.report()
    func ends(_ reason: String) throws -> Int64 {
      try factory.expectCounter("curfew_process_ends", [("device", "phone"), ("reason", reason)])
        .totalValue
    }
    #expect(
      try ends("backgroundTaskAssertionTimeout") == 1 && ends("badAccess") == 2
        && ends("abnormalExit") == 1 && ends("reboot") == 0)
    #expect(device.counts.processEnds == 4 && device.counts.processEnds(for: .badAccess) == 2)
  }

  @Test func `a late host's warning and a handler that was not called are reported`() throws {
    let factory = TestMetrics()
    let clock = LeapingClock()
    var policy = PolicyFile.ios13
    try policy.set("tasks.whenLate", "kill")
    let device = Device(policy: policy, clock: .realTime(clock))
    let metrics = DeviceMetrics(device, name: "phone", factory: factory)
    let app = device.register("mail")
    app.launch()
    wait("no launch") { app.applicationState == .active }
    _ = app.beginBackgroundTask { Issue.record("called") }
    app.home()
    wait("not in the background") {
      app.applicationState == .background && app.backgroundTimeRemaining < 31
    }
    clock.leap(to: .zero + .milliseconds(41_600))
    metrics.report()
    let told = try factory.expectTimer("phone_warning_lateness").values
    #expect(told.count == 1 && told[0] >= 16_600_000_000 && told[0] <= 16_600_000_000 * 33 / 32)
    #expect(try factory.expectTimer("phone_handler_lateness").values == [])
    #expect(try factory.expectCounter("phone_handlers_missed").totalValue == 1)
    #expect(try factory.expectCounter("phone_process_ends_warned_too_late").totalValue == 1)
  }

  @Test func `the metrics report until they are cancelled, and once more at that moment`()
    async throws
  {
    let factory = TestMetrics()
    let device = Device(policy: .ios13)
    let metrics = DeviceMetrics(device, factory: factory)
    let running = Task { await metrics.run(every: .seconds(3600)) }
    let events = try factory.expectCounter("curfew_events")
    device.lock()
    // The first report may come before or after that.
    running.cancel()
    await running.value
    #expect(events.totalValue == 1)
  }
}

/// Waits for the condition, and records an issue if it does not hold within 20 s.
private func wait(_ what: Comment, _ isDone: () -> Bool) {
  let end = Date() + 20
  while !isDone() {
    if Date() > end {
      Issue.record(what)
      return
    }
    Thread.sleep(forTimeInterval: 0.001)
  }
}

/// A real clock that stands still, except for one leap in which everything becomes due.
private final class LeapingClock: RealTimeClock, @unchecked Sendable {
  let name = "monotonic"
  private let lock = NSLock()
  private var instant = Instant.zero
  private var tick: @Sendable () -> Void = {}

  func now() -> Instant { lock.withLock { instant } }
  func arm(_ deadline: Instant?) {}
  func start(_ tick: @escaping @Sendable () -> Void) { self.tick = tick }
  func stop() {}

  func leap(to instant: Instant) {
    lock.withLock { self.instant = instant }
    tick()
  }
}
