import Testing

@testable import CurfewEngine

@Suite struct MemoryTests {
  @Test func `an app is a record of at most 256 bytes and nothing else while it is idle`() {
    // Its place in the slab, and the slab's chain of free places.
    #expect(MemoryLayout<App>.stride + MemoryLayout<UInt32>.stride <= 256)
    var host = TestHost(.ios13, apps: Array(repeating: Manifest(), count: 100))
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

  #if canImport(Glibc)
    /// In a process of its own, where nobody else allocates; 1,250 times eight apps.
    @Test func `ten thousand cycles cost the heap not a byte each`() async {
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
    @Test func `a hundred thousand idle apps cost at most 256 bytes each`() async {
      await #expect(processExitsWith: .success) {
        let count: UInt32 = 1 << 17
        let before = HeapInUse.bytes()
        var engine = Engine(policy: .ios13)
        var buffer = ActionBuffer()
        for _ in 0..<count { _ = engine.addApp() }
        for app in 0..<count { MemoryTests.say(.launch(AppID(rawValue: app)), &engine, &buffer) }
        MemoryTests.say(.home(nil), &engine, &buffer)
        let after = HeapInUse.bytes()
        #expect(engine.state(of: AppID(rawValue: count - 1)) == .suspended)
        #expect((after - before) / Int(count) <= 256 && after > before)
      }
    }
  #endif

  // MARK: What is measured

  private static func capacities(_ engine: borrowing Engine) -> [Int] {
    [
      engine.apps.capacity, engine.assertions.capacity, engine.items.capacity, engine.timers.places.capacity, engine.timers.heap.capacity,
      engine.timers.wheel.blockCapacity,
    ]
  }

  /// Each app once in front and away again with two tasks, then woken with location on; one dies of it. Nothing here may allocate.
  private static func cycle(_ engine: inout Engine, _ buffer: inout ActionBuffer) {
    for index in 0..<UInt32(engine.appCount) {
      let app = AppID(rawValue: index)
      say(.launch(app), &engine, &buffer)
      say(.beginTask(app, label: 1, handler: .present), &engine, &buffer)
      say(.home(app), &engine, &buffer)
      say(.beginTask(app, label: 2, handler: .absent), &engine, &buffer)
      say(.deliver(app, .fetch), &engine, &buffer)
      say(.startSession(app, .location), &engine, &buffer)
      say(.completeWake(app, .fetch, nil), &engine, &buffer)
      say(.stopSession(app, .location), &engine, &buffer)
    }
    say(.lock, &engine, &buffer)
    say(.unlock, &engine, &buffer)
    // Every grant ends, and every app with it.
    pass(.seconds(100), &engine, &buffer)
    precondition(engine.state(of: AppID(rawValue: 0)) == .notRunning)
  }

  private static func say(_ event: Event, _ engine: inout Engine, _ buffer: inout ActionBuffer) {
    engine.handle(event, at: engine.now, into: &buffer)
    settle(&engine, &buffer)
  }

  private static func pass(_ interval: Interval, _ engine: inout Engine, _ buffer: inout ActionBuffer) {
    let end = engine.now + interval
    while let deadline = engine.nextDeadline, deadline <= end {
      _ = engine.advance(to: deadline, into: &buffer)
      settle(&engine, &buffer)
    }
    _ = engine.advance(to: end, into: &buffer)
  }

  /// Lets every delivery return at once, without as much as a list of them.
  private static func settle(_ engine: inout Engine, _ buffer: inout ActionBuffer) {
    repeat {
      var index = 0
      while index < buffer.count {
        switch buffer[index] {
        case .callback(let app, _), .expiration(let app, _, _, _), .wakeBegan(let app, _), .event(let app, _):
          engine.handle(.returned(app), at: engine.now, into: &buffer)
        default: break
        }
        index += 1
      }
      buffer.removeAll()
    } while engine.advance(to: engine.now, into: &buffer)
  }
}
