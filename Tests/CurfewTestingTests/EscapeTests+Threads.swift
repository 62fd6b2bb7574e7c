import Curfew
import CurfewTesting
import Dispatch
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Threads, operations, URL sessions and executors that leave virtual time.
extension EscapeTests {
  @Test func `threads and blocks that they begin are reported, and their work is left open`()
    async throws
  {
    let (gate, begun) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    defer { for _ in 0..<4 { gate.signal() } }
    let told = try await told { device, _ in
      Thread.detachNewThread {
        DispatchQueue.global().async { gate.wait() }
        Task { try? await Task.sleep(for: .seconds(600)) }
        begun.signal()
        gate.wait()
      }
      begun.wait()
      device.advance(by: .seconds(1))
    }
    let jump =
      "time passed from 0 s to 1 s while 1 thread and 1 Dispatch block and 1 Swift task outside virtual time were not done; begun by "
    #expect(told.first?.contains(jump) == true, "\(told)")
    let left = told.filter { $0.hasPrefix("Work outside virtual time is not done: ") }
    for kind in ["a Dispatch block", "a thread", "a Swift task outside virtual time"] {
      #expect(left.contains { $0.contains(kind) }, "\(kind): \(told)")
    }
    #expect(left.count == 3, "\(told)")
  }

  @Test func `sources and suspended queues are reported once, and the queue's blocks run`()
    async throws
  {
    for _ in 0..<Self.runs {
      let lines = Told()
      let told = try await told { device, _ in
        let (queue, timer) = (DispatchQueue(label: "own"), DispatchSource.makeTimerSource())
        timer.schedule(deadline: .now() + 3600)
        timer.resume()
        queue.suspend()
        queue.async { lines.add("block") }
        device.advance(by: .seconds(1))
        queue.resume()
        queue.sync { lines.add("sync") }
        timer.cancel()
        device.advance(by: .seconds(1))
      }
      #expect(lines.sentences == ["block", "sync"])
      #expect(
        told.count == 1
          && told[0].contains("while 1 Dispatch source and 1 suspended queue were not done"),
        "\(told)")
    }
  }

  @Test(arguments: ["timer source", "run-loop timer", "suspended queue"])
  func `work that the test's code ends at its instant is not reported`(kind: String) async throws {
    let server = try SilentServer()
    defer { server.close() }
    let told = try await told { device, _ in
      Self.begin(kind, server.socket)()
      device.advance(by: .seconds(1))
    }
    #expect(told.isEmpty, "\(told)")
  }

  @Test func `a timer that its run loop fires is reported, because real time decides`() async throws
  {
    let told = try await told { device, _ in
      Self.runTimer()
      device.advance(by: .seconds(1))
    }
    #expect(told.count == 1 && told[0].contains("1 run-loop timer that "), "\(told)")
  }

  @Test(arguments: ["thread", "socket source", "timer source", "run-loop timer", "suspended queue"])
  func `each kind of work outside virtual time is reported once`(kind: String) async throws {
    let server = try SilentServer()
    defer { server.close() }
    let told = try await told { device, _ in
      let end = Self.begin(kind, server.socket)
      for _ in 0..<3 { device.advance(by: .seconds(1)) }
      end()
    }
    let name = kind.hasSuffix("source") ? "Dispatch source" : kind
    #expect(
      told.count == 1 && told[0].contains("time passed from 0 s to 1 s while 1 \(name) that "),
      "\(told)")
  }

  private static func runTimer() {
    RunLoop.current.add(Timer(timeInterval: 0.01, repeats: false) { _ in }, forMode: .default)
    RunLoop.current.run(until: Date() + 0.2)
  }

  /// - Returns: Ends the work.
  private static func begin(_ kind: String, _ socket: Int32) -> () -> Void {
    switch kind {
    case "thread":
      let (gate, isOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      Thread.detachNewThread {
        gate.wait()
        isOver.signal()
      }
      return {
        gate.signal()
        isOver.wait()
      }
    case "socket source":
      let source = DispatchSource.makeReadSource(fileDescriptor: socket)
      source.resume()
      return { source.cancel() }
    case "timer source":
      let source = DispatchSource.makeTimerSource()
      source.schedule(deadline: .now() + 3600)
      source.resume()
      return { source.cancel() }
    case "run-loop timer":
      let timer = Timer.scheduledTimer(withTimeInterval: 3600, repeats: true) { _ in }
      return { timer.invalidate() }
    default:
      let queue = DispatchQueue(label: "suspended")
      queue.suspend()
      return { queue.resume() }
    }
  }

  @Test func `a URLSession task that a test awaits is not reported`() async throws {
    for _ in 0..<Self.runs {
      let server = try SilentServer()
      defer { server.close() }
      server.answerOnce()
      let told = try await told { _, _ in
        let (data, _) = try await URLSession.shared.data(
          from: URL(string: "http://127.0.0.1:\(server.port)/")!)
        #expect(data == Data("ok".utf8))
        try await Task.sleep(for: .seconds(30))
      }
      #expect(told.isEmpty, "\(told)")
    }
  }

  @Test func `a sleep on a program's own executor over a queue counts the device's time`()
    async throws
  {
    for _ in 0..<Self.runs {
      let told = try await told { _, _ in
        let start = ContinuousClock.now
        await Clerk().sleep()
        await Clerk().sleepByItsClock()
        await sleepByPreference()
        #expect(ContinuousClock.now - start == .seconds(6))
      }
      #expect(told.isEmpty, "\(told)")
    }
  }

  private final class Executor: TaskExecutor {
    private let queue = DispatchQueue(label: "clerk")
    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }

  /// Runs on its own queue.
  private actor Clerk {
    private let executor = SerialQueue()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    func sleep() async { try? await Task.sleep(for: .seconds(2)) }
    func sleepByItsClock() async {
      try? await Task.sleep(until: ContinuousClock.now + .seconds(2), clock: .continuous)
    }
  }

  private final class SerialQueue: SerialExecutor {
    private let queue = DispatchQueue(label: "clerk")
    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
  }

  private func sleepByPreference() async {
    await withTaskExecutorPreference(Executor()) { try? await Task.sleep(for: .seconds(2)) }
  }
}
