import Curfew
import CurfewTesting
import Foundation
import Testing

/// The host of a process whose app has async work (rule A6).
@Suite(.enabled(if: VirtualTime.isAvailable, "Swift's executors cannot be replaced here"))
struct HostedWorkTests {
  /// Works in seconds as long as its process lives, and logs the calls.
  private final class Worker: AppDelegate, ProcessHost, @unchecked Sendable {
    private let lock = NSLock()
    private var kept: [String] = []

    var lines: [String] { lock.withLock { kept } }

    private func add(_ line: String) { lock.withLock { kept.append(line) } }

    func applicationDidFinishLaunching(_ app: App) {
      add("launched")
      Task {
        while true {
          try await Task.sleep(for: .seconds(1))
          add("work")
        }
      }
    }

    func applicationDidEnterBackground(_ app: App) { add("background") }
    func applicationWillEnterForeground(_ app: App) { add("foreground") }
    func suspend(_ app: App) { add("suspend") }
    func resume(_ app: App) { add("resume") }
    func end(_ app: App, _ end: ProcessEnd) { add("end") }
  }

  @Test func `A6 async work rests between suspend and resume, and after end`() async throws {
    try await withDevice(Device(policy: .ios13)) { device in
      let worker = Worker()
      let app = device.register("com.example.mail", delegate: worker, process: worker)
      app.launch()
      device.advance(by: .milliseconds(1_500))
      device.home()
      device.advance(by: .seconds(60))
      #expect(worker.lines == ["launched", "work", "background", "suspend"])
      app.launch()
      #expect(worker.lines.suffix(3).contains("resume") && worker.lines.contains("foreground"))
      device.advance(by: .milliseconds(1_500))
      let lines = worker.lines
      let resumed = try #require(lines.firstIndex(of: "resume"))
      #expect(lines[resumed...].contains("work") && lines[resumed - 1] == "suspend")
      device.home()
      app.forceQuit()
      device.advance(by: .seconds(60))
      #expect(worker.lines.suffix(3) == ["background", "suspend", "end"])
    }
  }

  /// Looks at the app a while after each call, as a host does that kills what does not end.
  private final class Watcher: ProcessHost {
    let lines = Lines()

    func suspend(_ app: App) { watch("suspend", app) }
    func resume(_ app: App) { watch("resume", app) }
    func end(_ app: App, _ end: ProcessEnd) { watch("end", app) }

    private func watch(_ call: String, _ app: App) {
      Task { [lines] in
        try? await Task.sleep(for: .seconds(5))
        lines.add("\(call): \(app.applicationState)")
      }
    }
  }

  @Test(.device(.ios13))
  func `A6 a host's work goes on while its app is suspended or has ended, without a remark`() {
    let (device, host) = (Device.current, Watcher())
    let app = device.register("com.example.mail", process: host)
    app.launch()
    device.home()
    device.advance(by: .seconds(60))
    #expect(host.lines.all == ["suspend: suspended"])
    app.launch()
    device.home()
    app.forceQuit()
    device.advance(by: .seconds(60))
    #expect(
      host.lines.all.sorted() == [
        "end: notRunning", "resume: notRunning", "suspend: notRunning", "suspend: suspended",
      ])
    #expect(device.remarks == [])
  }
}
