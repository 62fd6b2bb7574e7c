import Curfew
import Foundation
import Testing

/// The SDK's view of `UIApplication`, word for word.
protocol BackgroundTasks {
  func beginBackgroundTask(withName taskName: String?, expirationHandler handler: (() -> Void)?)
    -> BackgroundTaskIdentifier
  func endBackgroundTask(_ identifier: BackgroundTaskIdentifier)
}

extension App: BackgroundTasks {}

/// The SDK, which flushes its data when its app leaves the screen.
final class Flusher: @unchecked Sendable {
  private let tasks: any BackgroundTasks
  private var task = BackgroundTaskIdentifier.invalid

  init(_ tasks: any BackgroundTasks, _ center: NotificationCenter) {
    self.tasks = tasks
    let name = Notification.Name("UIApplicationDidEnterBackgroundNotification")
    _ = center.addObserver(forName: name, object: nil, queue: nil) { [self] _ in begin() }
  }

  func begin() { task = tasks.beginBackgroundTask(withName: "flush") { [self] in end() } }

  func end() { tasks.endBackgroundTask(task) }
}

/// A seam that requires a class.
protocol ApplicationState: AnyObject {
  var applicationState: App.State { get }
}

extension AppObject: ApplicationState {}

/// A delegate on the main actor, like an app's own.
@MainActor final class PhotoDelegate: MainActorAppDelegate {
  private(set) var isSaved = false

  func applicationDidEnterBackground(_ app: App) { isSaved = true }
}

@Suite struct ReplaceYourFake {
  @Test func `a flush that takes too long is given up, and leaks nothing`() {
    let (device, center) = (Device(policy: .ios13), NotificationCenter())
    let app = device.register("com.example.host")
    app.postNotifications(to: center)
    let flusher = Flusher(app, center)
    app.launch()
    device.home()
    #expect(device.openTasks.map(\.name) == ["flush"])
    device.finishBackgroundWork()
    #expect(device.leakedTasks.isEmpty && app.applicationState == .suspended)
    withExtendedLifetime(flusher) {}
  }

  @Test func `a seam of a class is the app's object`() {
    let device = Device(policy: .ios13)
    let app = device.register("com.example.host")
    let state: any ApplicationState = app.object
    app.launch()
    #expect(state.applicationState == .active)
  }

  @Test @MainActor func `the photo is saved when the user leaves`() {
    let (device, delegate) = (Device(policy: .ios13), PhotoDelegate())
    device.register("com.example.photos", delegate: delegate).launch()
    device.home()
    #expect(delegate.isSaved)
  }

  @Test @MainActor func `handlers run on the main actor where the device is told so`() throws {
    let device = Device(policy: .ios13, executor: MainActorExecutor())
    let app = device.register("com.example.host")
    app.launch()
    try app.run { _ = app.beginBackgroundTask { MainActor.assumeIsolated { app.crash() } } }
    device.home()
    device.finishBackgroundWork()
    #expect(app.processEnds.last?.reason == .abnormalExit)
  }

  @Test func `a sync that takes too long is told to come to its end`() {
    let device = Device(policy: .ios13)
    let app = device.register("com.example.host")
    app.launch()
    app.performExpiringActivity(withReason: "sync") { expired in
      if expired { return print("time is up") }
      device.home()
      device.advance(by: .seconds(27))
    }
    #expect(device.leakedTasks.isEmpty && app.expirations.map(\.task) == ["sync"])
  }
}
