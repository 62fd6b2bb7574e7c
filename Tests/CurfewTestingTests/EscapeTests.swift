import Curfew
import CurfewTesting
import Dispatch
import Foundation
import Testing

/// Work that leaves virtual time is reported, whatever happens to it in real time.
@Suite(.enabled(if: VirtualTime.seesEscapes, "Work outside virtual time is not seen here"))
struct EscapeTests {
  static let runs = ProcessInfo.processInfo.environment["CURFEW_RUNS"].flatMap { Int($0) } ?? 2

  /// Runs a test with a device, and returns the reported sentences.
  func told(
    by escapes: Escapes = .reported, _ body: @escaping @Sendable (Device, App) async throws -> Void
  ) async throws -> [String] {
    let told = Told()
    try await withDevice(
      Device(policy: .ios13), reporting: [.tasks, .escapes], escapes: escapes,
      to: { told.add("\($0)") }
    ) { device in
      let app = device.register("com.example.mail")
      app.launch()
      try await body(device, app)
    }
    return told.sentences
  }

  /// Begins a task whose expiration handler ends it on a thread of its own.
  @Sendable private static func hop(_ device: Device, _ app: App) {
    let held = Held()
    held.task = app.beginBackgroundTask(withName: "hop") {
      Thread.detachNewThread { app.endBackgroundTask(held.task) }
    }
    device.home()
    device.advance(by: .seconds(60))
  }

  @Test func `an expiration handler that ends its task on a thread is reported in each run`()
    async throws
  {
    for _ in 0..<Self.runs {
      let told = try await told { device, app in Self.hop(device, app) }
      let jumps = told.filter {
        $0.contains("time passed from 25 s to ") && $0.contains("1 thread that ")
      }
      #expect(jumps.count == 1, "\(told)")
    }
  }

