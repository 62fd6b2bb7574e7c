import TestRuns
import Testing

@testable import CurfewEngine

@Suite(.inTurn) struct MemoryTests {
  @Test func `an app is a record of at most 256 bytes and nothing else while it is idle`() {
    // The app's line and the shared record that says it has nothing else.
    #expect(MemoryLayout<EngineApp>.stride + MemoryLayout<Place<AppExtras>>.stride <= 256)
    var host = TestHost(
      .ios13, device: DeviceFacts(memory: .max), apps: Array(repeating: Manifest(), count: 100))
    for app in 0..<100 as Range<UInt32> { host.tell(.launch(AppID(rawValue: app)), at: Int64(app)) }
    host.tell(.home(nil), at: 100)
    #expect((0..<100).allSatisfy { host.engine.state(of: AppID(rawValue: $0)) == .suspended })
    #expect(
      host.engine.assertions.count == 0 && host.engine.items.count == 0
        && host.engine.timers.count == 0)
  }

  @Test func `records keep to their cache lines`() {
    #expect(MemoryLayout<EngineApp>.stride == 64)
    #expect(MemoryLayout<Assertion>.stride == 64)
    #expect(MemoryLayout<WaitingItems>.stride == 4)
    #expect(MemoryLayout<TimerQueue.Entry>.stride == 24)
    #expect(MemoryLayout<RunLoopItem>.stride <= 24)
  }

  @Test func `the only step that waits has no record, and keeps its place before others`() {
    var driver = Driver(Engine(policy: .ios13))
    let app = driver.addApp()
    var (callbacks, isAway) = ([Callback](), false)
    driver.say(.launch(app))
    while let item = driver.pull() {
      switch item {
      case .action(.callback(_, let callback)): callbacks.append(callback)
      case .turn where !isAway:
        #expect(driver.engine.items.count == 0 && !driver.engine.apps[app].items.isEmpty)
        driver.say(.home(app))
        isAway = true
        #expect(driver.engine.items.count == 3)
        driver.engine.checkInvariants()
      case .turn(let app): driver.say(.returned(app))
      case .action, .due: break
      }
    }
    let launch: [Callback] = [.willFinishLaunching, .didFinishLaunching, .didBecomeActive]
    #expect(callbacks == launch + [.willResignActive, .didEnterBackground])
  }

  @Test func `places are reused, so that memory does not grow from cycle to cycle`() {
    var driver = Driver(Engine(policy: .ios13))
    for _ in 0..<8 { _ = driver.addApp(Manifest(backgroundModes: [.location, .fetch])) }
    for _ in 0..<20 { MemoryTests.cycle(&driver) }
    let before = MemoryTests.capacities(driver.engine)
    for _ in 0..<500 { MemoryTests.cycle(&driver) }
    #expect(MemoryTests.capacities(driver.engine) == before)
    driver.engine.checkInvariants()
  }

  /// Runs in a separate process, where nothing else allocates; 1,250 times eight apps.
  @Test(.enabled(if: HeapInUse.isKnown)) func `ten thousand cycles allocate no bytes`()
    async
  {
    await #expect(processExitsWith: .success) {
      var driver = Driver(Engine(policy: .ios13))
      for _ in 0..<8 { _ = driver.addApp(Manifest(backgroundModes: [.location, .fetch])) }
      for _ in 0..<200 { MemoryTests.cycle(&driver) }
      // The first measurement makes room for the next ones.
      _ = HeapInUse.bytes()
      let before = HeapInUse.bytes()
      for _ in 0..<1250 { MemoryTests.cycle(&driver) }
      let after = HeapInUse.bytes()
      // Measuring itself takes a varying number of bytes.
      #expect(after - before < 10_000, "\(before) bytes, then \(after)")
    }
  }

  /// Runs in a separate process. Only the slab of the apps adds to the heap.
  @Test(.enabled(if: HeapInUse.isKnown)) func `thousands of idle apps cost at most 256 bytes each`()
    async
  {
    await #expect(processExitsWith: .success) {
      let count: UInt32 = Campaign.isQuick ? 1 << 14 : 1 << 17
      let before = HeapInUse.bytes()
      var driver = Driver(Engine(policy: .ios13, device: DeviceFacts(memory: .max)))
      for _ in 0..<count { _ = driver.addApp() }
      for app in 0..<count { driver.tell(.launch(AppID(rawValue: app))) }
      driver.tell(.home(nil))
      let after = HeapInUse.bytes()
      #expect(driver.engine.state(of: AppID(rawValue: count - 1)) == .suspended)
      #expect((after - before) / Int(count) <= 256 && after > before)
    }
  }

  // MARK: Measurements

  private static func capacities(_ engine: borrowing Engine) -> [Int] {
    [
      engine.apps.capacity, engine.assertions.records.capacity, engine.items.capacity,
      engine.timers.places.capacity,
      engine.timers.heap.capacity,
      engine.timers.wheel.blockCapacity,
    ]
  }

  /// Brings each app to the front once and away again with two tasks, then wakes it with location
  /// on; the grant's end terminates it. Nothing here may allocate.
  private static func cycle(_ driver: inout Driver) {
    for index in 0..<UInt32(driver.engine.appCount) {
      let app = AppID(rawValue: index)
      driver.tell(.launch(app))
      driver.tell(.beginTask(app, label: 1, handler: .present))
      driver.tell(.home(app))
      driver.tell(.beginTask(app, label: 2, handler: .absent))
      driver.tell(.deliver(app, .fetch))
      driver.tell(.startSession(app, .location))
      driver.tell(.completeWake(app, WakeChoice(kind: .fetch), .newData))
      driver.tell(.stopSession(app, .location))
    }
    driver.tell(.lock)
    driver.tell(.unlock)
    // Every grant ends, and every app with it.
    driver.pass(.seconds(100))
    precondition(driver.engine.state(of: AppID(rawValue: 0)) == .notRunning)
  }
}
