import Curfew
import CurfewTesting
import Foundation
import Testing

@Suite(.enabled(if: VirtualTime.isAvailable, "Swift's executors cannot be replaced here"))
struct LeftoverTests {
  @Test func `a wake that nobody completes is reported where it was delivered`() async throws {
    nonisolated(unsafe) var left: [Leftover] = []
    let line = #line
    try await withDevice(Device(policy: .ios13), to: { left.append($0) }) { device in
      final class Forgetful: AppDelegate {
        func application(_ app: App, didReceive wake: Wake) {}
      }
      let app = device.register(
        "com.example.mail", manifest: AppManifest(backgroundModes: .remoteNotification),
        delegate: Forgetful())
      app.deliver(.remoteNotification)
      device.advance(by: .seconds(1))
    }
    #expect(
      left.map(\.origin?.line) == [line + 8]
        && left.first?.description.contains("remoteNotification") == true, "\(left)")
  }

  private final class Twice: AppDelegate {
    func application(_ app: App, didReceive wake: Wake) {
      wake.complete()
      wake.complete()
    }
  }

  private static func completeTwice(on device: Device) {
    let app = device.register(
      "com.example.mail", manifest: AppManifest(backgroundModes: .remoteNotification),
      delegate: Twice())
    app.deliver(.urlSession)
  }

  @Test(
    .expectsIssue("A wake was completed twice: com.example.mail at 0s"), .device(.ios13))
  func `W2 a wake that is completed twice is an issue of a test with a device`() {
    Self.completeTwice(on: .current)
  }

  @Test(.device(.ios13, reporting: [.openTasks, .wakes]))
  func `W2 a test may leave out wakes that are completed twice`() {
    Self.completeTwice(on: .current)
  }

  @Test func `C4 time that stands still is reported, and no sleep waits for it`() async throws {
    final class Greedy: AppDelegate {
      func applicationDidReceiveMemoryWarning(_ app: App) {
        app.setFootprint(10 << 20)
        app.setFootprint(95 << 20)
      }
    }
    nonisolated(unsafe) var left: [Leftover] = []
    try await withDevice(
      Device(policy: .ios13, facts: DeviceFacts(memory: 100 << 20)), to: { left.append($0) }
    ) { device in
      let app = device.register("up", delegate: Greedy())
      app.launch()
      try await Task.sleep(for: .seconds(1))
      app.setFootprint(95 << 20)
      try await Task.sleep(for: .seconds(60))
    }
    #expect(
      left.map(\.description) == [
        "time stands still at 1s: 'up' does setFootprint whenever didReceiveMemoryWarning is called"
      ], "\(left)")
  }

  @Test(.device(.ios13, reporting: []))
  func `C4 a sleep ends although two apps that launch each other make time stand still`()
    async throws
  {
    final class Launcher: AppDelegate, @unchecked Sendable {
      var other: App?
      func applicationDidBecomeActive(_ app: App) { other?.launch() }
    }
    let (device, delegates) = (Device.current, [Launcher(), Launcher()])
    let apps = zip(["a", "b"], delegates).map { device.register($0, delegate: $1) }
    (delegates[0].other, delegates[1].other) = (apps[1], apps[0])
    apps[0].launch()
    let start = ContinuousClock.now
    try await Task.sleep(for: .seconds(60))
    #expect(ContinuousClock.now - start == .seconds(60))
    #expect(
      device.diagnostics.contains { if case .standstill = $0.cause { true } else { false } },
      "\(device.diagnostics)")
    for delegate in delegates { delegate.other = nil }
  }

  @Test func `work beside its app is also reported if a test throws, and stops no process`()
    async throws
  {
    nonisolated(unsafe) var left: [Leftover] = []
    await #expect(throws: CancellationError.self) {
      try await withDevice(Device(policy: .ios13), to: { left.append($0) }) { device in
        device.register("com.example.photos").launch()
        Task { try await Task.sleep(for: .seconds(50)) }
        device.home()
        device.advance(by: .seconds(60))
        throw CancellationError()
      }
    }
    #expect(
      left.map(\.isWarning) == [true] && left[0].description.contains("start it with app.run"),
      "\(left)")
    Leftover.stop(left[0])
  }

  @Test func `an error that the body throws is reported unchanged`() async throws {
    await #expect(throws: CancellationError.self) {
      try await withDevice(Device(policy: .ios13)) { _ in
        Task { try await Task.sleep(for: .seconds(60)) }
        throw CancellationError()
      }
    }
  }

  @Test func `a device is released when its test is over`() async throws {
    weak var held: Device?
    do {
      let device = Device(policy: .ios13)
      held = device
      try await withDevice(device) { $0.register("com.example.mail").launch() }
    }
    // The thread that drove the test releases it a moment later.
    for _ in 0..<500 where held != nil { try await Task.sleep(for: .milliseconds(10)) }
    #expect(held == nil)
  }
}

#if os(Linux) && canImport(Glibc) && compiler(>=6.3) && compiler(<6.4)
  /// Elsewhere these suites report that they were skipped.
  @Suite struct AvailabilityTests {
    @Test func `time is virtual where it is said to be`() { #expect(VirtualTime.isAvailable) }
  }
#endif

/// Expects an issue that contains these words, from the test or from a trait behind this one.
private struct ExpectedIssue: TestTrait, TestScoping {
  let words: String

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withKnownIssue {
      try await function()
    } matching: {
      "\($0)".contains(words)
    }
  }
}

extension Trait where Self == ExpectedIssue {
  fileprivate static func expectsIssue(_ words: String) -> Self { ExpectedIssue(words: words) }
}

/// The trait of a suite, and that of a test.
@Suite(.device(.ios13.with { $0.tasks.grant = .seconds(20) })) struct SuiteTraitTests {
  @Test func `the suite's`() { #expect(grant == 20) }
  @Test(.device(.ios13.with { $0.tasks.grant = .seconds(10) })) func `the test's own`() {
    #expect(grant == 10)
  }

  @Test(.device(startDate: Date(timeIntervalSince1970: 1_700_000_000))) func `a date to start on`()
  {
    #expect(Device.current.date == Date(timeIntervalSince1970: 1_700_000_000))
  }

  private var grant: Double {
    let app = Device.current.register("com.example.mail")
    app.launch()
    let task = app.beginBackgroundTask()
    defer { app.endBackgroundTask(task) }
    Device.current.home()
    return app.backgroundTimeRemaining
  }
}
