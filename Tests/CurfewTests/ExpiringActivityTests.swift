import Curfew
import Foundation
import TestRuns
import Testing

/// Tests `performExpiringActivity(withReason:using:)`.
@Suite(.inTurn) struct ExpiringActivityTests {
  @Test func `an activity holds a task while it runs, and is called once with false`() {
    let (device, log) = (Device(policy: .ios13), Log())
    let app = device.register("mail")
    app.launch()
    device.home()
    app.launch()
    app.performExpiringActivity(withReason: "sync") { expired in
      log.add("\(expired) \(app.openTasks.map(\.name))")
    }
    #expect(log.lines == [#"false ["sync"]"#] && app.openTasks.isEmpty)
  }

  @Test func `an activity that takes too long is called again with true while it runs`() {
    let (device, log) = (Device(policy: .ios13), Log())
    let app = device.register("mail")
    app.launch()
    app.performExpiringActivity(withReason: "sync") { expired in
      log.add("\(expired) at \(device.now)")
      guard !expired else { return }
      device.home()
      device.advance(by: .seconds(27))
      log.add("done at \(device.now)")
    }
    #expect(log.lines == ["false at 0s", "true at 25s", "done at 27s"])
    #expect(device.leakedTasks.isEmpty && app.applicationState == .suspended)
  }

  @Test func `an activity that does not end in time ends its process`() {
    let (device, log) = (Device(policy: .ios13), Log())
    let app = device.register("mail")
    app.launch()
    app.performExpiringActivity(withReason: "sync") { expired in
      log.add("\(expired)")
      guard !expired else { return }
      device.home()
      device.advance(by: .seconds(31))
      #expect(app.beginBackgroundTask() == .invalid)
    }
    #expect(log.lines == ["false", "true"] && device.leakedTasks.map(\.name) == ["sync"])
  }

  @Test func `if no task can be begun, an activity is called at once with true`() {
    let log = Log()
    let device = Device(policy: .ios3)
    let app = device.register("mail")
    app.performExpiringActivity(withReason: "sync") { log.add("\($0)") }
    app.launch()
    app.performExpiringActivity(withReason: "sync") { log.add("\($0)") }
    #expect(log.lines == ["true", "true"])
  }

  @Test func `in real time each call has its own thread`() {
    let (clock, log, expired) = (StandingClock(), Log(), DispatchSemaphore(value: 0))
    let device = Device(policy: .ios13, clock: .realTime(clock))
    let app = device.register("mail")
    app.launch()
    wait("the launch") { app.applicationState == .active }
    app.performExpiringActivity(withReason: "sync") { isExpired in
      if isExpired {
        expired.signal()
      } else {
        log.add("begun")
        expired.wait()
        log.add("ended")
      }
    }
    wait("the activity") { log.lines == ["begun"] && app.openTasks.count == 1 }
    app.home()
    wait("the background") { app.isQuietInBackground }
    clock.goOn(at: .zero + .seconds(25))
    wait("the suspension") { app.applicationState == .suspended }
    #expect(log.lines == ["begun", "ended"] && device.leakedTasks.isEmpty)
    device.close()
  }
}
