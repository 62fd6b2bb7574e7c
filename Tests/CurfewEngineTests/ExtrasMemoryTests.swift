import TestRuns
import Testing

@testable import CurfewEngine

/// Data that few apps need lies in reused records, as apps and assertions do (`MemoryTests`).
@Suite(.inTurn) struct ExtrasMemoryTests {
  private static let policy = Policy.ios13.with {
    $0.notifications = NotificationRules(kept: 3, queued: 3)
    $0.wakes[.region]?.budget = WakeBudget(window: .seconds(3000), runTime: .seconds(100))
  }

  private static func driver() -> Driver {
    var driver = Driver(Engine(policy: policy, device: DeviceFacts(memory: .max)))
    for _ in 0..<8 {
      _ = driver.addApp(
        Manifest(
          backgroundModes: [.fetch, .voip, .processing, .remoteNotification, .audio],
          permittedIdentifiers: [0, 1, 2]))
    }
    return driver
  }

  private static func capacities(_ engine: borrowing Engine) -> [Int] {
    [
      engine.apps.capacity, engine.assertions.records.capacity, engine.items.capacity,
      engine.timers.places.capacity,
      engine.apps.extras.capacity, engine.budgets.uses.capacity, engine.requests.records.capacity,
      engine.notifications.records.capacity,
      engine.posts.records.capacity, engine.processor.spans.capacity,
    ]
  }

  /// Exercises everything that has a record: requested, replaced, cancelled, dropped and fulfilled.
  private static func cycle(_ driver: inout Driver) {
    for index in 0..<UInt32(driver.engine.appCount) {
      let app = AppID(rawValue: index)
      driver.tell(.launch(app))
      for id in 0..<5 as Range<UInt32> {
        driver.tell(.scheduleNotification(app, id: id % 4, after: .seconds(Int64(9 - id))))
      }
      driver.tell(.cancelNotification(app, id: 2))
      for id in 0..<5 as Range<UInt32> {
        driver.tell(.submitTask(app, TaskRequest(identifier: id % 3, kind: .processing)))
      }
      driver.tell(.cancelTask(app, identifier: 1))
      driver.tell(.setInterval(app, .fetch, .zero))
      driver.tell(.setInterval(app, .voipKeepAlive, .seconds(700)))
      driver.tell(.setFootprint(app, Int64(index) << 20))
      driver.tell(.beginTask(app, label: 0, handler: .present))
      driver.tell(.home(app))
      for share in 0..<9 as Range<UInt32> {
        driver.tell(.useCPU(app, share: share, for: .seconds(2)))
        driver.pass(.milliseconds(100))
      }
      driver.tell(.lockFile(app))
      if index % 2 == 0 { driver.tell(.unlockFile(app)) }
      driver.tell(.deliver(app, .remoteNotification))
      driver.tell(.completeWake(app, WakeChoice(), .newData))
    }
    driver.pass(.seconds(100))
    // Half of the apps get the posts that they missed; the others end before that.
    for round in 0..<2 {
      for index in 0..<UInt32(driver.engine.appCount) {
        driver.tell(.deliver(AppID(rawValue: index), .region))
      }
      driver.tell(.completeWake(AppID(rawValue: UInt32(round)), WakeChoice(), nil))
      driver.pass(.seconds(50))
      for name in 0..<10 as Range<UInt32> {
        driver.tell(
          .post(
            nil,
            NotificationPost(
              name: name % 4, value: name, manner: name % 4 == 3 ? .queueing : .coalescing))
        )
      }
    }
    driver.tell(.setDevice(DeviceFacts(memory: 10 << 20)))
    driver.tell(.setDevice(DeviceFacts(memory: .max)))
    driver.pass(.seconds(2000))
  }

  @Test func `places are reused, whatever apps request`() {
    var driver = ExtrasMemoryTests.driver()
    for _ in 0..<10 { ExtrasMemoryTests.cycle(&driver) }
    let before = ExtrasMemoryTests.capacities(driver.engine)
    for _ in 0..<60 { ExtrasMemoryTests.cycle(&driver) }
    #expect(ExtrasMemoryTests.capacities(driver.engine) == before)
    driver.engine.checkInvariants()
    // Each of these apps must have a record, or the test proves nothing. (One shared record
    // of extras serves all apps without any.)
    #expect(
      driver.engine.apps.extras.used == 9 && driver.engine.budgets.uses.used > 8
        && driver.engine.requests.records.used == 3)
    #expect(
      driver.engine.notifications.records.used > 8 && driver.engine.posts.records.used >= 16
        && driver.engine.processor.spans.used >= 8)
  }

  /// Runs in a separate process, where nothing else allocates.
  @Test(.enabled(if: HeapInUse.isKnown))
  func `a thousand cycles of all requests allocate no bytes`() async {
    await #expect(processExitsWith: .success) {
      var driver = ExtrasMemoryTests.driver()
      for _ in 0..<20 { ExtrasMemoryTests.cycle(&driver) }
      // The first measurement leaves small blocks behind, which the C library keeps for the next.
      _ = HeapInUse.bytes()
      let before = HeapInUse.bytes()
      for _ in 0..<125 { ExtrasMemoryTests.cycle(&driver) }
      let after = HeapInUse.bytes()
      #expect(after - before < 10_000, "\(before) bytes, then \(after)")
    }
  }
}
