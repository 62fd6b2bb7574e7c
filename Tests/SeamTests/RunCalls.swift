import Curfew
import Testing

/// Calls of `App.run` as tests write them. The form they mean is clear in both language
/// modes, in synchronous and asynchronous tests, on the main actor and elsewhere.
@Suite struct RunCalls {
  private final class Client {
    private(set) var calls = 0
    func start() { calls += 1 }
    func count() -> Int { calls }
  }

  @MainActor private final class MainClient {
    private(set) var calls = 0
    nonisolated init() {}
    func start() { calls += 1 }
    func upload() async throws -> Int {
      await Task.yield()
      calls += 1
      return calls
    }
  }

  private actor Uploader {
    private(set) var uploads = 0
    func upload() throws -> Int {
      uploads += 1
      return uploads
    }
  }

  private let device = Device(policy: .ios13)
  private let app: App

  init() {
    app = device.register("com.example.photos")
    app.launch()
  }

  @Test func `a turn in a synchronous test`() throws {
    let client = Client()
    try app.run { client.start() }
    #expect(try app.run { client.count() } == 1)
    try app.run {
      client.start()
      client.start()
    }
    #expect(client.calls == 3)
  }

  @Test func `a turn and async work in an asynchronous test`() async throws {
    let (client, uploader) = (Client(), Uploader())
    try app.run { client.start() }
    #expect(try app.run { client.count() } == 1)
    #expect(try await app.run { try await uploader.upload() } == 1)
    async let upload = app.run { try await uploader.upload() }
    #expect(try await upload == 2)
    let task = Task { [app] in try await app.run { try await uploader.upload() } }
    #expect(try await task.value == 3)
  }

  @MainActor @Test func `a turn and async work of the main actor`() async throws {
    let client = MainClient()
    try app.run { client.start() }
    #expect(try await app.run { try await client.upload() } == 2)
    try await app.run {
      client.start()
      _ = try await client.upload()
    }
    #expect(client.calls == 4)
  }

  @Test func `a turn and async work of the main actor, from elsewhere`() async throws {
    let client = MainClient()
    try app.runOnMainActor { client.start() }
    try await app.run { await client.start() }
    #expect(try await app.run { @MainActor in try await client.upload() } == 3)
  }
}
