import Dispatch
import Foundation
import Testing
import VirtualConcurrency

@Suite(.enabled(if: Capture.isAvailable)) struct ConstructTests {
  @Test func `Every way to sleep takes virtual time, to the nanosecond`() async throws {
    let log = try await Capture.run { capture in
      let log = Log()
      try await Task.sleep(for: .seconds(5))
      log("for")
      try await Task.sleep(nanoseconds: 7)
      log("nanoseconds")
      try await Task.sleep(until: .now + .milliseconds(3))
      log("until")
      try await ContinuousClock().sleep(until: .now + .milliseconds(3))
      try await SuspendingClock().sleep(for: .milliseconds(4))
      try await SuspendingClock().sleep(until: .now + .milliseconds(3))
      log("clocks")
      #expect(
        await ContinuousClock().measure { try? await Task.sleep(for: .seconds(9)) } == .seconds(9))
      #expect(
        await SuspendingClock().measure { try? await Task.sleep(for: .seconds(9)) } == .seconds(9))
      #expect(capture.now == 23_013_000_007)
      return log
    }
    #expect(
      log.text == [
        "5000000000 for", "5000000007 nanoseconds", "5003000007 until", "5013000007 clocks",
      ])
  }

  @Test func `Sleeps with equal deadlines end in the order of their requests`() async throws {
    let log = try await Capture.run { _ in
      let log = Log()
      await withTaskGroup { group in
        for name in ["a", "b", "c", "d"] {
          group.addTask {
            try? await Task.sleep(for: .seconds(name == "b" ? 1 : 2))
            log(name)
          }
        }
      }
      return log
    }
    #expect(log.text == ["1000000000 b", "2000000000 a", "2000000000 c", "2000000000 d"])
  }

  /// Scanning so many sleeps at each instant would take minutes.
  @Test func `Tens of thousands of sleeps end in order`() async throws {
    @Sendable func instant(_ number: Int) -> Int { number * 7919 % 10_007 + 1 }
    let log = try await Capture.run { _ in
      let log = Log()
      await withTaskGroup { group in
        for number in 0..<30_000 {
          let deadline = instant(number)
          group.addTask {
            try? await Task.sleep(for: .nanoseconds(deadline))
            log("\(number)")
          }
        }
      }
      return log
    }
    let order = (0..<30_000).sorted { (instant($0), $0) < (instant($1), $1) }
    #expect(log.text == order.map { "\(instant($0)) \($0)" })
  }

  @Test
  func `Cancelled sleeps among a thousand end at once, and the others end in order`()
    async throws
  {
    @Sendable func instant(_ number: Int) -> Int { number * 37 % 101 + 2 }
    let log = try await Capture.run { _ in
      let log = Log()
      let sleepers = (0..<1000).map { number in
        let deadline = instant(number)
        return Task {
          let isWhole = (try? await Task.sleep(for: .nanoseconds(deadline))) != nil
          log("\(isWhole ? "slept" : "cancelled") \(number)")
        }
      }
      try await Task.sleep(for: .nanoseconds(1))
      for number in stride(from: 999, to: 0, by: -3) { sleepers[number].cancel() }
      for sleeper in sleepers { await sleeper.value }
      return log
    }
    let cancelled = stride(from: 999, to: 0, by: -3).map { "1 cancelled \($0)" }
    let order = (0..<1000).filter { $0 % 3 != 0 || $0 == 0 }.sorted {
      (instant($0), $0) < (instant($1), $1)
    }
    #expect(log.text == cancelled + order.map { "\(instant($0)) slept \($0)" })
  }

  @Test
  func
    `Tasks, groups, async let, detached, immediate, actors, the main actor, streams and yields are captured`()
    async throws
  {
    actor Store {
      var lines: [String] = []
      func add(_ line: String) async {
        try? await Task.sleep(for: .seconds(1))
        lines.append(line)
      }
      func later(_ log: Log) {
        Task {
          try? await Task.sleep(for: .seconds(2))
          log("a task that an actor began")
        }
      }
    }
    let log = try await Capture.run { _ in
      let log = Log()
      await Task { log("task \(Local.name)") }.value
      await Task.detached { log("detached \(Local.name)") }.value
      await Task.immediate {
        try? await Task.sleep(for: .seconds(1))
        log("immediate")
      }.value
      async let first: Void = Task.sleep(for: .seconds(1))
      async let second: Void = Task.sleep(for: .seconds(2))
      _ = try await (first, second)
      log("async let")
      let store = Store()
      await withDiscardingTaskGroup { group in
        for name in ["x", "y"] { group.addTask { await store.add(name) } }
      }
      log("\(await store.lines)")
      await store.later(log)
      let (stream, continuation) = AsyncStream<Int>.makeStream()
      Task {
        for number in 0..<3 {
          try await Task.sleep(for: .milliseconds(500))
          continuation.yield(number)
        }
        continuation.finish()
      }
      for await number in stream { log("stream \(number)") }
      let flag = Flag()
      Task { await flag.set() }
      while await !flag.isSet { await Task.yield() }
      log("yield")
      await onMain(log)
      Task { @MainActor in
        MainActor.preconditionIsolated()
        log("task on main")
      }
      try await Task.sleep(for: .seconds(5))
      return log
    }
    #expect(
      log.text == [
        "0 task none", "0 detached none", "1000000000 immediate", "3000000000 async let",
        #"4000000000 ["x", "y"]"#, "4500000000 stream 0",
        "5000000000 stream 1", "5500000000 stream 2", "5500000000 yield", "5500000000 main",
        "5500000000 task on main",
        "6000000000 a task that an actor began",
      ])
  }

  actor Flag {
    var isSet = false
    func set() { isSet = true }
  }

  @MainActor static func assume(_ log: Log) {
    MainActor.assumeIsolated { log("main") }
    #expect(pthread_main())
  }

  @Test func `Cancellation ends a sleep at once, and its timer delays no work`()
    async throws
  {
    let log = try await Capture.run { capture in
      let log = Log()
      let task = Task {
        await withTaskCancellationHandler {
          do { try await Task.sleep(for: .seconds(60)) } catch {
            log("\(error is CancellationError) \(Task.isCancelled)")
          }
        } onCancel: {
          log("handler")
        }
      }
      try await Task.sleep(for: .seconds(1))
      task.cancel()
      await task.value
      #expect(capture.nextSleep == nil)
      log("end")
      return log
    }
    #expect(log.text == ["1000000000 handler", "1000000000 true true", "1000000000 end"])
  }

  @Test
  func `A continuation that another thread resumes continues in virtual time, even in an actor`()
    async throws
  {
    actor Fetcher {
      func fetch(_ log: Log) async {
        await withCheckedContinuation { continuation in
          DispatchQueue.global().async { continuation.resume() }
        }
        try? await Task.sleep(for: .seconds(1))
        log("fetched")
      }
    }
    let log = try await Capture.run { _ in
      let log = Log()
      try await Task.sleep(for: .seconds(1))
      await withCheckedContinuation { continuation in
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.01) { continuation.resume() }
      }
      log("resumed")
      await Fetcher().fetch(log)
      return log
    }
    #expect(log.text == ["1010000000 resumed", "2010000000 fetched"])
  }

  @Test func `A task that an actor begins for itself belongs to the capture`()
    async throws
  {
    actor Fetcher {
      func fetch(_ log: Log) -> Task<Void, Never> {
        Task {
          await withCheckedContinuation { continuation in
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.01) { continuation.resume() }
          }
          log("resumed")
          try? await Task.sleep(for: .seconds(1))
          log("fetched \(number)")
        }
      }
      let number = 1
    }
    let log = try await Capture.run { _ in
      let log = Log()
      await Fetcher().fetch(log).value
      return log
    }
    #expect(log.text == ["10000000 resumed", "1010000000 fetched 1"])
  }

  @Test func `Time waits for a task of an actor that other code uses too`() async throws {
    let shared = Shared()
    let others = (0..<4).map { _ in
      Task {
        while !Task.isCancelled {
          await shared.work()
          try? await Task.sleep(for: .microseconds(100))
        }
      }
    }
    defer { for task in others { task.cancel() } }
    for _ in 0..<50 {
      let now = try await Capture.run { capture in
        let task = Task {
          for _ in 0..<5 { await shared.work() }
          return capture.now
        }
        try await Task.sleep(for: .seconds(1))
        return await task.value
      }
      #expect(now == 0)
    }
  }

  actor Shared {
    private var count = 0
    func work() { for _ in 0..<1_000 { count &+= 1 } }
  }

  @Test func `Task-local values, the current test and errors are passed on`() async throws {
    await Local.$name.withValue("outer") {
      await #expect(throws: Broken.self) {
        try await Capture.run { _ in
          #expect(Local.name == "outer")
          #expect(Test.current != nil)
          let inner = await Local.$name.withValue("inner") { await Task { Local.name }.value }
          #expect(inner == "inner")
          throw Broken()
        }
      }
    }
  }

  @Test func `Cancelling the test cancels the body`() async throws {
    let task = Task {
      try await Capture.run { _ in
        await withCheckedContinuation { continuation in
          Thread.detachNewThread {
            Thread.sleep(forTimeInterval: 0.05)
            continuation.resume()
          }
        }
        return Task.isCancelled
      }
    }
    task.cancel()
    #expect(try await task.value)
  }

  @Test func `Escalating a priority changes nothing`() async throws {
    let log = try await Capture.run { _ in
      let log = Log()
      let low = Task(priority: .background) {
        await Task.yield()
        log("low")
      }
      let high = Task(priority: .high) { log("high") }
      low.escalatePriority(to: .high)
      await low.value
      await high.value
      return log
    }
    #expect(log.text == ["0 high", "0 low"])
  }
}

@MainActor private func onMain(_ log: Log) { ConstructTests.assume(log) }
private func pthread_main() -> Bool { Thread.isMainThread }
