import Foundation
import Synchronization
import Testing
import VirtualConcurrency

@Suite(.enabled(if: Capture.isAvailable)) struct SettleTests {
  @Test
  func `Settling inside a job runs other work until it rests and restores the task and its values`()
    async throws
  {
    let log = try await Capture.run { capture in
      let log = Log()
      await Local.$name.withValue("mine") {
        let before = withUnsafeCurrentTask { $0.hashValue }
        Task.detached {
          log("other \(Local.name)")
          await MainActor.run { log("other on main \(Thread.isMainThread)") }
          log("other again")
        }
        capture.settle()
        log("settled \(Local.name)")
        #expect(before == withUnsafeCurrentTask { $0.hashValue })
        await Task.yield()
        log("after \(Local.name)")
      }
      return log
    }
    #expect(
      log.text == [
        "0 other none", "0 other on main true", "0 other again", "0 settled mine", "0 after mine",
      ])
  }

  @Test func `The main actor may settle, and work that it settles may return to it`() async throws {
    let log = try await Capture.run { capture in
      let log = Log()
      await MainActor.run {
        Task { @MainActor in
          log("on main")
          await Task.detached { log("off main \(Thread.isMainThread)") }.value
          log("back on main \(Thread.isMainThread)")
          capture.settle()
        }
        log("before")
        capture.settle()
        log("after")
      }
      return log
    }
    #expect(
      log.text == ["0 before", "0 on main", "0 off main false", "0 back on main true", "0 after"])
  }

  @Test func `An actor whose job settles stays closed`() async throws {
    actor Door {
      func open(_ capture: Capture, _ log: Log) {
        Task {
          self.enter(log)
        }
        capture.settle()
        log("settled")
      }
      func enter(_ log: Log) { log("entered") }
    }
    let log = try await Capture.run { capture in
      let log = Log()
      await Door().open(capture, log)
      try await Task.sleep(for: .nanoseconds(1))
      return log
    }
    #expect(log.text == ["0 settled", "0 entered"])
  }

  @Test func `A host stops at its own deadlines and at sleeps`() async throws {
    final class Timers: VirtualTimeHost, @unchecked Sendable {
      var now: Nanoseconds = 0
      var deadlines: [Nanoseconds] = [10, 20, 30]
      var action: (Nanoseconds) -> Void = { _ in }
      func nextDeadline() -> Nanoseconds? { deadlines.first }
      func advance(to instant: Nanoseconds) {
        now = instant
        while let next = deadlines.first, next <= instant { action(deadlines.removeFirst()) }
      }
    }
    let host = Timers()
    let log = try await Capture.run(host: host) { capture in
      let log = Log()
      host.action = { deadline in
        capture.wake(upTo: deadline)
        log("timer")
        Task {
          log("task of a timer")
          try await Task.sleep(for: .nanoseconds(3))
          log("slept")
        }
      }
      try await Task.sleep(for: .nanoseconds(25))
      log("body")
      return log
    }
    host.action = { _ in }
    #expect(
      log.text == [
        "10 timer", "10 task of a timer", "13 slept", "20 timer", "20 task of a timer", "23 slept",
        "25 body",
      ])
  }

  @Test func `A capture on the calling thread lets its body advance time`() throws {
    let log = try Capture.runSynchronously { capture in
      let log = Log()
      Task {
        log("begun")
        try await Task.sleep(for: .seconds(1))
        await MainActor.run { log("slept") }
      }
      log("body")
      capture.settle()
      #expect(capture.nextSleep == 1_000_000_000)
      capture.wake(upTo: 1_000_000_000)
      capture.settle()
      return log
    }
    #expect(log.text == ["0 body", "0 begun", "1000000000 slept"])
  }

  @Test func `A capture inside a capture is reported as an error`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await Capture.run { _ in try await Capture.run { _ in } }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("Captured work cannot begin a capture"), "\(text)")
  }

  @Test @MainActor func `A test on the main actor is captured`() async throws {
    let log = try await Capture.run { _ in
      let log = Log()
      await ConstructTests.assume(log)
      try await Task.sleep(for: .seconds(1))
      await ConstructTests.assume(log)
      return log
    }
    #expect(log.text == ["0 main", "1000000000 main"])
  }

  @Test func `A body that waits without end is reported, with its place`() async throws {
    let line = #line
    do {
      try await Capture.run(patience: .milliseconds(50)) { _ in
        await waitForNothing().value
      }
      Issue.record("It has not been found")
    } catch let stall as Stall {
      #expect(stall.kind == .silent)
      try #require(stall.tasks.map(\.isBody) == [true, false], "\(stall)")
      #expect(
        stall.tasks[0].waitingPlace?.hasSuffix("SettleTests.swift:\(line + 3)") == true, "\(stall)")
      #expect(stall.tasks[1].place?.contains("waitForNothing() at ") == true, "\(stall)")
      #expect(
        stall.tasks[1].place?.hasSuffix("SettleTests.swift:\(waitForNothingLine)") == true,
        "\(stall)")
      #expect(
        stall.tasks[1].waitingPlace?.hasSuffix("SettleTests.swift:\(waitForNothingLine)") == true,
        "\(stall)")
    }
  }

  @Test func `Tasks that never rest are found`() async throws {
    let stall = await #expect(throws: Stall.self) {
      try await Capture.run { _ in while !Task.isCancelled { await Task.yield() } }
    }
    #expect(stall?.kind == .restless)
  }

  @Test func `Unfinished work at the end is reported, and then cancelled`() async throws {
    let left = Mutex<[UnfinishedTask]>([])
    let log = try await Capture.run(report: { tasks in left.withLock { $0 = tasks } }) { _ in
      let log = Log()
      Task {
        defer { log("cancelled \(Task.isCancelled)") }
        try await Task.sleep(for: .seconds(60))
      }
      Task { log("rest") }
      let kept = Task { 1 }
      _ = await kept.value
      return log
    }
    #expect(log.text == ["0 rest", "0 cancelled true"])
    #expect(left.withLock(\.count) == 1)
  }

  @Test func `Unfinished work is reported at the caller's place`() async throws {
    await Local.$name.withValue("mine") {
      var name: String?
      try? await Capture.run(report: { name = $0.isEmpty ? nil : Local.name }) { _ in
        _ = waitForNothing()
      }
      #expect(name == "mine")
    }
  }

  @Test func `Settling may exclude the body while other work comes to rest`() async throws {
    let log = try await Capture.run { capture in
      let log = Log()
      let (numbers, number) = AsyncStream<Int>.makeStream()
      Task {
        try await Task.sleep(for: .seconds(1))
        number.yield(1)
        Task { log("other") }
        capture.settle(withBody: false)
        log("settled without")
        capture.settle()
        log("settled")
      }
      for await _ in numbers { break }
      log("body")
      return log
    }
    #expect(
      log.text == [
        "1000000000 other", "1000000000 settled without", "1000000000 body", "1000000000 settled",
      ])
  }

  private let waitForNothingLine = #line + 2
  private func waitForNothing() -> Task<Void, Never> {
    Task { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
  }
}

/// Tests that wait for their turn. Half of them block a thread each, perhaps more threads than
/// the pool has; the other half awaits the turn.
@Suite(.enabled(if: Capture.isAvailable)) struct TurnTests {
  @Test(arguments: 0..<16)
  func `tests that block their threads do not hold up tests that await`(_ number: Int)
    async throws
  {
    if number.isMultiple(of: 2) {
      try await Capture.run { _ in try await Task.sleep(for: .seconds(number)) }
    } else {
      try synchronously()
    }
  }

  private func synchronously() throws { try Capture.runSynchronously { _ = $0.settle() } }
}
