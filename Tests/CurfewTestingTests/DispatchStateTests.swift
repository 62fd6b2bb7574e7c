import Curfew
import CurfewTesting
import Dispatch
import Foundation
import Testing

private func wait(_ semaphore: DispatchSemaphore) { semaphore.wait() }

/// Queues, waits and clocks that outlast a job, a process or a test.
extension DispatchTests {
  private static func run(_ app: App, _ body: () -> Void) throws { try app.run(body) }

  @Test func `blocks that wait for their queue run in order, each once`() async {
    await #expect(processExitsWith: .success) {
      alarm(60)
      try await withDevice(Device(policy: .ios13)) { device in
        let (lines, queue) = (Lines(), DispatchQueue(label: "own"))
        let semaphore = DispatchSemaphore(value: 0)
        queue.async { wait(semaphore) }
        for number in 1...3 { queue.async { lines.add("\(number) at \(device.now)") } }
        DispatchQueue.global().asyncAfter(deadline: .now() + 1) { semaphore.signal() }
        device.advance(by: .seconds(2))
        #expect(lines.all == ["1 at 1s", "2 at 1s", "3 at 1s"])
      }
    }
  }

  @Test func `Thread.sleep ends at its instant, whatever the uptime`() async {
    await #expect(processExitsWith: .success) {
      alarm(60)
      try await withDevice(Device(policy: .ios13)) { device in
        for _ in 0..<3 {
          for span: Int64 in [50, 100, 300, 1100, 2300] { sleepOften(span, device) }
          device.advance(by: .seconds(50_000))
        }
      }
    }
  }

  @Test func `a signal does not go to a thread of a dead process`() async throws {
    let lines = try await lines { device, app, lines in
      let condition = NSCondition()
      for life in 1...2 {
        try Self.run(app) {
          DispatchQueue.global().async {
            condition.withLock { _ = condition.wait(until: Date() + 3600) }
            lines.add("life \(life) at \(device.now)")
          }
        }
        device.advance(by: .seconds(1))
        if life == 1 {
          app.forceQuit()
          app.launch()
        }
      }
      condition.withLock { condition.signal() }
      device.advance(by: .seconds(1))
    }
    #expect(lines == ["life 2 at 2s"])
  }

  /// A call of the device comes after the work of its instant.
  @Test func `a thread whose wait is over goes on before its process is ended, as a task does`()
    async throws
  {
    let lines = try await lines { device, app, lines in
      let semaphore = DispatchSemaphore(value: 0)
      let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
      try Self.run(app) {
        DispatchQueue.global().async {
          wait(semaphore)
          lines.add("thread")
          Thread.sleep(forTimeInterval: 1)
          lines.add("dead thread")
        }
        Task.detached {
          for await _ in stream { break }
          lines.add("task")
          try await Task.sleep(for: .seconds(1))
          lines.add("dead task")
        }
      }
      DispatchQueue.global().asyncAfter(deadline: .now() + 1) {
        semaphore.signal()
        continuation.yield()
      }
      DispatchQueue.global().asyncAfter(deadline: .now() + 1) { app.forceQuit() }
      device.advance(by: .seconds(3))
      lines.add("\(app.applicationState)")
    }
    #expect(lines == ["thread", "task", "notRunning"])
  }

  @Test func `a barrier excludes blocks of its own queue alone`() async throws {
    let lines = try await lines { device, _, lines in
      let base = DispatchQueue(label: "base", attributes: .concurrent)
      let queues = ["a", "b"].map {
        DispatchQueue(label: $0, attributes: .concurrent, target: base)
      }
      let semaphore = DispatchSemaphore(value: 0)
      queues[0].async(flags: .barrier) {
        wait(semaphore)
        lines.add("barrier")
      }
      queues[0].async { lines.add("after the barrier") }
      queues[1].async {
        lines.add("other queue")
        semaphore.signal()
      }
      device.advance(by: .seconds(1))
    }
    #expect(lines == ["other queue", "barrier", "after the barrier"])
  }

  @Test func `the uptime never goes back from one test to the next`() async throws {
    var last = DispatchTime.now()
    for _ in 0..<3 {
      last = try await withDevice(Device(policy: .ios13)) { [last] device in
        #expect(DispatchTime.now() >= last)
        await Task.yield()
        device.advance(by: .seconds(86_400))
        return DispatchTime.now()
      }
    }
  }

  @Test func `blocks of a queue that is not active wait for it, and so does a sync`() async {
    await #expect(processExitsWith: .success) {
      alarm(60)
      let (first, second) = (
        DispatchQueue(label: "first", attributes: .initiallyInactive),
        DispatchQueue(label: "second")
      )
      second.suspend()
      try await withDevice(Device(policy: .ios13)) { device in
        let lines = Lines()
        second.async { lines.add("second at \(device.now)") }
        first.async { lines.add("first at \(device.now)") }
        DispatchQueue.global().asyncAfter(deadline: .now() + 1) { first.activate() }
        DispatchQueue.global().asyncAfter(deadline: .now() + 2) { second.resume() }
        first.sync { lines.add("sync at \(device.now)") }
        device.advance(by: .seconds(2))
        #expect(lines.all == ["first at 1s", "sync at 1s", "second at 2s"])
      }
    }
  }

  /// Runs in a process of its own, where no other test keeps the pool's threads from the task.
  @Test func `a task of others on a captured thread stays in real time`() async {
    await #expect(processExitsWith: .success) {
      let (shared, isHeld, isQueued) = (SharedActor(), Flag(), Flag())
      let others = Task.detached {
        while !isHeld.isSet { try? await Task.sleep(for: .milliseconds(1)) }
        isQueued.set()
        return await shared.look()
      }
      let instants = try await withDevice(Device(policy: .ios13)) { device in
        await shared.hold(isHeld, until: isQueued)
        await shared.beLast()
        await Task {}.value
        return device.now
      }
      let seen = await others.value
      #expect(seen.isOnCapturedThread && instants == .zero)
      #expect(abs(seen.date.timeIntervalSinceNow) < 3600)
      #expect(seen.slept >= 0.1 && seen.delay >= 0.2, "\(seen)")
    }
  }
}

