import Curfew
import Testing

/// Asks its server again and again, by the clock that it is handed.
struct Poller {
  var clock: any Clock<Duration> = ContinuousClock()

  func run() async throws {
    while true {
      try await clock.sleep(for: .seconds(4))
      // …
    }
  }
}

@Test func `polling ends with the grant, on any platform`() async {
  let device = Device(policy: .ios13)
  let app = device.register("com.example.notes")
  app.launch()
  let poller = Poller(clock: device.clock)
  let polling = Task {
    try await app.run { try await app.withBackgroundTask(named: "poll") { try await poller.run() } }
  }
  while device.openTasks.isEmpty { await device.settle() }
  device.home()
  await device.settle(advancing: .seconds(25))
  await #expect(throws: CancellationError.self) { try await polling.value }
  await device.settle(advancing: .seconds(35))
  #expect(app.applicationState == .suspended && device.leakedTasks.isEmpty)
}
