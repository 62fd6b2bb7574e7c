import Curfew
import CurfewTesting
import Dispatch
import Foundation
import Testing

/// Dispatch in code that runs on a device: blocks are the work of the app that enqueues them.
@Suite(.enabled(if: VirtualTime.followsDispatch, "Dispatch does not follow a device here"))
struct DispatchTests {
  static let runs = ProcessInfo.processInfo.environment["CURFEW_RUNS"].flatMap { Int($0) } ?? 10

  /// Runs `body` several times, and returns its lines, which are the same in all runs. No work is
  /// left, and none has left virtual time.
  func lines(
    _ body: @escaping @Sendable (Device, App, Lines) async throws -> Void
  ) async throws -> [String] {
    var found: [[String]: Int] = [:]
    for _ in 0..<Self.runs {
      let lines = Lines()
      try await withDevice(Device(policy: .ios13), to: { lines.add("LEFT \($0)") }) { device in
        let app = device.register("com.example.client")
        app.launch()
        try await body(device, app, lines)
      }
      found[lines.all, default: 0] += 1
    }
    #expect(found.count == 1, "\(found)")
    return found.keys.first ?? []
  }

  private final class Held: @unchecked Sendable { var task = BackgroundTaskIdentifier.invalid }

  /// Ends the task of an expiration handler on a queue.
  private func hop(on queue: DispatchQueue) async throws -> [String] {
    try await lines { device, app, lines in
      let held = Held()
      held.task = app.beginBackgroundTask(withName: "hop") {
        queue.async {
          lines.add("end at \(device.now)")
          app.endBackgroundTask(held.task)
        }
      }
      device.home()
      device.advance(by: .seconds(60))
      lines.add("\(app.applicationState), ends \(app.processEnds.count)")
      let isRemarked = device.diagnostics.map(\.cause) == [.remark(.stillOpenAfterExpiration)]
      lines.add("still open when the handler returned: \(isRemarked)")
    }
  }

  @Test func `a handler that ends its task on a queue is in time, and gets the remark`()
    async throws
  {
    let expected = [
      "end at 25s", "suspended, ends 0", "still open when the handler returned: true",
    ]
    #expect(try await hop(on: DispatchQueue(label: "own")) == expected)
    #expect(try await hop(on: .global()) == expected)
    #expect(try await hop(on: .main) == expected)
  }

  @Test func `a callback that begins its task on the main queue is in time`() async throws {
    final class Client: AppDelegate {
      func applicationDidEnterBackground(_ app: App) {
        DispatchQueue.main.async { _ = app.beginBackgroundTask(withName: "in a block") }
      }
    }
    for _ in 0..<Self.runs {
      try await withDevice(Device(policy: .ios13), reporting: []) { device in
        let app = device.register("com.example.client", delegate: Client())
        app.launch()
        device.home()
        #expect(app.applicationState == .background && app.openTasks.map(\.name) == ["in a block"])
      }
    }
  }

