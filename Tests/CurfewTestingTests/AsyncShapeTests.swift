import Curfew
import CurfewTesting
import Foundation
import Testing

/// Async code of the shapes that SDKs use, run repeatedly while other
/// tests of the process run: always the same outcome, to the nanosecond.
@Suite(.enabled(if: VirtualTime.isAvailable, "Swift's executors cannot be replaced here"))
struct AsyncShapeTests {
  private static let runs =
    ProcessInfo.processInfo.environment["CURFEW_RUNS"].flatMap { Int($0) } ?? 10

  /// Events with their instants on the device's and on Swift's clock.
  private final class Log: @unchecked Sendable {
    private let lock = NSLock()
    private var lines: [String] = []
    private let start = ContinuousClock.now
    func note(_ text: String) {
      let (device, clock) = (Device.current.now, ContinuousClock.now - start)
      lock.withLock { lines.append("\(device) \(clock) \(text)") }
    }
    var text: String { lock.withLock { lines.joined(separator: "\n") } }
  }

  /// Runs `body` with an app several times, and returns the log, which is the same each time.
  private func log(_ body: @escaping @Sendable (Device, App, Log) async throws -> Void) async throws
    -> String
  {
    var logs: Set<String> = []
    for _ in 0..<Self.runs {
      let text = try await withDevice(Device(policy: .ios13), reporting: [.tasks]) { device in
        let log = Log()
        let app = device.register("com.example.mail")
        try await body(device, app, log)
        // Work begun by the test itself that ends with its app's work causes no remark.
        #expect(
          !device.diagnostics.contains { if case .unownedWork = $0.cause { true } else { false } })
        log.note(
          "ends \(device.processEnds.map(\.reason)) open \(device.openTasks.count) expired \(app.expirations.map(\.task))"
        )
        return log.text
      }
      logs.insert(text)
    }
    #expect(logs.count == 1, "\(logs.sorted().joined(separator: "\n---\n"))")
    return logs.first ?? ""
  }

  /// Flushes in chunks when its app enters the background,
  /// and is cancelled by the expiration handler.
  @Test func `an uploader that flushes on didEnterBackground`() async throws {
    final class Uploader: AppDelegate, @unchecked Sendable {
      let log: Log
      var task: Task<Void, Never>?
      var identifier = BackgroundTaskIdentifier.invalid
      init(_ log: Log) { self.log = log }
      func applicationDidEnterBackground(_ app: App) {
        identifier = app.beginBackgroundTask(withName: "flush") {
          self.log.note("expired")
          self.task?.cancel()
        }
        task = Task {
          defer { app.endBackgroundTask(self.identifier) }
          for chunk in 1...100 {
            do { try await Task.sleep(for: .milliseconds(333)) } catch {
              return self.log.note("cancelled in chunk \(chunk)")
            }
            self.log.note("chunk \(chunk)")
          }
        }
      }
    }
    let text = try await log { device, _, log in
      let app = device.register("com.example.upload", delegate: Uploader(log))
      app.launch()
      device.home()
      device.advance(by: .seconds(60))
      #expect(app.applicationState == .suspended)
    }
    #expect(
      text.contains("25s 25.0 seconds expired") && text.contains("cancelled in chunk 76"),
      "\(text.suffix(300))")
    #expect(text.contains("ends [] open 0"))
  }

  /// Work in an actor that stops when it is cancelled.
  @Test func `an actor with cancellation`() async throws {
    actor Worker {
      var done = 0
      func work(_ log: Log) async throws {
        while true {
          try await Task.sleep(for: .seconds(1), tolerance: .zero)
          done += 1
          log.note("did \(done)")
          await withTaskGroup(of: Int.self) { group in
            for part in 1...3 {
              group.addTask {
                try? await Task.sleep(for: .milliseconds(part)); return part
              }
            }
            for await part in group { log.note("part \(part)") }
          }
        }
      }
    }
    let text = try await log { device, app, log in
      app.launch()
      let worker = Worker()
      let work = Task {
        try await app.withBackgroundTask(named: "work") { try await worker.work(log) }
      }
      device.home()
      device.advance(by: .seconds(40))
      if case .failure(let error) = await work.result { log.note("\(error)") }
    }
    #expect(
      text.contains("did 24") && !text.contains("did 26") && text.contains("CancellationError()")
        && text.contains("ends [] open 0"),
      "\(text.suffix(400))")
  }

  /// An observer that begins a task when a stream tells it to.
  @Test func `an AsyncStream observer that begins`() async throws {
    final class Publisher: AppDelegate, @unchecked Sendable {
      let (stream, continuation) = AsyncStream.makeStream(of: String.self)
      func applicationDidEnterBackground(_ app: App) { continuation.yield("background") }
      func applicationWillEnterForeground(_ app: App) { continuation.yield("foreground") }
    }
    let text = try await log { device, _, log in
      let publisher = Publisher()
      let app = device.register("com.example.observer", delegate: publisher)
      app.launch()
      let observer = Task {
        for await event in publisher.stream {
          let task = app.beginBackgroundTask(withName: event)
          log.note("\(event): begun \(task != .invalid) in \(app.applicationState)")
          try? await Task.sleep(for: .seconds(2))
          app.endBackgroundTask(task)
        }
      }
      device.home()
      device.advance(by: .seconds(5))
      app.launch()
      device.advance(by: .seconds(5))
      device.home()
      device.advance(by: .seconds(5))
      publisher.continuation.finish()
      await observer.value
    }
    #expect(
      text.contains("background: begun true in background")
        && text.contains("foreground: begun true"), "\(text)")
  }

  /// All of it runs in a task that the test begins before its user leaves.
  @Test func `withBackgroundTask inside a Task`() async throws {
    let text = try await log { device, app, log in
      app.launch()
      let upload = Task {
        try await app.withBackgroundTask(named: "upload") {
          log.note("begun in \(app.applicationState)")
          try await Task.sleep(for: .seconds(10))
          log.note("uploaded")
        }
      }
      device.home()
      device.advance(by: .seconds(3))
      log.note("left \(app.backgroundTimeRemaining)")
      try await upload.value
      log.note("awaited")
    }
    #expect(
      text.contains("begun in active") && text.contains("10s 10.0 seconds uploaded")
        && text.contains("ends [] open 0"), "\(text)")
  }
}
