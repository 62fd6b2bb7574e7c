import Curfew
import TestRuns
import Testing

/// A device's time as a Swift clock, if Swift's own executors run everything.
@Suite(.inTurn) struct VirtualClockTests {
  private let device = Device(policy: .ios13)

  @Test func `its instants are the device's`() {
    let clock = device.clock
    let start = clock.now
    device.advance(by: .seconds(90))
    #expect(
      start.duration(to: clock.now) == .seconds(90) && clock.now.onDevice == .zero + .seconds(90))
    #expect(
      start < clock.now && start.advanced(by: .seconds(90)) == clock.now
        && clock.minimumResolution == .nanoseconds(1))
  }

  @Test func `sleepers resume at their deadlines and no sooner, in their order`() async {
    let (clock, log) = (device.clock, Log())
    let sleepers = [3, 1, 2].map { seconds in
      Task {
        try await clock.sleep(for: .seconds(seconds))
        log.add("\(seconds) at \(device.now)")
      }
    }
    await eventually("nobody sleeps") { device.sleeperCount == 3 }
    device.advance(by: .milliseconds(999))
    await device.settle()
    #expect(log.lines.isEmpty)
    for count in 1...3 {
      device.advance(by: .milliseconds(count == 1 ? 1 : 1_000))
      await eventually("nobody goes on") { log.lines.count == count }
    }
    #expect(log.lines == ["1 at 1s", "2 at 2s", "3 at 3s"])
    for sleeper in sleepers { await #expect(throws: Never.self) { try await sleeper.value } }
  }

  @Test func `a sleep whose deadline has passed is over at once`() async throws {
    device.advance(by: .seconds(1))
    try await device.clock.sleep(until: device.clock.now)
    try await device.clock.sleep(for: .seconds(-5))
    #expect(device.now == .zero + .seconds(1))
  }

  @Test func `a sleep ends if its task is cancelled before or in it, or if the device closes`()
    async
  {
    let clock = device.clock
    let early = Task {
      while !Task.isCancelled { await Task.yield() }
      try await clock.sleep(for: .seconds(1))
    }
    early.cancel()
    await #expect(throws: CancellationError.self) { try await early.value }
    let sleepers = (0..<2).map { _ in Task { try await clock.sleep(for: .seconds(1)) } }
    await eventually("nobody sleeps") { device.sleeperCount == 2 }
    sleepers[0].cancel()
    await #expect(throws: CancellationError.self) { try await sleepers[0].value }
    device.close()
    await #expect(throws: CancellationError.self) { try await sleepers[1].value }
    await #expect(throws: CancellationError.self) { try await clock.sleep(for: .seconds(1)) }
  }

  @Test func `settling stops at each instant at which something is due`() async {
    let (log, app) = (Log(), device.register("app", delegate: LoggingDelegate(Log())))
    app.launch()
    let ticker = Task {
      for _ in 0..<3 {
        try await device.clock.sleep(for: .seconds(1))
        log.add("\(device.now.nanoseconds % 1_000_000_000)")
      }
    }
    while log.lines.count < 3 { await device.settle(advancing: .seconds(1)) }
    // Each sleep ends on a whole second, however late it began.
    #expect(log.lines == ["0", "0", "0"])
    await #expect(throws: Never.self) { try await ticker.value }
    _ = app.beginBackgroundTask()
    app.home()
    await device.settle(advancing: .seconds(60))
    #expect(app.processEnds.map(\.reason) == [.backgroundTaskAssertionTimeout])
  }
}
