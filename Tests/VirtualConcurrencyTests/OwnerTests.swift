import Testing
import VirtualConcurrency

@Suite(.enabled(if: Capture.isAvailable)) struct OwnerTests {
  @Test func `Work inherits its owner`() async throws {
    try await Capture.run { capture in
      func name() -> String? { (capture.currentOwner as? Owner)?.name }
      let owner = Owner("app")
      #expect(name() == nil)
      let task = capture.withOwner(owner) {
        #expect(name() == "app")
        return Task.detached {
          let inner = await Task { (capture.currentOwner as? Owner)?.name }.value
          try? await Task.sleep(for: .seconds(1))
          let main = await MainActor.run { (capture.currentOwner as? Owner)?.name }
          return [inner, (capture.currentOwner as? Owner)?.name, main]
        }
      }
      #expect(name() == nil)
      #expect(await task.value == ["app", "app", "app"])
    }
  }

  @Test func `A part of a task keeps its owner while thousands of tasks come and go`() async throws
  {
    try await Capture.run { capture in
      let task = capture.withOwner(Owner("app")) {
        Task {
          await withTaskGroup { group in
            group.addTask {
              try? await Task.sleep(for: .seconds(1))
              return (capture.currentOwner as? Owner)?.name
            }
            return await group.next()!
          }
        }
      }
      capture.settle()
      for _ in 0..<3_000 { await Task {}.value }
      #expect(await task.value == "app")
    }
  }

  @Test func `Held work waits in order, its sleeps end, and other work continues`() async throws {
    let log = try await Capture.run { capture in
      let log = Log()
      let (app, other) = (Owner("app"), Owner("other"))
      for owner in [app, other] {
        capture.withOwner(owner) {
          for delay in [2, 1] {
            _ = Task {
              try await Task.sleep(for: .seconds(delay))
              log("\(owner.name) \(delay)")
            }
          }
        }
      }
      capture.settle()
      capture.hold(app)
      capture.withOwner(app) { _ = Task { log("app begun") } }
      try await Task.sleep(for: .seconds(5))
      capture.release(app)
      try await Task.sleep(for: .seconds(1))
      return log
    }
    #expect(
      log.text == [
        "1000000000 other 1", "2000000000 other 2", "5000000000 app begun", "5000000000 app 1",
        "5000000000 app 2",
      ])
  }

  @Test func `A task in an actor is held too, even if other work resumes it`() async throws {
    actor Uploader {
      var continuation: CheckedContinuation<Void, Never>?
      func upload(_ log: Log) async {
        await withCheckedContinuation { continuation = $0 }
        log("uploaded")
      }
      func take() -> CheckedContinuation<Void, Never>? { continuation }
    }
    let log = try await Capture.run { capture in
      let log = Log()
      let (app, uploader) = (Owner("app"), Uploader())
      capture.withOwner(app) { _ = Task { await uploader.upload(log) } }
      capture.settle()
      let continuation = await uploader.take()!
      capture.hold(app)
      continuation.resume()
      try await Task.sleep(for: .seconds(1))
      log("before release")
      capture.release(app)
      try await Task.sleep(for: .seconds(1))
      return log
    }
    #expect(log.text == ["1000000000 before release", "1000000000 uploaded"])
  }

  @Test func `A held owner does not block an actor that others use too`() async throws {
    actor Server {
      var continuation: CheckedContinuation<Void, Never>?
      func wait() async { await withCheckedContinuation { continuation = $0 } }
      func take() -> CheckedContinuation<Void, Never>? { continuation }
      func ping() -> Int { 1 }
    }
    try await Capture.run { capture in
      let (app, server) = (Owner("app"), Server())
      capture.withOwner(app) { _ = Task { await server.wait() } }
      capture.settle()
      let continuation = await server.take()!
      capture.hold(app)
      continuation.resume()
      #expect(await server.ping() == 1)
    }
  }

  @Test func `A dropped owner's work is cancelled and never runs again, not even a defer`()
    async throws
  {
    let log = try await Capture.run { capture in
      let log = Log()
      let app = Owner("app")
      let task = capture.withOwner(app) {
        Task {
          defer { log("defer") }
          await withTaskCancellationHandler {
            try? await Task.sleep(for: .seconds(1))
            log("slept")
          } onCancel: {
            log("cancelled in the name of \((capture.currentOwner as? Owner)?.name ?? "nobody")")
          }
        }
      }
      capture.settle()
      capture.drop(app)
      #expect(task.isCancelled)
      capture.withOwner(app) { _ = Task { log("of a dead process") } }
      try await Task.sleep(for: .seconds(5))
      #expect(capture.unfinishedTasks.count == 1)
      return log
    }
    #expect(log.text == ["0 cancelled in the name of app"])
  }
}