  @MainActor @Test func `it is also reported on the main actor`() async throws {
    for _ in 0..<Self.runs {
      let told = try await told { @MainActor device, app in Self.hop(device, app) }
      #expect(
        told.filter { $0.contains("time passed from 25 s to ") && $0.contains("1 thread that ") }
          .count == 1, "\(told)")
    }
  }

  @Test func `a block that a test waits for is not reported`() async throws {
    for _ in 0..<Self.runs {
      let told = try await told { _, _ in
        for delay in [0, 0.005] {
          await withCheckedContinuation { answer in
            DispatchQueue.global().asyncAfter(deadline: .now() + delay) { answer.resume() }
          }
        }
        try await Task.sleep(for: .seconds(1))
        let queue = DispatchQueue(label: "cache")
        nonisolated(unsafe) var value = 0
        queue.async(flags: .barrier) { value = 1 }
        #expect(queue.sync { value } == 1)
        try await Task.sleep(for: .seconds(1))
      }
      #expect(told.isEmpty, "\(told)")
    }
  }

  @Test func `delayed blocks of one instant come in the order in which they were begun`()
    async throws
  {
    for _ in 0..<Self.runs {
      let log = Told()
      _ = try await told { _, _ in
        let (queue, instant) = (DispatchQueue(label: "delayed"), DispatchTime.now() + 0.002)
        await withCheckedContinuation { answer in
          for number in 0..<8 { queue.asyncAfter(deadline: instant) { log.add("\(number)") } }
          queue.asyncAfter(deadline: instant) { answer.resume() }
        }
      }
      #expect(log.sentences == (0..<8).map { "\($0)" })
    }
  }

  @Test func `blocks that a test waits for with its thread are not reported`() async throws {
    for _ in 0..<Self.runs {
      let told = try await told { device, _ in
        let (done, group, queue) = (
          DispatchSemaphore(value: 0), DispatchGroup(), DispatchQueue(label: "serial")
        )
        let concurrent = DispatchQueue(label: "concurrent", attributes: .concurrent)
        let lines = Told()
        DispatchQueue.global().async { DispatchQueue.global().async { done.signal() } }
        done.wait()
        device.advance(by: .seconds(1))
        for _ in 0..<3 { DispatchQueue.global().async(group: group) { lines.add("grouped") } }
        group.enter()
        DispatchQueue.global().async { group.leave() }
        group.wait()
        device.advance(by: .seconds(1))
        let item = DispatchWorkItem { lines.add("item") }
        queue.async(execute: item)
        item.wait()
        device.advance(by: .seconds(1))
        concurrent.async { lines.add("before") }
        concurrent.async(flags: .barrier) { lines.add("barrier") }
        concurrent.sync {}
        #expect(lines.sentences == ["grouped", "grouped", "grouped", "item", "before", "barrier"])
        device.advance(by: .seconds(1))
      }
      #expect(told.isEmpty, "\(told)")
    }
  }

  @Test func `threads that nothing waits for are reported, whether they are done or not`()
    async throws
  {
    for _ in 0..<Self.runs {
      for isSlow in [false, true] {
        let told = try await told { device, _ in
          Thread.detachNewThread { if isSlow { usleep(1000) } }
          device.advance(by: .seconds(1))
        }
        #expect(
          told.count == 1
            && told[0].contains(
              "Real time decides what this test finds: time passed from 0 s to 1 s"),
          "\(told)")
      }
      let told = try await told { device, _ in
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread { done.signal() }
        // Real time decides whether this succeeds.
        #expect(done.wait(timeout: .now() + 10) == .success)
        device.advance(by: .seconds(1))
      }
      #expect(
        told.count == 1 && told[0].contains("Real time decides what this test finds: "), "\(told)")
    }
  }

  @Test func `stream elements that blocks yield are not reported while the test waits for all`()
    async throws
  {
    for _ in 0..<Self.runs {
      let told = try await told { _, _ in
        let (numbers, number) = AsyncStream<Int>.makeStream()
        for value in 0..<4 { DispatchQueue.global().async { number.yield(value) } }
        var all: [Int] = []
        for await value in numbers.prefix(4) { all.append(value) }
        // Each block ends before the next one begins.
        #expect(all == [0, 1, 2, 3])
        try await Task.sleep(for: .seconds(1))
      }
      #expect(told.isEmpty, "\(told)")
    }
  }

  @Test func `a thread that waits by other means gets the work that it waits for`() async throws {
    let told = try await told { device, _ in
      let (condition, flag) = (NSCondition(), Held())
      Thread.detachNewThread {
        condition.withLock { flag.isSet = true }
        condition.signal()
      }
      condition.withLock { while !flag.isSet { condition.wait() } }
      device.advance(by: .seconds(1))
    }
    // The thread signals before it returns.
    #expect(told.count == 1 && told[0].contains("time passed from 0 s to 1 s"), "\(told)")
  }

  @Test func `a loop that yields until a block is done ends`() async throws {
    let told = try await told { _, _ in
      let (lock, flag) = (NSLock(), Held())
      DispatchQueue.global().async { lock.withLock { flag.isSet = true } }
      while !lock.withLock({ flag.isSet }) { await Task.yield() }
    }
    #expect(told.isEmpty, "\(told)")
  }

  @Test func `a test that allows escapes gets no report`() async throws {
    let told = try await told(by: .allowed) { device, app in Self.hop(device, app) }
    #expect(told.isEmpty, "\(told)")
  }

  @Test(.device(.ios13, reporting: [], escapes: .allowed))
  func `a test with the trait gets no report either`() {
    let device = Device.current
    let app = device.register("com.example.mail")
    app.launch()
    Self.hop(device, app)
  }

  @Test func `a block that passes an answer on through another queue is not reported`() async throws
  {
    for _ in 0..<Self.runs {
      let told = try await told { _, _ in
        let (first, second) = (DispatchQueue(label: "first"), DispatchQueue(label: "second"))
        let (answers, answer) = AsyncStream<Int>.makeStream()
        await withCheckedContinuation { begun in
          first.async {
            begun.resume()
            second.async { answer.yield(1) }
          }
        }
        for await _ in answers { break }
        try await Task.sleep(for: .seconds(1))
      }
      #expect(told.isEmpty, "\(told)")
    }
  }

  @Test
  func `an empty group notifies at once, and a serial queue keeps its order for other threads`()
    async throws
  {
    let told = try await told { _, _ in
      let (group, queue, notified) = (
        DispatchGroup(), DispatchQueue(label: "serial"), DispatchSemaphore(value: 0)
      )
      group.notify(queue: queue) { notified.signal() }
      group.enter()
      notified.wait()
      group.leave()
      let (go, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      nonisolated(unsafe) var (value, seen) = (0, 0)
      DispatchQueue.global().async {
        go.wait()
        seen = queue.sync { value }
        done.signal()
      }
      queue.async { value = 1 }
      go.signal()
      done.wait()
      #expect(seen == 1)
    }
    #expect(told.isEmpty, "\(told)")
  }

  @Test func `the library's own use of Dispatch is not reported`() async throws {
    for _ in 0..<Self.runs {
      let told = try await told { device, app in
        await MainActor.run { _ = app.applicationState }
        Task { @MainActor in try? await Task.sleep(for: .seconds(1)) }
        device.advance(by: .seconds(5))
        await MainActor.run { device.advance(by: .seconds(5)) }
      }
      #expect(told.isEmpty, "\(told)")
    }
  }

  @Test func `a work item keeps its barrier, its cancellation, its wait and its notification`()
    async throws
  {
    _ = try await told(by: .reported) { _, _ in
      let (queue, log) = (DispatchQueue(label: "items", attributes: .concurrent), Told())
      for number in 0..<8 { queue.async { log.add("\(number < 0)") } }
      let barrier = DispatchWorkItem(flags: .barrier) {
        log.add("barrier after \(log.sentences.count)")
      }
      queue.async(execute: barrier)
      for _ in 0..<8 { queue.async { log.add("later") } }
      barrier.wait()
      queue.sync(flags: .barrier) {}
      #expect(
        log.sentences[8] == "barrier after 8" && log.sentences.count == 17, "\(log.sentences)")

      let (cancelled, notified) = (
        DispatchWorkItem { log.add("cancelled") }, DispatchSemaphore(value: 0)
      )
      cancelled.notify(queue: queue) { notified.signal() }
      cancelled.cancel()
      queue.async(execute: cancelled)
      #expect(notified.wait(timeout: .now() + 10) == .success)
      #expect(cancelled.isCancelled && !log.sentences.contains("cancelled"))

      let group = DispatchGroup()
      let grouped = DispatchWorkItem(flags: .barrier) { log.add("grouped") }
      queue.async(group: group, execute: grouped)
      queue.async(group: group) { log.add("grouped too") }
      queue.async(group: group, qos: .utility) { log.add("and this") }
      group.wait()
      #expect(
        log.sentences.suffix(3).sorted() == ["and this", "grouped", "grouped too"],
        "\(log.sentences)")
      let done = DispatchSemaphore(value: 0)
      group.notify(queue: queue) { done.signal() }
      #expect(done.wait(timeout: .now() + 10) == .success)
    }
  }

  @Test func `a block is released as soon as it has run`() async throws {
    final class Captured: Sendable {}
    _ = try await told { _, _ in
      weak var held: Captured?
      let queue = DispatchQueue(label: "queue")
      do {
        let captured = Captured()
        held = captured
        queue.async { _ = captured }
      }
      queue.sync {}
      #expect(held == nil)
    }
  }

  private final class Held: @unchecked Sendable {
    var task = BackgroundTaskIdentifier.invalid
    var isSet = false
  }

  final class Told: @unchecked Sendable {
    private let lock = NSLock()
    private var texts: [String] = []
    func add(_ text: String) { lock.withLock { texts.append(text) } }
    var sentences: [String] { lock.withLock { texts } }
  }
}
