import Curfew
import Foundation
import TestRuns
import Testing

/// Real time at ten times its speed: a grant of 30 s takes 3 s, and a thread on a busy machine has
/// half a second between warning and end.
@Suite(.inTurn) struct RealTimeDeviceTests {
  private func device(_ executor: (any HandlerExecutor)? = nil) -> Device {
    Device(policy: .ios13, clock: .realTime(ThreadClock(speed: 10)), executor: executor)
  }

  @Test func `a handler is called when its time has come and not before, off the caller's thread`()
  {
    let device = device()
    let log = Log()
    let caller = pthread_self()
    let app = device.register("com.example.mail")
    app.launch()
    wait("no launch") { app.applicationState == .active }
    _ = app.beginBackgroundTask(withName: "upload") {
      log.add("time is up \(pthread_equal(pthread_self(), caller) != 0)")
    }
    let before = device.now
    app.home()
    wait("no kill") { app.applicationState == .notRunning }
    #expect(log.lines == ["time is up false"])
    #expect(device.leakedTasks.map(\.name) == ["upload"])
    #expect(app.processEnds[0].instant >= before + .seconds(30))
  }

  @Test func `a handler that blocks forever is ended by the watchdog, and affects no other app`() {
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
    #expect(
      stuck.processEnds[0].reason == .appWatchdog
        && stuck.processEnds[0].callback == .didEnterBackground)
    wait("no other") { log.lines.contains("didBecomeActive") }
    // Its next process does not wait behind the lost thread.
    stuck.launch()
    wait("no second life") { stuck.applicationState == .active }
  }

  @Test func `a device may be closed from inside a handler, which then finishes`() {
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
}
