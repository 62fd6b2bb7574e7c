import Testing

@testable import CurfewEngine

@Suite struct MemoryTests {
  @Test func `an app is a record of at most 256 bytes and nothing else while it is idle`() {
    // Its line, and what says that it has nothing else.
    #expect(MemoryLayout<App>.stride + MemoryLayout<Place<AppExtras>>.stride <= 256)
    var host = TestHost(.ios13, device: DeviceFacts(memory: .max), apps: Array(repeating: Manifest(), count: 100))
    for app in 0..<100 as Range<UInt32> { host.tell(.launch(AppID(rawValue: app)), at: Int64(app)) }
    host.tell(.home(nil), at: 100)
    #expect((0..<100).allSatisfy { host.engine.state(of: AppID(rawValue: $0)) == .suspended })
    #expect(host.engine.assertions.count == 0 && host.engine.items.count == 0 && host.engine.timers.count == 0)
  }

  @Test func `records keep to their cache lines`() {
    #expect(MemoryLayout<App>.stride == 64)
    #expect(MemoryLayout<Assertion>.stride == 64)
    #expect(MemoryLayout<TimerQueue.Entry>.stride == 24)
    #expect(MemoryLayout<RunLoopItem>.stride <= 24)
  }

  @Test func `places are used again, so that nothing grows from cycle to cycle`() {
    var engine = Engine(policy: .ios13)
    for _ in 0..<8 { _ = engine.addApp(Manifest(backgroundModes: [.location, .fetch])) }
    var buffer = ActionBuffer()
    for _ in 0..<20 { MemoryTests.cycle(&engine, &buffer) }
    let before = MemoryTests.capacities(engine)
    for _ in 0..<500 { MemoryTests.cycle(&engine, &buffer) }
    #expect(MemoryTests.capacities(engine) == before)
    engine.checkInvariants()
  }

  /// In a process of its own, where nobody else allocates; 1,250 times eight apps.
  @Test(.enabled(if: HeapInUse.isKnown)) func `ten thousand cycles cost the heap not a byte each`() async {
    await #expect(processExitsWith: .success) {
      var engine = Engine(policy: .ios13)
      for _ in 0..<8 { _ = engine.addApp(Manifest(backgroundModes: [.location, .fetch])) }
      var buffer = ActionBuffer(minimumCapacity: 256)
      for _ in 0..<200 { MemoryTests.cycle(&engine, &buffer) }
      let before = HeapInUse.bytes()
      for _ in 0..<1250 { MemoryTests.cycle(&engine, &buffer) }
      let after = HeapInUse.bytes()
      // Measuring takes some bytes itself, now more, now fewer.
      #expect(after - before < 10_000, "\(before) bytes, then \(after)")
    }
  }

  /// Likewise. What the heap grows by is the slab of the apps and nothing else.
  @Test(.enabled(if: HeapInUse.isKnown)) func `a hundred thousand idle apps cost at most 256 bytes each`() async {
    await #expect(processExitsWith: .success) {
      let count: UInt32 = 1 << 17
      let before = HeapInUse.bytes()
      var engine = Engine(policy: .ios13, device: DeviceFacts(memory: .max))
      var buffer = ActionBuffer()
      for _ in 0..<count { _ = engine.addApp() }
      for app in 0..<count { engine.say(.launch(AppID(rawValue: app)), &buffer) }
      engine.say(.home(nil), &buffer)
      let after = HeapInUse.bytes()
      #expect(engine.state(of: AppID(rawValue: count - 1)) == .suspended)
      #expect((after - before) / Int(count) <= 256 && after > before)
    }
  }

  // MARK: What is measured

  private static func capacities(_ engine: borrowing Engine) -> [Int] {
    [
      engine.apps.capacity, engine.assertions.records.capacity, engine.items.capacity, engine.timers.places.capacity,
      engine.timers.heap.capacity,
      engine.timers.wheel.blockCapacity,
    ]
  }

  /// Each app once in front and away again with two tasks, then woken with location on; one dies of it. Nothing here may allocate.
  private static func cycle(_ engine: inout Engine, _ buffer: inout ActionBuffer) {
    for index in 0..<UInt32(engine.appCount) {
      let app = AppID(rawValue: index)
      engine.say(.launch(app), &buffer)
      engine.say(.beginTask(app, label: 1, handler: .present), &buffer)
      engine.say(.home(app), &buffer)
      engine.say(.beginTask(app, label: 2, handler: .absent), &buffer)
      engine.say(.deliver(app, .fetch), &buffer)
      engine.say(.startSession(app, .location), &buffer)
      engine.say(.completeWake(app, .fetch, .newData), &buffer)
      engine.say(.stopSession(app, .location), &buffer)
    }
    engine.say(.lock, &buffer)
    engine.say(.unlock, &buffer)
    // Every grant ends, and every app with it.
    engine.pass(.seconds(100), &buffer)
    precondition(engine.state(of: AppID(rawValue: 0)) == .notRunning)
  }
}
