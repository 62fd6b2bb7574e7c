import Curfew
import Foundation
import TestRuns
import Testing

/// A process that stalls for longer than the policy's warning: the device reports this correctly.
@Suite(.inTurn) struct LateHostTests {
  private static let late = Instant.zero + .milliseconds(41_600)

  private func device(
    _ clock: StandingClock, whenLate: String = "extend", executor: (any HandlerExecutor)? = nil
  ) throws -> Device {
    var policy = PolicyFile.ios13
    try policy.set("tasks.whenLate", whenLate)
    return Device(policy: policy, clock: .realTime(clock), executor: executor)
  }

  /// An app in the background from 0 s on, with a task whose handler does nothing by default.
  private func uploading(
    _ device: Device, _ handler: @escaping @Sendable (Expiration) -> Void = { _ in }
  ) -> App {
    let app = device.register("mail")
    app.launch()
    wait("no launch") { app.applicationState == .active }
    _ = app.beginBackgroundTask(withName: "upload", onExpiration: handler)
    app.home()
    wait("not in the background") {
      app.isQuietInBackground && app.backgroundTimeRemaining < 31
    }
    return app
  }

  @Test
  func
    `F6 where lateness kills, the handler was never called, and the end says that the host was late`()
    throws
  {
    let clock = StandingClock()
    let device = try device(clock, whenLate: "kill")
    let log = Log()
    let app = uploading(device) { _ in log.add("called") }
    clock.goOn(at: Self.late)
    #expect(app.applicationState == .notRunning)
    let expiration = try #require(app.expirations.first)
    #expect(expiration.outcome == .leftOut(.processEnded) && expiration.calledAt == nil)
    #expect(expiration.due == .zero + .seconds(25) && expiration.instant == Self.late)
    #expect(
      expiration.description
        == "mail: handler of task 1 'upload' due at 25s, not called because its process had ended: timeLimit"
    )
    let end = try #require(app.processEnds.first)
    #expect(end.late == .milliseconds(16_600) && end.reason == .backgroundTaskAssertionTimeout)
    #expect(
      end.explanation.fact.owner == .host && end.explanation.others.map(\.key) == ["tasks.grant"])
    #expect(
      end.description.replacing(/ios13.yaml:\d+:\d+/, with: "ios13.yaml") == """
        mail: ended at 41.6s: backgroundTaskAssertionTimeout (0x2182bad2), left open: 'upload', because the host came 16.6s too late to warn \
        (no value says so), and tasks.grant is 30s (Policies/ios13.yaml, documented)
        """)
    #expect(
      end.explanation.remedy
        == "Keep the host's process running, or set 'tasks.whenLate' to extend.")
    let lateness = device.lateness
    #expect(
      lateness.warnings.count == 1 && lateness.warnings.max == .milliseconds(16_600)
        && lateness.firstLines.count == 0)
    #expect(lateness.missedHandlers == 1 && lateness.lateWarnedEnds == 1)
    device.close()
    #expect(log.lines == [])
  }

  @Test
  func
    `F6 where it extends, the handler was called then, and an end that came all the same says so too`()
    throws
  {
    let clock = StandingClock()
    let device = try device(clock)
    let log = Log()
    let app = uploading(device) { expiration in log.add("\(expiration)") }
    clock.goOn(at: Self.late)
    wait("not called") { app.expirations.first?.calledAt != nil }
    let expiration = try #require(app.expirations.first)
    #expect(expiration.outcome == .called(at: Self.late) && app.applicationState == .background)
    #expect(
      expiration.description
        == "mail: handler of task 1 'upload' called at 41.6s, due at 25s: timeLimit")
    wait("not told") { log.lines == [expiration.description] }
    clock.goOn(at: Self.late + .seconds(5))
    let end = try #require(app.processEnds.first)
    #expect(end.late == .milliseconds(16_600) && end.instant == Self.late + .seconds(5))
    #expect(end.explanation.remedy == "Keep the host's process running.")
    let lateness = device.lateness
    #expect(
      lateness.warnings.max == .milliseconds(16_600)
        && lateness.firstLines.max == .milliseconds(16_600))
    #expect(lateness.missedHandlers == 0 && lateness.lateWarnedEnds == 1)
  }

  @Test
  func
    `a warning that waits for a busy app is missed at the grant's end, and is not the device's lateness`()
    throws
  {
    let clock = StandingClock()
    let device = try device(clock)
    let gate = DispatchSemaphore(value: 0)
    let app = uploading(device) { _ in gate.wait() }
    _ = app.beginBackgroundTask(withName: "second") { Issue.record("called") }
    _ = app.beginBackgroundTask(withName: "without")
    clock.goOn(at: .zero + .seconds(26))
    wait("not called") { app.expirations.first?.calledAt != nil }
    clock.goOn(at: .zero + .seconds(30))
    let lateness = device.lateness
    #expect(lateness.warnings.buckets.map(\.count) == [1] && lateness.warnings.max == .seconds(1))
    #expect(
      lateness.missedHandlers == 1 && lateness.lateWarnedEnds == 0 && app.processEnds.count == 1)
    gate.signal()
  }

  @Test func `W6 a wake's handler counts as well, and its end has the lateness too`() throws {
    let clock = StandingClock()
    var policy = PolicyFile.ios13
    try policy.set("wakes.remoteNotification.warning", "5s")
    let device = Device(policy: policy, clock: .realTime(clock))
    let delegate = WarnedDelegate()
    let app = device.register(
      "mail", manifest: AppManifest(backgroundModes: .remoteNotification), delegate: delegate)
    app.deliver(.remoteNotification)
    wait("no wake") { delegate.log.lines == ["wake"] && app.isQuietInBackground }
    clock.goOn(at: .zero + .seconds(26))
    wait("not warned") { device.lateness.firstLines.count == 1 }
    #expect(
      device.lateness.warnings.max == .seconds(1) && device.lateness.firstLines.max == .seconds(1))
    clock.goOn(at: .zero + .seconds(30))
    wait("no end") { app.processEnds.count == 1 }
    app.deliver(.remoteNotification)
    wait("no second wake") {
      delegate.log.lines == ["wake", "warned", "wake"] && app.isQuietInBackground
    }
    clock.goOn(at: .zero + .seconds(67))
    let end = try #require(app.processEnds.last)
    #expect(app.processEnds.map(\.late) == [nil, .seconds(12)] && end.kind == .remoteNotification)
    #expect(
      end.because.hasPrefix(
        "the host came 12s too late to warn (no value says so), and wakes.remoteNotification.length is 30s"
      ))
    wait("not missed") { device.lateness.missedHandlers == 1 }
    #expect(device.lateness.lateWarnedEnds == 1 && delegate.log.lines.count == 3)
  }

  @Test func `on a virtual clock nothing is late`() {
    let device = Device(policy: .ios13)
    let app = device.register("mail")
    app.launch()
    _ = app.beginBackgroundTask { device.advance(by: .seconds(2)) }
    _ = app.beginBackgroundTask {}
    device.home()
    device.advance(by: .seconds(60))
    #expect(device.counts.handlersCalled == 2 && device.lateness == DeviceLateness())
  }

  @Test func `a host in time reports no lateness, and its handler is called when it begins`()
    throws
  {
    let clock = StandingClock()
    let executor = Held()
    let device = try device(clock, executor: executor)
    let app = device.register("mail")
    app.launch()
    executor.release { app.applicationState == .active }
    _ = app.beginBackgroundTask(withName: "upload") {}
    app.home()
    executor.release { app.isQuietInBackground }
    clock.goOn(at: .zero + .seconds(25))
    #expect(app.expirations.map(\.outcome) == [.waiting])
    #expect(
      app.expirations.first?.description
        == "mail: handler of task 1 'upload' due at 25s, not called yet: timeLimit")
    clock.goOn(at: .zero + .seconds(27))
    executor.release { app.expirations.first?.calledAt != nil }
    #expect(app.expirations.map(\.outcome) == [.called(at: .zero + .seconds(27))])
    clock.goOn(at: .zero + .seconds(100))
    let end = try #require(app.processEnds.first)
    #expect(end.late == nil && end.because.hasPrefix("tasks.grant is 30s"))
  }

  @Test(arguments: [Expiration.Cause.taskEnded, .processEnded, .deviceClosed])
  func
    `a handler that waits for a thread is left out as soon as there is no more reason to call it`(
      cause: Expiration.Cause
    ) throws
  {
    let clock = StandingClock()
    let executor = Held()
    let device = try device(clock, executor: executor)
    let app = device.register("mail")
    app.launch()
    executor.release { app.applicationState == .active }
    let task = app.beginBackgroundTask(withName: "upload") { Issue.record("called") }
    app.home()
    executor.release { app.isQuietInBackground }
    clock.goOn(at: .zero + .seconds(25))
    switch cause {
    case .taskEnded: app.endBackgroundTask(task)
    case .processEnded: app.crash()
    case .deviceClosed: device.close()
    }
    #expect(app.expirations.map(\.outcome) == [.leftOut(cause)])
    executor.release { device.counts.skippedHandlers == 1 }
    #expect(
      app.expirations.map(\.outcome) == [.leftOut(cause)] && device.counts.handlersCalled == 0)
  }
}

