import Curfew
import CurfewTesting
import Foundation
import Testing

/// Observers of `NotificationCenter` that an app's callbacks call.
@Suite(.enabled(if: VirtualTime.followsDispatch, "Dispatch does not follow a device here"))
struct ObserverTests {
  private final class Client: AppDelegate {
    let lines: Lines
    init(_ lines: Lines) { self.lines = lines }
    func applicationDidEnterBackground(_ app: App) { lines.add("delegate") }
  }

  @Test(arguments: [false, true])
  func `an observer with the main queue is called during the callback`(onMainActor: Bool)
    async throws
  {
    let lines = Lines()
    let device =
      onMainActor ? Device(policy: .ios13, executor: MainActorExecutor()) : Device(policy: .ios13)
    try await withDevice(device, to: { lines.add("\($0)") }) { device in
      let (app, center) = (
        device.register("com.example.mail", delegate: Client(lines)), NotificationCenter()
      )
      app.postNotifications(to: center)
      let observer = center.addObserver(
        forName: App.didEnterBackgroundNotification, object: nil, queue: .main
      ) { _ in
        lines.add("\(App.current?.name ?? "none") on main: \(Thread.isMainThread)")
        let task = app.beginBackgroundTask(withName: "save")
        DispatchQueue.global().asyncAfter(deadline: .now() + 2) { app.endBackgroundTask(task) }
      }
      app.launch()
      device.home()
      lines.add("\(app.applicationState)")
      device.advance(by: .seconds(10))
      lines.add("\(app.applicationState)")
      center.removeObserver(observer)
    }
    #expect(
      lines.all == ["delegate", "com.example.mail on main: true", "background", "suspended"])
  }

  @Test func `an observer is called although the main thread waits for it`() async throws {
    let lines = Lines()
    try await withDevice(Device(policy: .ios13)) { device in
      let (app, center) = (device.register("com.example.mail"), NotificationCenter())
      app.postNotifications(to: center)
      let done = DispatchSemaphore(value: 0)
      let observer = center.addObserver(
        forName: App.didEnterBackgroundNotification, object: nil, queue: nil
      ) { _ in done.signal() }
      app.launch()
      Task {
        try await Task.sleep(for: .seconds(1))
        device.home()
      }
      await MainActor.run {
        done.wait()
        lines.add("\(device.now)")
      }
      center.removeObserver(observer)
    }
    #expect(lines.all == ["1s"])
  }
}