  @Test func `delayed blocks come at their instants, those of the main queue on its thread`()
    async throws
  {
    let lines = try await lines { device, _, lines in
      DispatchQueue.main.asyncAfter(deadline: .now() + 3) {
        MainActor.assumeIsolated {}
        dispatchPrecondition(condition: .onQueue(.main))
        lines.add("\(device.now) main, \(Thread.isMainThread)")
      }
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1500)) {
        lines.add("\(device.now) global, \(Thread.isMainThread)")
      }
      DispatchQueue.global().asyncAfter(wallDeadline: .now() + 2) {
        lines.add("\(device.now) wall")
      }
      device.advance(by: .seconds(10))
    }
    #expect(lines == ["1.5s global, false", "2s wall", "3s main, true"])
  }

  @Test func `a serial queue runs its blocks in the order in which they become due`() async throws {
    let key = DispatchSpecificKey<String>()
    let lines = try await lines { device, _, lines in
      let base = DispatchQueue(label: "base")
      let queue = DispatchQueue(label: "own", target: base)
      queue.setSpecific(key: key, value: "own")
      @Sendable func note(_ text: String) {
        dispatchPrecondition(condition: .onQueue(queue))
        dispatchPrecondition(condition: .notOnQueue(.main))
        lines.add("\(text) \(DispatchQueue.getSpecific(key: key) ?? "")")
      }
      for number in 0..<3 { queue.async { note("q\(number)") } }
      queue.sync { note("sync") }
      queue.asyncAfter(deadline: .now() + 1) { note("late") }
      queue.asyncAfter(deadline: .now() + 0.5) { queue.async { note("after half a second") } }
      Task {
        try await Task.sleep(for: .seconds(1))
        queue.async { note("after a sleep") }
      }
      queue.async { note("q3") }
      base.async { lines.add("base") }
      device.advance(by: .seconds(2))
    }
    #expect(
      lines == [
        "q0 own", "q1 own", "q2 own", "sync own", "q3 own", "base", "after half a second own",
        "late own", "after a sleep own",
      ])
  }

  @Test func `a block of 0.1 s is never lost against a time-out of 30 s`() async throws {
    let lines = try await lines { device, _, lines in
      var lost = 0
      for _ in 0..<100 {
        let answer = try await withThrowingTaskGroup(of: Int?.self) { group in
          group.addTask {
            await withCheckedContinuation { answer in
              DispatchQueue.global().asyncAfter(deadline: .now() + 0.1) {
                answer.resume(returning: 1)
              }
            }
          }
          group.addTask {
            try await Task.sleep(for: .seconds(30))
            return nil
          }
          let first = try await group.next()!
          group.cancelAll()
          return first
        }
        if answer == nil { lost += 1 }
      }
      lines.add("lost \(lost) of 100 at \(device.now)")
    }
    #expect(lines == ["lost 0 of 100 at 10s"])
  }

  @Test func `an app's block waits while the app is suspended, and dies with its process`()
    async throws
  {
    let held = try await lines { device, app, lines in
      try Self.run(app) {
        DispatchQueue(label: "own").asyncAfter(deadline: .now() + 10) { lines.add("\(device.now)") }
      }
      device.advance(by: .seconds(1))
      device.home()
      device.advance(by: .seconds(49))
      app.launch()
      device.advance(by: .seconds(50))
    }
    #expect(held == ["50s"])
    let dropped = try await lines { device, app, lines in
      try Self.run(app) {
        let (queue, semaphore, group) = (
          DispatchQueue(label: "own"), DispatchSemaphore(value: 1), DispatchGroup()
        )
        semaphore.wait()
        queue.asyncAfter(deadline: .now() + 10) { semaphore.signal() }
        queue.async(group: group) { lines.add("\(device.now)") }
        group.notify(queue: queue) {
          queue.asyncAfter(deadline: .now() + 10) { lines.add("never") }
        }
      }
      device.advance(by: .seconds(5))
      app.forceQuit()
      device.advance(by: .seconds(50))
    }
    #expect(dropped == ["0s"])
  }

  private static func run(_ app: App, _ body: () -> Void) throws { try app.run(body) }

  @Test func `a block that is left is reported with the place that enqueued it`() async throws {
    nonisolated(unsafe) var left: [Leftover] = []
    let line = #line + 2
    try await withDevice(Device(policy: .ios13), to: { left.append($0) }) { _ in
      DispatchQueue.global().asyncAfter(deadline: .now() + 3600) {}
    }
    let text = left.map(\.description).joined()
    #expect(text.contains("Work has not finished: Dispatch block "))
    #if DEBUG
      #expect(text.contains("DispatchTests.swift:\(line)"), "\(text)")
    #endif
  }

  @Test func `groups and items notify, and a cancelled item does nothing`() async throws {
    let lines = try await lines { device, _, lines in
      let (queue, group) = (DispatchQueue(label: "own"), DispatchGroup())
      group.notify(queue: queue) { lines.add("empty") }
      for number in 0..<2 { queue.async(group: group) { lines.add("grouped \(number)") } }
      group.enter()
      DispatchQueue.global().asyncAfter(deadline: .now() + 1) { group.leave() }
      group.notify(queue: .main) { lines.add("notified at \(device.now)") }
      let item = DispatchWorkItem { lines.add("item") }
      item.notify(queue: queue) { lines.add("item done at \(device.now)") }
      queue.asyncAfter(deadline: .now() + 2, execute: item)
      let cancelled = DispatchWorkItem { lines.add("cancelled") }
      cancelled.notify(queue: queue) { lines.add("cancelled item done") }
      queue.async(execute: cancelled)
      cancelled.cancel()
      device.advance(by: .seconds(3))
      lines.add("\(group.wait(timeout: .now()) == .success), \(cancelled.isCancelled)")
    }
    #expect(
      lines == [
        "empty", "grouped 0", "grouped 1", "cancelled item done", "notified at 1s", "item",
        "item done at 2s", "true, true",
      ])
  }

  @Test func `barriers and iterations keep their order`() async throws {
    let lines = try await lines { _, _, lines in
      let queue = DispatchQueue(label: "own", attributes: .concurrent)
      for number in 0..<3 { queue.async { lines.add("\(number)") } }
      queue.async(flags: .barrier) { lines.add("barrier") }
      queue.async { lines.add("after") }
      queue.sync(flags: .barrier) { lines.add("sync") }
      DispatchQueue.concurrentPerform(iterations: 3) { lines.add("iteration \($0)") }
    }
    #expect(
      lines == [
        "0", "1", "2", "barrier", "after", "sync", "iteration 0", "iteration 1", "iteration 2",
      ])
  }

  @Test func `main-queue blocks and main-actor jobs run in one order`() async throws {
    let lines = try await lines { _, _, lines in
      for number in 0..<3 {
        DispatchQueue.main.async { lines.add("block \(number)") }
        Task { @MainActor in lines.add("job \(number)") }
      }
      DispatchQueue.main.sync { lines.add("sync \(Thread.isMainThread)") }
      await Task.yield()
    }
    #expect(lines == (0..<3).flatMap { ["block \($0)", "job \($0)"] } + ["sync true"])
  }

  @Test func `App.current is the app in blocks`() async throws {
    let lines = try await lines { device, app, lines in
      try Self.run(app) {
        DispatchQueue.global().async {
          lines.add(App.current?.name ?? "none")
          DispatchQueue.main.async { lines.add(App.current?.name ?? "none") }
        }
      }
      DispatchQueue.global().async { lines.add(App.current?.name ?? "none") }
      device.advance(by: .seconds(1))
    }
    #expect(lines == ["com.example.client", "com.example.client", "none"])
  }

  @Test func `operations follow, with dependencies, limits and waits`() async throws {
    let lines = try await lines { device, _, lines in
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 2
      let operations = (0..<5).map { number in
        BlockOperation { lines.add("\(number) at \(device.now)") }
      }
      for (first, second) in zip(operations.dropFirst(), operations) { second.addDependency(first) }
      Self.finish(operations, on: queue)
      OperationQueue.main.addOperation { lines.add("main \(Thread.isMainThread)") }
      device.advance(by: .seconds(1))
    }
    #expect(lines == (0..<5).reversed().map { "\($0) at 0s" } + ["main true"])
  }

  private static func finish(_ operations: [Operation], on queue: OperationQueue) {
    queue.addOperations(operations, waitUntilFinished: false)
    queue.waitUntilAllOperationsAreFinished()
  }
}