extension LateHostTests {
  /// A wake of 30 s that its app holds and of which it is warned after 25 s.
  private func woken(_ delegate: WarnedDelegate, _ clock: StandingClock, _ executor: Held) throws
    -> (device: Device, app: App)
  {
    var policy = PolicyFile.ios13
    try policy.set("wakes.remoteNotification.warning", "5s")
    let device = Device(policy: policy, clock: .realTime(clock), executor: executor)
    let app = device.register(
      "mail", manifest: AppManifest(backgroundModes: .remoteNotification), delegate: delegate)
    app.deliver(.remoteNotification)
    executor.release { delegate.log.lines == ["wake"] }
    return (device, app)
  }

  @Test
  func
    `W6 a wake's handler that waits for a thread is not called when the wake has been completed`()
    throws
  {
    let (clock, executor, delegate) = (StandingClock(), Held(), WarnedDelegate())
    let (device, app) = try woken(delegate, clock, executor)
    clock.goOn(at: .zero + .seconds(25))
    #expect(delegate.wake?.complete() == true)
    executor.release { app.applicationState == .suspended }
    #expect(delegate.log.lines == ["wake"] && device.lateness.firstLines.count == 0)
  }
}

/// An executor that runs nothing until it is allowed to.
private final class Held: HandlerExecutor, @unchecked Sendable {
  private let lock = NSLock()
  private var work: [@Sendable () -> Void] = []

  func execute(_ work: @escaping @Sendable () -> Void) { lock.withLock { self.work.append(work) } }

  /// Runs the queued work on this thread until the condition holds.
  func release(_ isDone: () -> Bool) {
    wait("not done") {
      let work = lock.withLock {
        defer { self.work = [] }
        return self.work
      }
      for work in work { work() }
      return isDone()
    }
  }
}

/// An app that is warned before its wakes end, and lets them overrun.
private final class WarnedDelegate: AppDelegate, @unchecked Sendable {
  let log = Log()
  /// The last wake.
  var wake: Wake?

  func application(_ app: App, didReceive wake: Wake) {
    self.wake = wake
    wake.expirationHandler = { [log] in log.add("warned") }
    log.add("wake")
  }
}
