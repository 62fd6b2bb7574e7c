import Curfew
import CurfewTesting
import Dispatch
import Foundation
import Testing

/// Expiration handlers of actors in virtual time.
@Suite(.enabled(if: VirtualTime.isAvailable, "Swift's executors cannot be replaced here"))
struct ActorHandlerTests {
  private actor Store {
    private(set) var saves = 0
    private var task = BackgroundTaskIdentifier.invalid

    func begin(on app: App) {
      task = app.beginBackgroundTask(withName: "save") {
        self.saves += 1
        app.endBackgroundTask(self.task)
      }
    }

    /// Uses the actor until the handler becomes due.
    func tick() async {
      for _ in 0..<25 { try? await Task.sleep(for: .seconds(1)) }
    }

    func advance(_ device: Device) { device.advance(by: .seconds(60)) }
  }

  @Test(.device(.ios13), arguments: 0..<20)
  func `such a handler has run before time goes on`(_ run: Int) async {
    let (device, store) = (Device.current, Store())
    let app = device.register("mail")
    app.launch()
    await store.begin(on: app)
    async let ticks: Void = store.tick()
    device.home()
    device.advance(by: .seconds(40))
    #expect(app.processEnds.isEmpty && device.openTasks.isEmpty)
    #expect(await store.saves == 1)
    await ticks
  }

  private actor Saver {
    private(set) var lines: [String] = []
    private var task = BackgroundTaskIdentifier.invalid

    func begin(on app: App, _ device: Device) {
      task = app.beginBackgroundTask(withName: "save") {
        self.lines.append("expired at \(device.now)")
        app.endBackgroundTask(self.task)
      }
    }

    func save() { Thread.sleep(forTimeInterval: 27) }
  }

  @Test(.device(.ios13, reporting: []), .enabled(if: VirtualTime.followsDispatch))
  func `such a handler waits until its actor waits no more`() async throws {
    let (device, saver) = (Device.current, Saver())
    let app = device.register("mail")
    app.launch()
    await saver.begin(on: app, device)
    _ = try app.run { Task { await saver.save() } }
    device.home()
    device.advance(by: .seconds(60))
    #expect(await saver.lines == ["expired at 27s"] && app.processEnds.isEmpty)
  }

  private actor Waiter {
    func begin(on app: App) {
      _ = app.beginBackgroundTask(withName: "wait") {
        self.assertIsolated()
        DispatchSemaphore(value: 0).wait()
      }
    }
  }

  @Test(.device(.ios13, reporting: []), .enabled(if: VirtualTime.followsDispatch))
  func `such a handler that waits for nothing ends with its process`() async {
    let (device, waiter) = (Device.current, Waiter())
    let app = device.register("mail")
    app.launch()
    await waiter.begin(on: app)
    device.home()
    device.advance(by: .seconds(40))
    #expect(app.processEnds.map(\.instant) == [.zero + .seconds(30)])
    // The actor is free.
    await waiter.begin(on: app)
  }

  @Test(.device(.ios13)) func `it has, if the test awaits the time`() async throws {
    let (device, store) = (Device.current, Store())
    let app = device.register("mail")
    app.launch()
    await store.begin(on: app)
    device.home()
    try await Task.sleep(for: .seconds(60))
    #expect(device.diagnostics.isEmpty && app.processEnds.isEmpty)
    #expect(await store.saves == 1)
  }

  @Test(.device(.ios13)) func `it runs in place if its actor lets time pass`() async {
    let (device, store) = (Device.current, Store())
    let app = device.register("mail")
    app.launch()
    await store.begin(on: app)
    device.home()
    await store.advance(device)
    #expect(device.diagnostics.isEmpty && app.processEnds.isEmpty)
    #expect(await store.saves == 1)
  }
}
