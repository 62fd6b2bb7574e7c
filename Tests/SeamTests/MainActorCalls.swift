import Curfew
import Testing

/// Calls of a class on the main actor, as apps write them, in each shape that UIKit accepts.
@MainActor private final class Uploader {
  private(set) var expirations = 0
  private var stored: (@MainActor @Sendable () -> Void)?
  private let none: (@MainActor @Sendable () -> Void)? = nil

  init() { stored = { [unowned self] in expire() } }

  private func expire() {
    MainActor.assertIsolated()
    expirations += 1
  }

  /// Begins a task in each shape, and returns the tasks that have a handler.
  func begin(on app: App) -> [BackgroundTaskIdentifier] {
    _ = app.beginBackgroundTask(expirationHandler: none)
    _ = app.beginBackgroundTask(withName: "none", expirationHandler: none)
    return [
      app.beginBackgroundTask(withName: "x") { self.expirations += 1 },
      app.beginBackgroundTask { self.expirations += 1 },
      app.beginBackgroundTask(withName: "weak") { [weak self] in self?.expirations += 1 },
      app.beginBackgroundTask { [weak self] in self?.expire() },
      app.beginBackgroundTask(withName: "stored", expirationHandler: stored),
      app.beginBackgroundTask(expirationHandler: stored),
      app.beginBackgroundTask(withName: "explicit") { @MainActor in self.expire() },
      app.beginBackgroundTask(withName: "expiration") { expiration in
        MainActor.assertIsolated()
        if expiration.task == "expiration" { self.expirations += 1 }
      },
    ]
  }

  /// In Swift 5 mode a method is not `Sendable`.
  func beginWithMethod(on app: App) -> [BackgroundTaskIdentifier] {
    [
      app.beginBackgroundTask(withName: "method", expirationHandler: expire),
      app.beginBackgroundTask(expirationHandler: expire),
    ]
  }

  /// The same on the app's object.
  func begin(on object: AppObject) -> [BackgroundTaskIdentifier] {
    _ = object.beginBackgroundTask(expirationHandler: none)
    _ = object.beginBackgroundTask(withName: "none", expirationHandler: none)
    return [
      object.beginBackgroundTask(withName: "x") { self.expirations += 1 },
      object.beginBackgroundTask { self.expirations += 1 },
      object.beginBackgroundTask(withName: "weak") { [weak self] in self?.expirations += 1 },
      object.beginBackgroundTask { [weak self] in self?.expire() },
      object.beginBackgroundTask(withName: "stored", expirationHandler: stored),
      object.beginBackgroundTask(expirationHandler: stored),
      object.beginBackgroundTask(withName: "method", expirationHandler: expire),
      object.beginBackgroundTask(withName: "explicit") { @MainActor in self.expire() },
    ]
  }
}

/// Calls of an actor: the handlers run on the actor.
private actor Store {
  private struct DiskIsFull: Error {}

  private(set) var saves = 0

  func begin(on app: App) -> BackgroundTaskIdentifier {
    app.beginBackgroundTask(withName: "save") {
      self.saves += 1
      app.endBackgroundTask(app.openTasks[0].identifier)
    }
  }

  private func save() throws {
    saves += 1
    throw DiskIsFull()
  }

  func beginInVain(on app: App) -> BackgroundTaskIdentifier {
    app.beginBackgroundTask { _ in try self.save() }
  }
}

@Suite struct MainActorCalls {
  private let device = Device(policy: .ios13)
  private let app: App

  init() {
    app = device.register("com.example.photos")
    app.launch()
  }

  /// Lets the app's time run out. The handlers leave their tasks open.
  private func expire() {
    device.home()
    device.advance(by: .seconds(27))
  }

  @MainActor @Test func `each shape of a handler of the main actor is called there`() {
    let uploader = Uploader()
    let tasks = uploader.begin(on: app)
    #expect(Set(tasks).count == 8 && !tasks.contains(.invalid))
    expire()
    #expect(uploader.expirations == 8)
  }

  @MainActor @Test func `each shape of such a handler is called by the app's object`() {
    let uploader = Uploader()
    let tasks = uploader.begin(on: app.object)
    #expect(Set(tasks).count == 8 && !tasks.contains(.invalid))
    // Direct calls pass their place on.
    let handled = device.openTasks.filter { tasks.contains($0.identifier) }
    #expect(handled.count { $0.origin.fileID.hasSuffix("/MainActorCalls.swift") } == 8)
    expire()
    #expect(uploader.expirations == 8)
  }

  @Test func `such handlers are called there if another thread advances the clock`() async {
    let uploader = await Uploader()
    _ = await uploader.begin(on: app)
    _ = await uploader.begin(on: app.object)
    expire()
    #expect(await uploader.expirations == 16)
  }

  @Test func `a method of the main actor is called there`() async {
    let uploader = await Uploader()
    let tasks = await uploader.beginWithMethod(on: app)
    #expect(tasks.count == 2 && !tasks.contains(.invalid))
    // Direct calls pass their place on.
    #expect(device.openTasks.allSatisfy { $0.origin.fileID.hasSuffix("/MainActorCalls.swift") })
    expire()
    #expect(await uploader.expirations == 2)
  }

  @Test func `a handler of another actor is called there, before time goes on`() async {
    let store = Store()
    let task = await store.begin(on: app)
    #expect(task != .invalid)
    expire()
    #expect(device.openTasks.isEmpty && device.diagnostics.isEmpty)
    #expect(app.applicationState == .suspended && device.leakedTasks.isEmpty)
    #expect(await store.saves == 1)
  }

  @Test func `a handler of another actor that throws ends the app's process`() async {
    let store = Store()
    #expect(await store.beginInVain(on: app) != .invalid)
    expire()
    #expect(app.processEnds.map(\.error) == ["DiskIsFull()"])
    #expect(await store.saves == 1)
  }
}
