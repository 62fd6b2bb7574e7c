import Foundation
import Testing
import VirtualConcurrency

/// Runs each shape repeatedly while the tests of `LoadTests` keep every thread of the pool busy.
/// `CURFEW_RUNS` is the number of runs.
@Suite(.enabled(if: Capture.isAvailable)) struct DeterminismTests {
  static let runs = ProcessInfo.processInfo.environment["CURFEW_RUNS"].flatMap { Int($0) } ?? 10

  /// Runs a shape several times, and compares its log with that of its first run.
  private func repeatedly(_ shape: @escaping @Sendable (Capture, Log) async throws -> Void)
    async throws
  {
    var outcomes: [[String]: Int] = [:]
    for _ in 0..<Self.runs {
      let log = try await Capture.run { capture in
        let log = Log()
        try await shape(capture, log)
        return log
      }
      outcomes[log.text, default: 0] += 1
    }
    #expect(outcomes.count == 1, "\(outcomes)")
    #expect(outcomes.keys.first?.isEmpty == false)
    Load.report(
      "determinism",
      "\(outcomes.count) outcome of \(Self.runs) runs: \(outcomes.keys.first!.joined(separator: "; "))"
    )
  }

  @Test func `An uploader that starts a task in a synchronous callback`() async throws {
    try await repeatedly { capture, log in
      let app = Owner("app")
      let expire = capture.withOwner(app) { () -> Task<Void, Never> in
        log("didEnterBackground")
        return Task {
          for part in 1...20 {
            do { try await Task.sleep(for: .milliseconds(137)) } catch {
              return log("cancelled at part \(part)")
            }
            await MainActor.run { log("part \(part)") }
          }
          log("uploaded")
        }
      }
      capture.settle()
      try await Task.sleep(for: .seconds(2))
      expire.cancel()
      await expire.value
    }
  }

  @Test func `An actor with cancellation`() async throws {
    actor Uploader {
      private var waiting: [Int: CheckedContinuation<Void, any Error>] = [:]
      private var uploads = 0
      func upload(_ number: Int, _ log: Log) async throws {
        uploads += 1
        try await withTaskCancellationHandler {
          try await withCheckedThrowingContinuation { waiting[number] = $0 }
        } onCancel: {
          Task { await self.cancel(number, log) }
        }
        try await Task.sleep(for: .milliseconds(10 * number))
        log("uploaded \(number) of \(uploads)")
      }
      func finish(_ number: Int) { waiting.removeValue(forKey: number)?.resume() }
      private func cancel(_ number: Int, _ log: Log) {
        log("cancel \(number)")
        waiting.removeValue(forKey: number)?.resume(throwing: CancellationError())
      }
    }
    try await repeatedly { _, log in
      let uploader = Uploader()
      let tasks = (0..<8).map { number in Task { try await uploader.upload(number, log) } }
      try await Task.sleep(for: .seconds(1))
      for number in [5, 1, 3] { await uploader.finish(number) }
      for number in [2, 5, 7] { tasks[number].cancel() }
      try await Task.sleep(for: .seconds(1))
      for task in tasks where task.isCancelled { _ = await task.result }
      for number in [0, 4, 6] { await uploader.finish(number) }
      for task in tasks { _ = await task.result }
    }
  }

  @Test func `An observer of an AsyncStream`() async throws {
    try await repeatedly { _, log in
      let (stream, continuation) = AsyncStream<String>.makeStream()
      let observer = Task { @MainActor in
        for await state in stream {
          log("saw \(state)")
          if state == "background" {
            Task.detached(priority: .background) {
              try? await ContinuousClock().sleep(for: .nanoseconds(1))
              log("flushed")
            }
          }
        }
        log("finished")
      }
      for state in ["active", "background", "active", "background"] {
        continuation.yield(state)
        try await SuspendingClock().sleep(for: .microseconds(33))
      }
      continuation.finish()
      await observer.value
    }
  }

  @Test func `A scope inside a task`() async throws {
    @Sendable func withScope(_ log: Log, _ body: @Sendable @escaping () async throws -> Int)
      async throws -> Int
    {
      try await withThrowingTaskGroup(of: Int?.self) { group in
        group.addTask { try await body() }
        group.addTask {
          try await Task.sleep(for: .seconds(30))
          log("expired")
          return nil
        }
        defer { group.cancelAll() }
        return try await group.next()!! + 0
      }
    }
    try await repeatedly { _, log in
      let task = Task {
        async let first = withScope(log) {
          try await Task.sleep(for: .seconds(29))
          await Task.yield()
          return 1
        }
        async let second = withScope(log) {
          try await Task.sleep(for: .seconds(3))
          return await Task.detached { 2 }.value
        }
        log("sum \(try await first + second)")
      }
      try await task.value
      log("end")
    }
  }
}
