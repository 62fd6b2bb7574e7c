import Curfew
import CurfewTesting
import Foundation
import Testing

/// The main thread is one thread: a main-actor job waits for the
/// callback that holds it, and runs before the app is suspended.
@Suite(.enabled(if: VirtualTime.isAvailable, "Swift's executors cannot be replaced here"))
struct MainThreadTests {
  /// Keeps its task open until a main-actor job ends it.
  private static func expire(on device: Device) -> String {
    let app = device.register("com.example.photos")
    app.launch()
    _ = app.beginBackgroundTask(withName: "upload") { expiration in
      Task { @MainActor in app.endBackgroundTask(expiration.identifier) }
    }
    device.home()
    device.advance(by: .seconds(60))
    let remarks = device.diagnostics.map { "\($0)".components(separatedBy: ", begun at ")[0] }
    return
      "\(app.applicationState), ended \(app.processEnds.map(\.reason)), open \(app.openTasks.count), \(remarks.joined(separator: "; "))"
  }

  private static let remarked =
    "suspended, ended [], open 0, com.example.photos at 25s: stillOpenAfterExpiration: task 1 'upload', open for 25s"

  @Test func `F6 a handler that ends its task in a main-actor job leaves it open when it returns`()
    async throws
  {
    #expect(try await outcome { Self.expire(on: $0) } == Self.remarked)
  }

  @Test func `F6 it also does so in a test of the main actor`() async throws {
    #expect(
      try await outcome { device in await MainActor.run { Self.expire(on: device) } }
        == Self.remarked)
  }

  @Test(.device(.ios13)) func `F5 handlers that are due together are called in one turn`() {
    let (device, lines) = (Device.current, Lines())
    let app = device.register("com.example.photos")
    app.launch()
    for name in ["a", "b"] {
      _ = app.beginBackgroundTask(withName: name) { expiration in
        lines.add("\(name) expired")
        Task {
          app.endBackgroundTask(expiration.identifier)
          lines.add("\(name) ended")
        }
      }
    }
    device.home()
    device.advance(by: .seconds(60))
    #expect(
      lines.all == ["a expired", "b expired", "a ended", "b ended"]
        && app.applicationState == .suspended)
  }

  @Test(.device(.ios13))
  func `A2 a callback of the main actor is not reentered while it lets time pass`() async {
    @MainActor final class Slow: MainActorAppDelegate {
      private let device: Device
      private var isInCallback = false
      private(set) var seen: [String] = []
      nonisolated init(_ device: Device) { self.device = device }
      func applicationDidEnterBackground(_ app: App) {
        isInCallback = true
        let task = app.beginBackgroundTask()
        Task {
          seen.append("in the callback: \(isInCallback), at \(device.now)")
          app.endBackgroundTask(task)
        }
        device.advance(by: .seconds(2))
        isInCallback = false
      }
    }
    let (device, slow) = (Device.current, Slow(Device.current))
    let app = device.register("com.example.slow", delegate: slow)
    app.launch()
    device.home()
    #expect(
      await slow.seen == ["in the callback: false, at 2s"] && app.applicationState == .suspended)
  }

  @Test(.device(.ios13, reporting: []))
  func `A2 a callback holds the main thread of its own app and of no other`() {
    final class Slow: AppDelegate {
      func applicationDidEnterBackground(_ app: App) { Device.current.advance(by: .seconds(2)) }
    }
    let (device, lines) = (Device.current, Lines())
    for name in ["other", "slow"] {
      let app = device.register(name, delegate: name == "slow" ? Slow() : nil)
      app.launch()
      try? app.run {
        Task { @MainActor in
          try? await Task.sleep(for: .seconds(1))
          lines.add("\(name) at \(device.now)")
        }
        // The other app's work continues in the background.
        _ = app.beginBackgroundTask()
      }
    }
    device.home()
    #expect(lines.all == ["other at 1s", "slow at 2s"])
  }

  /// Begins its task in work that the callback starts.
  private final class Starter: AppDelegate {
    enum Means { case task, detached, mainActor, stream }
    let (means, lines, begin): (Means, Lines, AsyncStream<Void>.Continuation?)

    init(_ means: Means, _ lines: Lines, _ begin: AsyncStream<Void>.Continuation? = nil) {
      (self.means, self.lines, self.begin) = (means, lines, begin)
    }

    func applicationDidEnterBackground(_ app: App) {
      switch means {
      case .task: Task { await Self.begin(app, lines) }
      case .detached: Task.detached { [lines] in await Self.begin(app, lines) }
      case .mainActor: Task { @MainActor in await Self.begin(app, lines) }
      case .stream: begin?.yield()
      }
      lines.add("returns")
    }

    static func begin(_ app: App, _ lines: Lines) async {
      await Task.yield()
      lines.add(
        app.beginBackgroundTask(withName: "save") == .invalid
          ? "denied" : "begun in \(app.applicationState)")
    }
  }

  @Test(arguments: [Starter.Means.task, .detached, .mainActor, .stream])
  private func
    `C2 work that a callback begins at its instant comes after its return and before the suspension`(
      _ means: Starter.Means
    )
    async throws
  {
    let outcome = try await outcome { device in
      let (lines, (stream, continuation)) = (Lines(), AsyncStream<Void>.makeStream())
      let app = device.register("com.example.notes", delegate: Starter(means, lines, continuation))
      app.launch()
      if means == .stream { Task { for await _ in stream { await Starter.begin(app, lines) } } }
      device.home()
      device.advance(by: .seconds(1))
      return "\(lines.all) \(app.openTasks.map(\.name))"
    }
    #expect(outcome == #"["returns", "begun in background"] ["save"]"#)
  }
}
