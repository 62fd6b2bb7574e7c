import Curfew
import CurfewTesting
import Foundation
import Testing
import VirtualConcurrency

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Virtual time while a `URLSession` task is in flight.
@Suite(.enabled(if: VirtualTime.followsDispatch, "Dispatch does not follow a device here"))
struct SessionTests {
  private final class Answer: @unchecked Sendable {
    private let lock = NSLock()
    private var data: Data?
    func receive(_ data: Data?) { lock.withLock { self.data = data } }
    var text: String? { lock.withLock { data.map { String(decoding: $0, as: UTF8.self) } } }
  }

  private static func url(_ server: SilentServer) -> URL {
    URL(string: "http://127.0.0.1:\(server.port)/")!
  }

  @Test func `an answer that is under way comes before a virtual time-out`() async throws {
    for _ in 0..<EscapeTests.runs {
      let server = try SilentServer()
      defer { server.close() }
      server.answerOnce(after: 0.1)
      try await withDevice(Device(policy: .ios13)) { device in
        let winner = try await withThrowingTaskGroup(of: String.self) { group in
          group.addTask {
            String(
              decoding: try await URLSession.shared.data(from: Self.url(server)).0, as: UTF8.self)
          }
          group.addTask {
            try await Task.sleep(for: .seconds(30))
            return "time-out"
          }
          let first = try await group.next()!
          group.cancelAll()
          return first
        }
        #expect(winner == "ok" && device.now == .zero)
      }
    }
  }

  @Test func `an answer comes before the time to which a test advances`() async throws {
    let server = try SilentServer()
    defer { server.close() }
    server.answerOnce(after: 0.1)
    try await withDevice(Device(policy: .ios13), reporting: [], escapes: .allowed) { device in
      let answer = Answer()
      URLSession.shared.dataTask(with: Self.url(server)) { data, _, _ in answer.receive(data) }
        .resume()
      device.advance(by: .seconds(30))
      #expect(answer.text == "ok")
    }
  }

  @Test func `a task that is never answered holds time back for the capture's patience, once`()
    async throws
  {
    let server = try SilentServer()
    defer { server.close() }
    let report = Report()
    // Measured inside, because a capture waits for earlier ones.
    let span = try await Capture.run(
      patience: .milliseconds(300), escapes: { report.value = $0 },
      body: { _ in
        let begin = Self.seconds
        let task = URLSession.shared.dataTask(with: Self.url(server)) { _, _, _ in }
        task.resume()
        for _ in 0..<100 { try await Task.sleep(for: .seconds(1)) }
        task.cancel()
        return Self.seconds - begin
      })
    #expect((0.3..<15).contains(span), "\(span)")
    let jump = try #require(report.value?.jump)
    #expect("\(jump)".contains("time passed from 0 s to 1 s while 1 URLSession task that "))
  }

  /// The real time in which a minute passes after the end of an app's process. The patience of
  /// a test is 30 s.
  private func secondsAfterEnd(of begin: @escaping @Sendable (App, URL) throws -> Void) async throws
    -> Double
  {
    let server = try SilentServer()
    defer { server.close() }
    return try await withDevice(Device(policy: .ios13), to: { Issue.record("\($0)") }) { device in
      let app = device.register("com.example.mail")
      app.launch()
      try begin(app, Self.url(server))
      device.advance(by: .zero)
      let begin = Self.seconds
      app.forceQuit()
      device.advance(by: .seconds(60))
      return Self.seconds - begin
    }
  }

  @Test func `a task that a cancelled task of a dead process resumes holds no time back`()
    async throws
  {
    let span = try await secondsAfterEnd { app, url in
      try app.run {
        _ = Task {
          await withTaskCancellationHandler {
            try? await Task.sleep(for: .seconds(600))
          } onCancel: {
            URLSession.shared.dataTask(with: url) { _, _, _ in }.resume()
          }
        }
      }
    }
    #expect(span < 25, "\(span)")
  }

  @Test func `a task of an app whose process has ended holds no time back`() async throws {
    let span = try await secondsAfterEnd { app, url in
      try app.run { URLSession.shared.dataTask(with: url) { _, _, _ in }.resume() }
    }
    #expect(span < 25, "\(span)")
  }

  /// The machine's clock, read by the test's own call of the C library.
  private static var seconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private final class Report: @unchecked Sendable { var value: EscapeReport? }

  @Test func `CURFEW_HANG does not end a wait for an answer`() async {
    await #expect(processExitsWith: .success) {
      setenv("CURFEW_HANG", "1", 1)
      let server = try SilentServer()
      server.answerOnce(after: 3.5)
      try withDevice(Device(policy: .ios13), reporting: [], escapes: .allowed) { device in
        let answer = Answer()
        URLSession.shared.dataTask(with: Self.url(server)) { data, _, _ in answer.receive(data) }
          .resume()
        device.advance(by: .seconds(30))
        precondition(answer.text == "ok")
      }
    }
  }
}
