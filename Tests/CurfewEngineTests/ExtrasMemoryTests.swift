import Testing

@testable import CurfewEngine

/// What few apps ask for lies in records that are used again, as apps and assertions are (`MemoryTests`).
@Suite struct ExtrasMemoryTests {
  private static let policy = Policy.ios13.with {
    $0.notifications = NotificationRules(kept: 3, queued: 3)
    $0.wakes[.region]?.budget = WakeBudget(window: .seconds(3000), runTime: .seconds(100))
  }

  private static func engine() -> Engine {
    var engine = Engine(policy: policy, device: DeviceFacts(memory: .max))
    for _ in 0..<8 {
      _ = engine.addApp(
        Manifest(backgroundModes: [.fetch, .voip, .processing, .remoteNotification, .audio], permittedIdentifiers: [0, 1, 2]))
    }
    return engine
  }

  private static func capacities(_ engine: borrowing Engine) -> [Int] {
    [
      engine.apps.capacity, engine.assertions.records.capacity, engine.items.capacity, engine.timers.places.capacity,
      engine.apps.extras.capacity, engine.budgets.uses.capacity, engine.requests.records.capacity, engine.notifications.records.capacity,
      engine.posts.records.capacity, engine.processor.spans.capacity,
    ]
  }

  /// Everything that there is a record for: asked for, replaced, taken back, forgotten, and come true.
  private static func cycle(_ engine: inout Engine, _ buffer: inout ActionBuffer) {
    for index in 0..<UInt32(engine.appCount) {
      let app = AppID(rawValue: index)
      engine.say(.launch(app), &buffer)
      for id in 0..<5 as Range<UInt32> { engine.say(.scheduleNotification(app, id: id % 4, after: .seconds(Int64(9 - id))), &buffer) }
      engine.say(.cancelNotification(app, id: 2), &buffer)
      for id in 0..<5 as Range<UInt32> { engine.say(.submitTask(app, TaskRequest(identifier: id % 3, kind: .processing)), &buffer) }
      engine.say(.cancelTask(app, identifier: 1), &buffer)
      engine.say(.setMinimumFetchInterval(app, .zero), &buffer)
      engine.say(.setKeepAlive(app, .seconds(700)), &buffer)
      engine.say(.setFootprint(app, Int64(index) << 20), &buffer)
      engine.say(.beginTask(app, label: 0, handler: .present), &buffer)
      engine.say(.home(app), &buffer)
      for share in 0..<9 as Range<UInt32> {
        engine.say(.useCPU(app, share: share, for: .seconds(2)), &buffer)
        engine.pass(.milliseconds(100), &buffer)
      }
      engine.say(.lockFile(app), &buffer)
      if index % 2 == 0 { engine.say(.unlockFile(app), &buffer) }
      engine.say(.deliver(app, .remoteNotification), &buffer)
      engine.say(.completeWake(app, nil, .newData), &buffer)
    }
    engine.pass(.seconds(100), &buffer)
    // Half of them are told what they missed, the others die without.
    for round in 0..<2 {
      for index in 0..<UInt32(engine.appCount) { engine.say(.deliver(AppID(rawValue: index), .region), &buffer) }
      engine.say(.completeWake(AppID(rawValue: UInt32(round)), nil, nil), &buffer)
      engine.pass(.seconds(50), &buffer)
      for name in 0..<10 as Range<UInt32> {
        engine.say(.post(nil, Post(name: name % 4, value: name, manner: name % 4 == 3 ? .queueing : .coalescing)), &buffer)
      }
    }
    engine.say(.setDevice(DeviceFacts(memory: 10 << 20)), &buffer)
    engine.say(.setDevice(DeviceFacts(memory: .max)), &buffer)
    engine.pass(.seconds(2000), &buffer)
  }

  @Test func `places are used again, whatever apps ask for`() {
    var engine = ExtrasMemoryTests.engine()
    var buffer = ActionBuffer()
    for _ in 0..<10 { ExtrasMemoryTests.cycle(&engine, &buffer) }
    let before = ExtrasMemoryTests.capacities(engine)
    for _ in 0..<60 { ExtrasMemoryTests.cycle(&engine, &buffer) }
    #expect(ExtrasMemoryTests.capacities(engine) == before)
    engine.checkInvariants()
    // Each of these had something to keep, or the test says nothing. (One record of extras stands for all apps without any.)
    #expect(engine.apps.extras.used == 9 && engine.budgets.uses.used > 8 && engine.requests.records.used == 3)
    #expect(engine.notifications.records.used > 8 && engine.posts.records.used >= 16 && engine.processor.spans.used >= 8)
  }

  /// In a process of its own, where nobody else allocates.
  @Test(.enabled(if: HeapInUse.isKnown)) func `a thousand cycles of whatever apps ask for cost the heap not a byte each`() async {
    await #expect(processExitsWith: .success) {
      var engine = ExtrasMemoryTests.engine()
      var buffer = ActionBuffer(minimumCapacity: 256)
      for _ in 0..<20 { ExtrasMemoryTests.cycle(&engine, &buffer) }
      // The first look leaves small blocks behind, which the C library keeps for the next.
      _ = HeapInUse.bytes()
      let before = HeapInUse.bytes()
      for _ in 0..<125 { ExtrasMemoryTests.cycle(&engine, &buffer) }
      let after = HeapInUse.bytes()
      #expect(after - before < 10_000, "\(before) bytes, then \(after)")
    }
  }
}