private func sleepOften(_ milliseconds: Int64, _ device: Device) {
  for _ in 0..<100 {
    let start = device.now
    Thread.sleep(forTimeInterval: Double(milliseconds) / 1000)
    #expect(device.now == start + .milliseconds(milliseconds))
  }
}

private final class Flag: @unchecked Sendable {
  private let lock = NSLock()
  private var value = false
  var isSet: Bool { lock.withLock { value } }
  func set() { lock.withLock { value = true } }
}

/// Seconds of real time, on a captured thread too.
private func realUptime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

private struct Seen {
  let isOnCapturedThread: Bool, date: Date, slept: Double, delay: Double
}

/// An actor whose queue contains captured tasks and others at the same time.
private actor SharedActor {
  func hold(_ isHeld: Flag, until isQueued: Flag) {
    Task { self.beLast() }
    isHeld.set()
    while !isQueued.isSet {}
    let end = realUptime() + 0.1
    while realUptime() < end {}
  }

  func beLast() {}

  func look() -> Seen {
    let (start, instant, date) = (realUptime(), ContinuousClock.now, Date())
    let done = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var delay = 0.0
    DispatchQueue.global().asyncAfter(deadline: .now() + 0.2) {
      delay = realUptime() - start
      done.signal()
    }
    Thread.sleep(forTimeInterval: 0.1)
    let slept = realUptime() - start
    done.wait()
    return Seen(
      isOnCapturedThread: ContinuousClock.now == instant, date: date, slept: slept, delay: delay)
  }
}

/// Records of work outside virtual time that outlast a test.
extension EscapeTests {
  private static func arm(_ timer: Timer) { RunLoop.current.add(timer, forMode: .default) }

  @Test func `a run-loop timer that an earlier test has left is reported again`() async throws {
    nonisolated(unsafe) let timer = Timer(timeInterval: 3600, repeats: true) { _ in }
    defer { timer.invalidate() }
    for _ in 0..<2 {
      let told = try await told { device, _ in
        Self.arm(timer)
        device.advance(by: .seconds(1))
      }
      #expect(told.contains { $0.contains("1 run-loop timer that ") }, "\(told)")
    }
  }

  @Test func `a queue is suspended and resumed by work that a test has left`() async {
    await #expect(processExitsWith: .success) {
      let queue = DispatchQueue(label: "own")
      try await withDevice(Device(policy: .ios13), reporting: []) { _ in
        _ = Task {
          defer {
            queue.suspend()
            queue.resume()
          }
          try await Task.sleep(for: .seconds(3600))
        }
        await Task.yield()
      }
    }
  }

  @Test func `the main queue goes on while it is suspended, and is reported`() async {
    await #expect(processExitsWith: .success) {
      alarm(60)
      let (told, lines) = (Told(), Lines())
      try await withDevice(Device(policy: .ios13), to: { told.add("\($0)") }) { device in
        DispatchQueue.main.suspend()
        DispatchQueue.main.async { lines.add("main") }
        device.advance(by: .seconds(1))
        DispatchQueue.main.resume()
      }
      #expect(lines.all == ["main"])
      #expect(told.sentences.contains { $0.contains("1 suspended queue that ") })
    }
  }
}
