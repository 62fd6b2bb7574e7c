import Curfew
import CurfewUV
import Foundation
import Testing

/// Runs a program as the process of an app.
final class Governor: AppDelegate, ProcessHost, @unchecked Sendable {
  private let program: URL
  private let arguments: [String]
  private let lock = NSLock()
  private var process: Process?
  private var ends = 0

  init(_ program: String, _ arguments: String...) {
    (self.program, self.arguments) = (URL(fileURLWithPath: program), arguments)
  }

  func applicationWillFinishLaunching(_ app: App) {
    let ends = lock.withLock { self.ends }
    let process = Process()
    (process.executableURL, process.arguments) = (program, arguments)
    let (exits, exit) = AsyncStream<Int32>.makeStream()
    process.terminationHandler = {
      exit.yield($0.terminationReason == .exit ? $0.terminationStatus << 8 : $0.terminationStatus)
    }
    do {
      try lock.withLock {
        // A watchdog may have ended the app meanwhile.
        guard ends == self.ends else { return }
        try process.run()
        self.process = process
      }
    } catch { return app.crash(.spawnFailed(.other)) }
    // A task of this process of the app. When the app runs again, it has no effect.
    Task {
      for await status in exits {
        if let reason = CrashReason(waitStatus: status) { app.crash(reason) }
        break
      }
    }
  }

  func suspend(_ app: App) { send(SIGSTOP) }
  func resume(_ app: App) { send(SIGCONT) }
  func end(_ app: App, _ end: ProcessEnd) {
    lock.withLock { ends += 1 }
    send(SIGKILL)
  }

  private func send(_ signal: Int32) {
    lock.withLock { if let process, process.isRunning { kill(process.processIdentifier, signal) } }
  }
}

extension RealTimeTests {
  /// The code of the article about real processes.
  @Suite struct GovernExamples {
    private func eventually(_ what: Comment, _ isDone: () -> Bool) async throws {
      let end = Date() + 30
      while !isDone() {
        if Date() > end { return _ = Issue.record(what) }
        try await Task.sleep(for: .milliseconds(1))
      }
    }

    @Test func `a governor reports how its processes end, and ends them`() async throws {
      let device = Device(policy: .ios13, clock: .realTime(try UVClock()))
      let governor = Governor("/bin/sleep", "1000")
      let app = device.register("com.example.sleep", delegate: governor, process: governor)
      app.launch()
      try await eventually("no launch") { app.applicationState == .active }
      app.home()
      try await eventually("no suspension") { app.applicationState == .suspended }
      app.launch()
      try await eventually("no return") { app.applicationState == .active }
      app.forceQuit()
      try await eventually("no end") { app.applicationState == .notRunning }
      let short = Governor("/bin/sh", "-c", "exit 3")
      let other = device.register("com.example.short", delegate: short, process: short)
      other.launch()
      try await eventually("no end") { other.applicationState == .notRunning }
      #expect(other.processEnds.map(\.exit) == [.status(3)])
      let missing = Governor("/no/such/program")
      let third = device.register("com.example.missing", delegate: missing, process: missing)
      third.launch()
      try await eventually("no end") { third.applicationState == .notRunning }
      #expect(third.processEnds.map(\.reason) == [.spawnFailed])
      device.close()
    }
  }
}
