import Curfew
import Foundation
import TestRuns
import Testing

/// If every handler thread is blocked, work that calls no handler of the program continues.
@Suite(.inTurn, .timeLimit(.minutes(30))) struct LaneTests {
  /// A device whose handler threads can all be blocked, by apps that get a notification; and one
  /// more app.
  private final class Crowd: @unchecked Sendable {
    let device: Device
    let innocent: App
    let log = Log()
    private let gate = DispatchSemaphore(value: 0)
    private let blocked = Counter()
    private let bad: [App]
    private let limit: Int

    init(limit: Int) async throws {
      self.limit = limit
      device = Device(
        policy: try .crowded, clock: .realTime(ThreadClock()),
        executor: HandlerThreads(limit: limit) { _ in })
      innocent = device.register("innocent", delegate: LoggingDelegate(log))
      bad = (0..<limit).map { [gate, blocked, device] number in
        device.register(
          "bad\(number)",
          delegate: LoggingDelegate(Log()) { line, _ in
            guard line == "block -" else { return }
            blocked.add(1)
            gate.wait()
          })
      }
      for app in bad + [innocent] { app.launch() }
      await eventually("no launch") {
        (bad + [innocent]).allSatisfy { $0.applicationState == .active }
      }
    }

    deinit { unblock() }

    /// When this returns, no thread is left for any handler.
    func block() async {
      for app in bad { app.post("block") }
      await eventually("not all threads block") { blocked.value == limit }
    }

    func unblock() { for _ in 0..<limit { gate.signal() } }

    /// Work of the innocent app under a background task, which ends only when it is cancelled.
    func work() async -> Task<Void, any Error> {
      let (begun, beginning) = AsyncStream<Void>.makeStream()
      let work = Task { [innocent, log] in
        try await innocent.withBackgroundTask(named: "upload") {
          beginning.yield()
          do { try await Task.sleep(for: .seconds(3600)) } catch { log.add("cancelled") }
        }
      }
      for await _ in begun { break }
      return work
    }

    func leave() async {
      innocent.home()
      await eventually("not in the background") {
        innocent.applicationState == .background && log.lines.last == "didEnterBackground"
      }
    }
  }

  @Test(arguments: [4, 64])
  func `F5 another app's work is cancelled at its expiry while every handler thread blocks`(
    limit: Int
  ) async throws {
    let crowd = try await Crowd(limit: limit)
    let work = await crowd.work()
    await crowd.leave()
    await crowd.block()
    crowd.innocent.expireTasks()
    await eventually("not cancelled") { crowd.log.lines.contains("cancelled") }
    await eventually("the task is open") { crowd.innocent.openTasks.isEmpty }
    // The one delivery has returned: nothing blocks the app, and its process was not ended.
    #expect(crowd.innocent.processEnds.isEmpty && crowd.device.counts.handlersCalled == 1)
    await eventually("not suspended") { crowd.innocent.applicationState == .suspended }
    crowd.unblock()
    try await work.value
    crowd.device.close()
  }

  @Test(arguments: [4, 64])
  func
    `work whose process ends is cancelled, and readers hear of it, while every handler thread blocks`(
      limit: Int
    ) async throws
  {
    let crowd = try await Crowd(limit: limit)
    let work = await crowd.work()
    let (ends, actions) = (Counter(), crowd.device.actions())
    let reader = Task {
      for await line in actions { if case .terminated = line.body { ends.add(1) } }
    }
    await crowd.leave()
    await crowd.block()
    crowd.innocent.crash()
    await eventually("not cancelled") { crowd.log.lines.contains("cancelled") }
    await eventually("not told") { ends.value == 1 }
    crowd.unblock()
    try await work.value
    crowd.device.close()
    await reader.value
  }

  @Test
  func
    `a kill that the clock decides is told, and its work cancelled, while every handler thread blocks`()
    async throws
  {
    let crowd = try await Crowd(limit: 4)
    let (ends, actions) = (Counter(), crowd.device.actions())
    let reader = Task {
      for await line in actions { if case .terminated = line.body { ends.add(1) } }
    }
    // Only the clock's tick reaches the end of the grant.
    _ = crowd.innocent.beginBackgroundTask()
    let work = await crowd.work()
    await crowd.leave()
    await crowd.block()
    crowd.innocent.expireTasks()
    await eventually("not cancelled") { crowd.log.lines.contains("cancelled") }
    await eventually("not told") { ends.value == 1 }
    #expect(crowd.innocent.processEnds.map(\.reason) == [.backgroundTaskAssertionTimeout])
    crowd.unblock()
    try await work.value
    crowd.device.close()
    await reader.value
  }

  @Test
  func `F5 handlers before and after a cancellation keep their order, and none runs on the lane`()
    async throws
  {
    let log = Log()
    let device = Device(policy: .ios13, clock: .realTime(ThreadClock()))
    let app = device.register("app")
    app.launch()
    await eventually("no launch") { app.applicationState == .active }
    let lanes = Counter()
    @Sendable func note(_ line: String) {
      if Thread.current.name == "curfew.lane" { lanes.add(1) }
      log.add(line)
    }
    // The cancelled callers are first, in the middle and last; each waits for its turn.
    let (begun, beginning) = AsyncStream<Void>.makeStream()
    var steps = begun.makeAsyncIterator()
    var works: [Task<Void, any Error>] = []
    for number in 0..<5 {
      if number % 2 == 1 {
        _ = app.beginBackgroundTask(withName: "\(number)") { note("handler \(number)") }
      } else {
        works.append(
          Task {
            try await app.withBackgroundTask(named: "\(number)") {
              await withTaskCancellationHandler {
                beginning.yield()
                try? await Task.sleep(for: .seconds(3600))
              } onCancel: {
                log.add("cancel \(number)")
              }
            }
          })
        await steps.next()
      }
    }
    app.home()
    await eventually("no background") { app.applicationState == .background }
    app.expireTasks()
    await eventually("not all called") { log.lines.count == 5 }
    #expect(
      log.lines == ["cancel 0", "handler 1", "cancel 2", "handler 3", "cancel 4"]
        && lanes.value == 0)
    #expect(
      device.counts.handlersCalled == 5 && app.expirations.map(\.task) == ["0", "1", "2", "3", "4"])
    for work in works { try await work.value }
    device.close()
  }
}

extension PolicyFile {
  /// ios13 with room for every app in front, and tolerant of machines that stall.
  static var crowded: PolicyFile {
    get throws {
      let text =
        "curfew: policy/1\nname: crowded\nextends: ios13\nforeground: unlimited\nlimits: {launch: 600s}\n"
      return try .decode(SourceFile(name: "crowded.yaml", bytes: Array(text.utf8)))
    }
  }
}
