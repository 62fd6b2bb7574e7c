import Curfew
import TestRuns
import Testing

/// The counts of jobs, the lateness of the ends of their grants, and the wait for the last job
/// (rule W7).
@Suite(.inTurn) struct JobCountTests {
  private struct Failure: Error {}

  @Test func `every job is counted once, by its outcome`() async throws {
    let device = Device(policy: .server)
    let (obedient, stubborn, last) = (Gate(), Gate(), Gate())
    try await device.withGrant(.seconds(30)) {}
    await #expect(throws: Failure.self) {
      try await device.withGrant(.seconds(30)) { throw Failure() }
    }
    let warned = Task {
      try await device.withGrant(.seconds(30), warning: .seconds(5)) {
        try await obedient.obedientBody()
      }
    }
    let expired = Task {
      try await device.withGrant(.seconds(30), warning: .seconds(5)) {
        await stubborn.stubbornBody()
      }
    }
    await obedient.waitForBody()
    await stubborn.waitForBody()
    #expect(device.counts.jobsAdmitted == 4 && device.counts.jobsRunning == 2)
    device.advance(by: .seconds(25))
    await #expect(throws: CancellationError.self) { try await warned.value }
    device.advance(by: .seconds(5))
    await #expect(throws: GrantExpiredError.self) { try await expired.value }
    #expect(
      device.counts.jobsFinished == 3 && device.counts.jobsWarned == 2
        && device.counts.jobsExpired == 1 && device.counts.jobsOutlived == 0)
    #expect(device.counts.expirations == 2 && device.counts.handlersCalled == 2)
    stubborn.open()
    await eventually("the body's end") { device.counts.jobsOutlived == 1 }
    let revoked = Task {
      try await device.withGrant(.seconds(30)) { try await last.obedientBody() }
    }
    await last.waitForBody()
    device.close()
    await #expect(throws: CancellationError.self) { try await revoked.value }
    let counts = device.counts
    #expect(
      counts.jobsAdmitted == 5 && counts.jobsRevoked == 1 && counts.jobsRunning == 0
        && counts.jobsFinished == 3 && counts.jobsExpired == 1)
    #expect(device.lateness == DeviceLateness(), "a virtual clock is never late")
  }

  @Test func `denied jobs are counted by the reason that the error states`() async throws {
    let device = Device(policy: .server)
    device.setFact("draining", to: true)
    for _ in 0..<2 {
      let denied = await #expect(throws: GrantDeniedError.self) {
        try await device.withGrant(.seconds(30)) {}
      }
      #expect(denied?.reason == "draining" && denied.map { "\($0)" }?.contains("wakes.job") == true)
    }
    device.close()
    let denied = await #expect(throws: GrantDeniedError.self) {
      try await device.withGrant(.seconds(30)) {}
    }
    #expect(denied?.reason == "closed")
    let counts = device.counts
    #expect(
      counts.jobsDenied == 3 && counts.jobDenialReasons == ["closed", "draining"]
        && counts.jobsDenied(for: "draining") == 2 && counts.jobsDenied(for: "closed") == 1
        && counts.jobsDenied(for: "budget") == 0 && counts.jobsAdmitted == 0)
  }

  /// A grant of 30 s that ends when the clock is read at 30.4 s, and a body that returns at 31 s.
  @Test(arguments: [0, 5])
  func `the end of a grant has a lateness, with and without a warning`(warning: Int) async throws {
    let (clock, gate) = (StandingClock(), Gate())
    let device = Device(policy: .server, clock: .realTime(clock))
    let job = Task {
      try await device.withGrant(.seconds(30), warning: .seconds(warning)) {
        await gate.stubbornBody()
      }
    }
    await gate.waitForBody()
    if warning > 0 {
      clock.goOn(at: .zero + .milliseconds(25_100))
      await eventually("the warning") { device.counts.handlersCalled == 1 }
      #expect(device.lateness.jobEnds == DeviceLateness.JobEnds())
    }
    clock.goOn(at: .zero + .milliseconds(30_400))
    await #expect(throws: GrantExpiredError.self) { try await job.value }
    let ends = device.lateness.jobEnds
    #expect(ends.cancelled.count == 1 && ends.cancelled.max == .milliseconds(400))
    #expect(ends.bodyReturned.count == 0)
    clock.goOn(at: .zero + .seconds(31))
    gate.open()
    await eventually("the body's end") { device.counts.jobsOutlived == 1 }
    let lateness = device.lateness
    #expect(
      lateness.jobEnds.bodyReturned.count == 1 && lateness.jobEnds.bodyReturned.max == .seconds(1))
    // The cancellation, at the warning or at the end, is the job's expiration handler.
    let late = Duration.milliseconds(warning > 0 ? 100 : 400)
    #expect(lateness.warnings.count == 1 && lateness.warnings.max == late)
    #expect(lateness.firstLines.count == 1 && lateness.firstLines.max == late)
    #expect(
      device.counts.expirations == 1 && device.counts.handlersCalled == 1
        && device.counts.jobsWarned == (warning > 0 ? 1 : 0))
    device.close()
  }

  @Test func `W7 the policy's maximum decides when a grant is due to end`() async throws {
    let (clock, gate) = (StandingClock(), Gate())
    var policy = PolicyFile.server
    try policy.set("wakes.job.length", "10s")
    let device = Device(policy: policy, clock: .realTime(clock))
    let job = Task { try await device.withGrant(.seconds(30)) { await gate.stubbornBody() } }
    await gate.waitForBody()
    clock.goOn(at: .zero + .milliseconds(10_250))
    await #expect(throws: GrantExpiredError.self) { try await job.value }
    #expect(device.lateness.jobEnds.cancelled.max == .milliseconds(250))
    gate.open()
    await eventually("the body's end") { device.counts.jobsOutlived == 1 }
    device.close()
  }

  @Test func `a device is drained when its last job is over`() async throws {
    let (device, first, second) = (Device(policy: .server), Gate(), Gate())
    await device.drained()
    let jobs = [first, second].map { gate in
      Task { try await device.withGrant(.seconds(30)) { await gate.stubbornBody() } }
    }
    await first.waitForBody()
    await second.waitForBody()
    device.setFact("draining", to: true)
    let log = Log()
    let draining = Task {
      await device.drained()
      log.add("drained")
    }
    await #expect(throws: GrantDeniedError.self) { try await device.withGrant(.seconds(1)) {} }
    first.open()
    try await jobs[0].value
    #expect(log.lines.isEmpty && device.counts.jobsRunning == 1)
    // The second job outlives its grant; nothing waits for its body.
    device.advance(by: .seconds(30))
    await draining.value
    #expect(log.lines == ["drained"] && device.runningJobs.isEmpty)
    await #expect(throws: GrantExpiredError.self) { try await jobs[1].value }
    second.open()
  }

  @Test(arguments: ["caller", "close", "reboot"])
  func `a wait for the last job ends early`(by cause: String) async {
    let (device, gate) = (Device(policy: .server), Gate())
    let job = Task { try await device.withGrant(.seconds(30)) { try await gate.obedientBody() } }
    await gate.waitForBody()
    let draining = Task { await device.drained() }
    switch cause {
    case "caller": draining.cancel()
    case "close": device.close()
    default: device.reboot()
    }
    await draining.value
    #expect(device.counts.jobsRunning == (cause == "caller" ? 1 : 0))
    job.cancel()
    await #expect(throws: CancellationError.self) { try await job.value }
  }
}
