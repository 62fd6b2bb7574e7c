import Curfew
import CurfewTesting
import Testing

/// The app in whose name code runs.
@Suite(.enabled(if: VirtualTime.isAvailable, "Swift's executors cannot be replaced here"))
struct CurrentAppTests {
  private final class Client: AppDelegate {
    let lines: Lines
    init(_ lines: Lines) { self.lines = lines }

    func note(_ place: String) { lines.add("\(place): \(App.current?.name ?? "none")") }

    func applicationDidEnterBackground(_ app: App) {
      note("callback")
      Task {
        note("task")
        await Task.detached { self.note("detached") }.value
        await MainActor.run { note("main actor") }
      }
      _ = app.beginBackgroundTask(withName: "flush") { expiration in
        self.note("handler")
        Task.detached { self.note("detached by the handler") }
        app.endBackgroundTask(expiration.identifier)
      }
    }
  }

  /// A turn of the app.
  private func run(_ client: Client, in app: App) throws { try app.run { client.note("run") } }

  @Test func `it is the app in callbacks, handlers, tasks and detached tasks`() async throws {
    let lines = Lines()
    try await withDevice(Device(policy: .ios13)) { device in
      let client = Client(lines)
      let (mail, notes) = (
        device.register("mail", delegate: client), device.register("notes", delegate: client)
      )
      mail.launch()
      client.note("test")
      await Task.detached { client.note("detached by the test") }.value
      device.home()
      device.advance(by: .seconds(60))
      notes.launch()
      try run(client, in: notes)
      try await notes.run { await Task.detached { client.note("detached in run") }.value }
      client.note("test")
    }
    #expect(
      lines.all == [
        "test: none", "detached by the test: none", "callback: mail", "task: mail",
        "detached: mail", "main actor: mail", "handler: mail", "detached by the handler: mail",
        "run: notes", "detached in run: notes", "test: none",
      ])
    #expect(App.current == nil)
  }

  @Test func `without the trait it is the app in callbacks, handlers and run`() async throws {
    let (lines, device) = (Lines(), Device(policy: .ios13))
    let client = Client(lines)
    let app = device.register("mail", delegate: client)
    app.launch()
    client.note("test")
    try run(client, in: app)
    device.home()
    device.advance(by: .seconds(60))
    client.note("test")
    // The tasks run in real time, whenever they may.
    while lines.all.count < 9 { try await Task.sleep(for: .milliseconds(1)) }
    let others = [
      "detached by the handler: none", "detached: none", "main actor: none", "task: none",
    ]
    #expect(lines.all.filter(others.contains).sorted() == others)
    #expect(
      lines.all.filter { !others.contains($0) } == [
        "test: none", "run: mail", "callback: mail", "handler: mail", "test: none",
      ])
  }
}
