import Dispatch
import Foundation
import Synchronization
import Testing
import VirtualConcurrency

/// Work that never continues: bodies that hang, and the work of dead processes.
@Suite(.enabled(if: Capture.isAvailable)) struct GivenUpTests {
  /// Lends the function as a trait lends its test: the function must not be kept.
  private func give(_ function: @Sendable () async throws -> Void) async throws {
    try await Loan.of(function) { function in
      try await Capture.run(patience: .milliseconds(50)) { _ in try await function() }
    }
  }

  @Test func `An abandoned body does not continue, and nothing owns its loan`()
    async throws
  {
    let door = Door()
    await #expect(throws: Stall.self) { try await give { await door.pass() } }
    await #expect(throws: Stall.self) { try await give { @MainActor in await door.pass() } }
    await #expect(throws: Stall.self) {
      try await give {
        await withTaskGroup { group in
          group.addTask { await withUnsafeContinuation { door.keep($0) } }
        }
      }
    }
    #expect(door.waiting.withLock(\.count) == 3)
    door.open()
    // The hung job no longer belongs to a task; it has just been run here.
    let current = await withUnsafeContinuation { answer in
      DispatchQueue.main.async {
        answer.resume(returning: withUnsafeCurrentTask { $0 == nil ? "none" : "its own" })
      }
    }
    #expect(current == "none")
    await turns()
    #expect(door.passed.withLock(\.self) == 0)
    try await give { await door.pass() }
    #expect(door.passed.withLock(\.self) == 1)
  }

  @Test func `An abandoned body that waits in an actor does not continue with it`() async throws {
    let (room, log) = (Room(), Log())
    await #expect(throws: Stall.self) {
      try await give {
        await room.wait()
        log("went on")
      }
    }
    // The job is resumed while the actor is at work, so it belongs only to the actor.
    await room.open()
    await turns()
    #expect(log.text.isEmpty)
    #expect(await room.isOpen)
  }

  @Test func `A dead process's task does not continue in an actor that others use`() async throws {
    final class Process: Sendable {}
    let (room, log, process) = (Room(), Log(), Process())
    try await Capture.run { capture in
      capture.withOwner(process) {
        _ = Task {
          await room.wait()
          log("went on")
        }
      }
      capture.settle()
      capture.drop(process)
      await room.open()
      try await Task.sleep(for: .seconds(1))
    }
    await turns()
    #expect(log.text.isEmpty)
  }

  @Test func `A dead process's task does not continue after the test either`() async throws {
    final class Process: Sendable {}
    let (door, process) = (Door(), Process())
    try await Capture.run { capture in
      capture.withOwner(process) { _ = Task { await door.pass() } }
      capture.settle()
      capture.drop(process)
    }
    door.open()
    await turns()
    #expect(door.passed.withLock(\.self) == 0)
  }

  @Test(arguments: [false, true])
  func `An actor in which only abandoned work waits is usable after the test`(_ isDead: Bool)
    async throws
  {
    final class Process: Sendable {}
    let (room, process) = (Room(), Process())
    try await Capture.run { capture in
      capture.withOwner(process) { _ = Task { await room.sleep() } }
      capture.settle()
      if isDead { capture.drop(process) } else { capture.hold(process) }
      try await Task.sleep(for: .seconds(10))
    }
    #expect(await !room.isOpen)
    try await Capture.run { _ in await room.open() }
    #expect(await room.isOpen)
  }

  @Test func `A body that waits for an executor that never runs it is found`() async throws {
    let stall = await #expect(throws: Stall.self) {
      try await Capture.run(patience: .milliseconds(50)) { _ in await Clerk().serve() }
    }
    #expect(stall?.kind == .silent)
  }

  @Test(arguments: [false, true])
  func `A cancelled task that keeps sleeping is left unfinished at its sleep`(_ isInGroup: Bool)
    async throws
  {
    let left = Mutex(0)
    defer { Watchdog.patience = 5 }
    try await Capture.run(report: { tasks in left.withLock { $0 = tasks.count } }) { _ in
      Watchdog.patience = 1
      let start = ContinuousClock.now
      let beat = Task {
        @Sendable func beat() async { while true { try? await Task.sleep(for: .seconds(1)) } }
        if isInGroup { await withTaskGroup { $0.addTask { await beat() } } } else { await beat() }
      }
      try await Task.sleep(for: .seconds(3))
      beat.cancel()
      try await Task.sleep(for: .seconds(3))
      #expect(ContinuousClock.now - start == .seconds(6))
    }
    #expect(left.withLock(\.self) == 1)
  }

  @Test func `A cancelled task that never reads the time is left unfinished too`() async throws {
    let left = Mutex(0)
    defer { Watchdog.patience = 5 }
    try await Capture.run(report: { tasks in left.withLock { $0 = tasks.count } }) { _ in
      Watchdog.patience = 1
      Task { while true { try? await Task.sleep(nanoseconds: 1_000_000_000) } }
      try await Task.sleep(for: .seconds(3))
    }
    #expect(left.withLock(\.self) == 1)
  }

  @Test func `Bodies run in turn`() async {
    let log = Log()
    await withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          await Capture.inTurn {
            log("in")
            for _ in 0..<10 { await Task.yield() }
            log("out")
          }
        }
      }
    }
    #expect(
      log.text.map { $0.split(separator: " ")[1] }
        == Array(repeating: ["in", "out"], count: 8).flatMap(\.self))
  }

  /// Lets resumed work run, if there is any.
  private func turns() async {
    for _ in 0..<100 { await MainActor.run {} }
    try? await Task.sleep(for: .milliseconds(20))
  }

  /// Lets callers through once it has been opened.
  private final class Door: Sendable {
    let waiting = Mutex<[UnsafeContinuation<Void, Never>]>([])
    let passed = Mutex(0)
    private let isOpen = Mutex(false)

    func keep(_ waiter: UnsafeContinuation<Void, Never>) { waiting.withLock { $0.append(waiter) } }

    nonisolated(nonsending) func pass() async {
      if !isOpen.withLock(\.self) { await withUnsafeContinuation { keep($0) } }
      passed.withLock { $0 += 1 }
    }

    func open() {
      isOpen.withLock { $0 = true }
      for waiter in waiting.withLock(\.self) { waiter.resume() }
    }
  }

  /// The same, for callers that wait inside the actor.
  private actor Room {
    private(set) var isOpen = false
    private var waiting: [UnsafeContinuation<Void, Never>] = []

    func wait() async { await withUnsafeContinuation { waiting.append($0) } }
    func sleep() async { try? await Task.sleep(for: .seconds(5)) }
    func open() {
      isOpen = true
      for waiter in waiting { waiter.resume() }
    }
  }

  /// An actor whose executor never runs it.
  private actor Clerk {
    private let executor = Executor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    func serve() {}
  }

  private final class Executor: SerialExecutor {
    func enqueue(_ job: consuming ExecutorJob) {}
  }
}
