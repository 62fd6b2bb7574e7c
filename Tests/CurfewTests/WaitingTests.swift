import Curfew
import TestRuns
import Testing

/// Waiting for an app: launches that return when they are done, and the removal of running apps.
@Suite(.inTurn) struct WaitingTests {
  private final class Slow: AppDelegate {
    private let (opened, opening) = AsyncStream<Void>.makeStream()
    let (calls, calling) = AsyncStream<String>.makeStream()

    func applicationDidFinishLaunching(_ app: App) { calling.yield("didFinishLaunching") }
    func applicationDidBecomeActive(_ app: App) { calling.yield("didBecomeActive") }
    func applicationWillTerminate(_ app: App) { calling.yield("willTerminate") }
  }

  @Test func `an app that was registered again is in a recording once`() async {
    let device = Device(policy: .ios13)
    let manifest = AppManifest(backgroundModes: .audio)
    #expect(device.removeApp(device.register("tenant", manifest: manifest)))
    device.register("tenant", manifest: manifest).launch()
    device.startRecording()
    device.home()
    #expect(device.recordedTrace(name: "again").header.manifests == ["tenant": manifest])
  }

  @Test func `on a virtual clock a launch has ended when it returns`() async {
    let device = Device(policy: .server)
    let delegate = Slow()
    let app = device.register("service", delegate: delegate)
    #expect(await app.launchAndWait() == .active)
    #expect(await app.launchAndWait() == .active)
    device.close()
    delegate.calling.finish()
    #expect(
      await delegate.calls.reduce(into: []) { $0.append($1) } == [
        "didFinishLaunching", "didBecomeActive",
      ])
  }

  @Test func `an app is removed in any state`() async {
    let device = Device(policy: .server)
    let delegate = Slow()
    let (front, suspended, idle) = (
      device.register("front", delegate: delegate), device.register("suspended"),
      device.register("idle")
    )
    for app in [front, suspended] { await app.launchAndWait() }
    suspended.home()
    device.advance(by: .seconds(1))
    #expect(!device.removeApp(front))
    for app in [front, suspended, idle] { #expect(await device.terminateAndRemove(app)) }
    #expect(device.apps.isEmpty)
    #expect(await !device.terminateAndRemove(front))
    delegate.calling.finish()
    let calls = await delegate.calls.reduce(into: []) { $0.append($1) }
    #expect(calls.last == "willTerminate" && device.register("front") != front)
  }

  @Test func `waiting callers are notified when the device is closed`() async {
    let clock = StandingClock()
    let device = Device(policy: .server, clock: .realTime(clock), executor: NobodyRuns())
    let app = device.register("service", delegate: Slow())
    let launch = Task { await app.launchAndWait() }
    while app.applicationState == .notRunning { await Task.yield() }
    device.close()
    #expect(await launch.value == .notRunning)
  }

  /// An executor that never calls a handler.
  private struct NobodyRuns: HandlerExecutor {
    func execute(_ work: @escaping @Sendable () -> Void) {}
  }
}
