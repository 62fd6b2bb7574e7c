import Curfew
import Foundation
import Testing

/// In real time, a hundred times as fast: a grant of 30 s is 300 ms.
@Suite struct RealTimeDeviceTests {
  private func device(_ executor: (any HandlerExecutor)? = nil) -> Device {
    Device(policy: .ios13, clock: .realTime(ThreadClock(speed: 100)), executor: executor)
  }

  private func wait(_ what: Comment, _ isDone: () -> Bool) {
    let end = Date() + 20
    while !isDone() {
      if Date() > end {
        Issue.record(what)
        return
      }
      Thread.sleep(forTimeInterval: 0.001)
    }
  }

  @Test func `a handler is called when its time has come and not before, off the caller's thread`() {
    let device = device()
    let log = Log()
    let caller = pthread_self()
    let app = device.register("com.example.mail")
    app.launch()
    wait("no launch") { app.applicationState == .active }
    _ = app.beginBackgroundTask(withName: "upload") { log.add("time is up \(pthread_equal(pthread_self(), caller) != 0)") }
    let before = device.now
    app.home()
    wait("no kill") { app.applicationState == .notRunning }
    #expect(log.lines == ["time is up false"])
    #expect(device.leakedTasks.map(\.name) == ["upload"])
    #expect(.nanoseconds(app.processEnds[0].instant.nanoseconds) - before >= .seconds(30))
  }

  @Test func `a handler that blocks for ever is ended by the watchdog, and harms nobody`() {
    let device = device()
    let gate = DispatchSemaphore(value: 0)
    defer { gate.signal() }
    let log = Log()
    let stuck = device.register(
      "com.example.stuck",
      delegate: LoggingDelegate(Log()) { line, _ in
        if line == "didEnterBackground" { gate.wait() }
      })
    let other = device.register("com.example.other", delegate: LoggingDelegate(log))
    stuck.launch()
    wait("no launch") { stuck.applicationState == .active }
    other.launch()
    wait("no kill") { !stuck.processEnds.isEmpty }
    #expect(stuck.processEnds[0].reason == .appWatchdog && stuck.processEnds[0].callback == .didEnterBackground)
    wait("no other") { log.lines.contains("didBecomeActive") }
    // Its next process does not wait behind the thread that is lost.
    stuck.launch()
    wait("no second life") { stuck.applicationState == .active }
  }

  @Test func `a device may be closed from inside a handler, which comes to its end`() {
    let log = Log()
    let device = device()
    let app = device.register(
      "com.example.mail",
      delegate: LoggingDelegate(Log()) { line, _ in
        guard line == "didFinishLaunching" else { return }
        device.close()
        log.add("closed")
      })
    app.launch()
    wait("not closed") { log.lines == ["closed"] }
    #expect(app.beginBackgroundTask() == .invalid)
  }

  @Test func `two threads begin and end while others expire, and no handler is lost or called twice`() throws {
    let device = Device(policy: try .crowded, clock: .realTime(ThreadClock(speed: 100)))
    // `CURFEW_ROUNDS=1000000` for a million each.
    let rounds = ProcessInfo.processInfo.environment["CURFEW_ROUNDS"].flatMap { Int($0) } ?? 20_000
    let (early, called) = (Counter(), Counter())
    let apps = (0..<8).map { device.register("com.example.\($0)") }
    for app in apps { app.launch() }
    let expiring = (0..<4).map { device.register("com.example.expiring.\($0)") }
    for app in expiring {
      app.launch()
      wait("no launch") { app.applicationState == .active }
      for _ in 0..<50 { _ = app.beginBackgroundTask { called.add(1) } }
    }
    let group = DispatchGroup()
    for half in 0..<2 {
      Thread.detachNewThread { [apps] in
        for round in 0..<rounds {
          let app = apps[half * 4 + round % 4]
          let task = app.beginBackgroundTask { early.add(1) }
          app.endBackgroundTask(task)
        }
        group.leave()
      }
      group.enter()
    }
    for app in expiring { app.home() }
    group.wait()
    wait("not killed") { expiring.allSatisfy { !$0.processEnds.isEmpty } }
    wait("handlers lost") { called.value == 200 }
    Thread.sleep(forTimeInterval: 0.01)
    #expect(called.value == 200 && early.value == 0)
    #expect(device.leakedTasks.count == 200)
  }
}

extension PolicyFile {
  /// ios13 with room for everybody in front, and for machines that stand still: at a hundred times the speed, six seconds to launch in, and
  /// 250 ms from the warning to the kill.
  static var crowded: PolicyFile {
    get throws {
      let text = "curfew: policy/1\nname: crowded\nextends: ios13\nforeground: unlimited\nlimits: {launch: 600s}\ntasks: {warning: 25s}\n"
      return try .decode(SourceFile(name: "crowded.yaml", bytes: Array(text.utf8)))
    }
  }
}
