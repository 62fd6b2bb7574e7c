import Curfew
import Dispatch
import Foundation
import TestRuns
import Testing

/// Delegates and handlers on the main actor, like UIKit's.
@Suite(.inTurn) struct MainActorTests {
  /// Begins an upload in the background, and ends it when time is up.
  @MainActor private final class Uploader: MainActorAppDelegate {
    private(set) var lines: [String] = []
    private var task = BackgroundTaskIdentifier.invalid

    func applicationDidFinishLaunching(_ app: App) { lines.append("launched") }

    func applicationDidEnterBackground(_ app: App) {
      lines.append("background")
      task = (app as any Seam).beginBackgroundTask(withName: "upload") {
        self.lines.append("expired")
        app.endBackgroundTask(self.task)
      }
    }
  }

  /// The SDK's view of `UIApplication` in Swift 6.
  fileprivate protocol Seam {
    func beginBackgroundTask(
      withName taskName: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)?
    ) -> BackgroundTaskIdentifier
  }

  @Test @MainActor
  func `a delegate of the main actor is called there, on the thread that advances the clock`() {
    let (device, uploader) = (Device(policy: .ios13), Uploader())
    let app = device.register("mail", delegate: uploader)
    app.launch()
    device.home()
    device.advance(by: .seconds(60))
    #expect(uploader.lines == ["launched", "background", "expired"])
    #expect(device.leakedTasks.isEmpty && app.applicationState == .suspended)
  }

  @Test func `it is called there from another thread, which waits`() async {
    let device = Device(policy: .ios13)
    let uploader = Uploader()
    let app = device.register("mail", delegate: uploader)
    app.launch()
    device.home()
    device.advance(by: .seconds(60))
    #expect(await uploader.lines == ["launched", "background", "expired"])
    #expect(device.leakedTasks.isEmpty && app.applicationState == .suspended)
  }

  @Test func `a handler there may advance the clock, like the thread that waits for it`() async {
    let (device, log) = (Device(policy: .ios13, executor: MainActorExecutor()), Log())
    let app = device.register("mail")
    app.launch()
    _ = app.beginBackgroundTask { expiration in
      MainActor.assumeIsolated { log.add("main") }
      device.advance(by: .seconds(2))
      app.endBackgroundTask(expiration.identifier)
    }
    device.home()
    device.advance(by: .seconds(25))
    #expect(
      log.lines == ["main"] && device.now == .zero + .seconds(27) && device.leakedTasks.isEmpty)
  }

  @Test
  func
    `in real time a handler that was written for UIKit runs where it expects to, and so does a delegate`()
    async
  {
    let (clock, log) = (StandingClock(), Log())
    let device = Device(policy: .ios13, clock: .realTime(clock), executor: MainActorExecutor())
    let uploader = Uploader()
    let (app, other) = (device.register("mail", delegate: uploader), device.register("maps"))
    app.launch()
    await eventually("the launch") { app.applicationState == .active }
    app.home()
    await eventually("the background") { app.openTasks.count == 1 }
    other.launch()
    await eventually("the other's launch") { other.applicationState == .active }
    _ = other.beginBackgroundTask { expiration in
      // As UIKit's own code does; this traps on any other thread.
      MainActor.assumeIsolated { log.add("\(expiration.task) main") }
      other.endBackgroundTask(expiration.identifier)
    }
    other.home()
    await eventually("both in the background") {
      app.isQuietInBackground && other.isQuietInBackground
    }
    clock.goOn(at: .zero + .seconds(25))
    await eventually("both suspended") {
      app.applicationState == .suspended && other.applicationState == .suspended
    }
    #expect(log.lines == [" main"])
    #expect(await uploader.lines == ["launched", "background", "expired"])
    device.close()
  }

  @Test
  func `in real time one handler of the main actor is called there by the device's own threads`()
    async
  {
    let (clock, log) = (StandingClock(), Log())
    let device = Device(policy: .ios13, clock: .realTime(clock))
    let app = device.register("mail")
    app.launch()
    await eventually("the launch") { app.applicationState == .active }
    let (seam, task): (any Seam, Box) = (app, Box())
    task.value = seam.beginBackgroundTask(withName: "upload") {
      MainActor.assertIsolated()
      log.add("main")
      app.endBackgroundTask(task.value)
    }
    app.home()
    await eventually("the background") { app.isQuietInBackground }
    clock.goOn(at: .zero + .seconds(25))
    await eventually("the suspension") { app.applicationState == .suspended }
    #expect(log.lines == ["main"] && device.leakedTasks.isEmpty)
    device.close()
  }

  @Test func `a main actor's delegate that throws ends its process`() async {
    let device = Device(policy: .ios13)
    let app = device.register("mail", delegate: Thrower())
    app.launch()
    #expect(
      app.processEnds.last?.reason == .abnormalExit
        && app.processEnds.last?.error == "CancellationError()")
  }

  @MainActor private final class Thrower: MainActorAppDelegate {
    func applicationDidBecomeActive(_ app: App) throws { throw CancellationError() }
  }

  private final class Box: @unchecked Sendable { var value = BackgroundTaskIdentifier.invalid }
}

extension App: MainActorTests.Seam {}
