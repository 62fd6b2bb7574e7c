import Curfew
import CurfewSystem
import CurfewTrace
import TestRuns
import TestSupport
import Testing

/// Grants for a server's jobs (rule W7), on a virtual clock.
@Suite(.inTurn) struct GrantTests {
  private struct Failure: Error {}

  private final class Notes: Sendable {
    private let lock = Lock()
    nonisolated(unsafe) private var instants: [Instant] = []

    func note(_ instant: Instant) { lock.withLock { instants.append(instant) } }

    var all: [Instant] { lock.withLock { instants } }
  }

  private func second(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }

  @Test func `a body that ends in time returns its result, and leaves nothing behind`()
    async throws
  {
    let device = Device(policy: .server)
    let running = try await device.withGrant(.seconds(30), warning: .seconds(5), named: "resize") {
      device.runningJobs
    }
    #expect(running.map(\.name) == ["resize"] && running.first?.grant == .seconds(30))
    #expect(running.first?.origin.fileID == "CurfewTests/GrantTests.swift")
    await #expect(throws: Failure.self) {
      try await device.withGrant(.seconds(30)) { throw Failure() }
    }
    device.advance(by: .seconds(60))
    #expect(device.runningJobs.isEmpty && device.overrunJobs.isEmpty && device.processEnds.isEmpty)
    #expect(device.apps.map(\.name) == ["resize", "job"])
    #expect(device.apps.map(\.applicationState) == [.suspended, .suspended])
  }

  @Test func `equal names of jobs do not interfere`() async throws {
    let device = Device(policy: .server)
    try await device.withGrant(.seconds(30), named: "worker") {
      try await device.withGrant(.seconds(30), named: "worker") {
        try await device.withGrant(.seconds(30), named: "worker 2") {
          #expect(device.runningJobs.map(\.app) == ["worker", "worker 2", "worker 2 2"])
        }
      }
    }
  }

  @Test func `a job is warned before its end, and may end within its grace`() async {
    let (device, gate, warnings) = (Device(policy: .server), Gate(), Notes())
    let job = Task {
      try await device.withGrant(
        .seconds(30), warning: .seconds(5), onWarning: { warnings.note(device.now) }
      ) {
        try await gate.obedientBody()
      }
    }
    await gate.waitForBody()
    device.advance(by: .nanoseconds(24_999_999_999))
    #expect(warnings.all.isEmpty && !job.isCancelled)
    device.advance(by: .nanoseconds(1))
    await #expect(throws: CancellationError.self) { try await job.value }
    device.advance(by: .seconds(30))
    #expect(
      warnings.all == [second(25)] && device.overrunJobs.isEmpty && device.processEnds.isEmpty)
  }

  @Test func `W7 a job that continues loses its grant, and is recorded until it really ends`()
    async throws
  {
    let (device, gate) = (Device(policy: .server), Gate())
    let job = Task {
      try await device.withGrant(.seconds(30), warning: .seconds(5), named: "stubborn") {
        await gate.stubbornBody()
      }
    }
    await gate.waitForBody()
    device.advance(by: .nanoseconds(29_999_999_999))
    #expect(device.runningJobs.map(\.name) == ["stubborn"] && device.overrunJobs.isEmpty)
    device.advance(by: .nanoseconds(1))
    // Its body has not ended, and nothing waits for it.
    let error = await #expect(throws: GrantExpiredError.self) { try await job.value }
    #expect(
      error?.job.name == "stubborn" && error?.job.expired == second(30) && error?.job.ended == nil)
    #expect(
      error.map { "\($0)" }?.hasPrefix(
        "'stubborn' outlived its grant of 30s (CurfewTests/GrantTests.swift:") == true)
    #expect(device.runningJobs.isEmpty && device.overrunJobs.map(\.origin) == [error?.job.origin])
    let end = try #require(device.processEnds.first)
    #expect(
      end.reason == .backgroundTaskAssertionTimeout && end.kind == "job" && end.app == "stubborn"
        && end.instant == second(30))
    // The row's length is not the limit that the job reached.
    #expect(end.because == "its delivery named a length of 30s (rule W7)")
    device.advance(by: .seconds(7))
    gate.open()
    while device.overrunJobs.first?.ended == nil { await Task.yield() }
    #expect(device.overrunJobs.first?.ended == second(37))
  }

  @Test func `W7 jobs do not share a clock`() async {
    let (device, first, second) = (Device(policy: .server), Gate(), Gate())
    let one = Task {
      try await device.withGrant(.seconds(30), warning: .zero) { await first.stubbornBody() }
    }
    await first.waitForBody()
    device.advance(by: .seconds(10))
    let other = Task {
      try await device.withGrant(.seconds(25), warning: .zero) { await second.stubbornBody() }
    }
    await second.waitForBody()
    #expect(device.runningJobs.map(\.app) == ["job", "job 2"])
    device.advance(by: .seconds(30))
    for job in [one, other] {
      await #expect(throws: GrantExpiredError.self) { try await job.value }
    }
    #expect(device.overrunJobs.map(\.app) == ["job", "job 2"])
    #expect(device.overrunJobs.map(\.expired) == [self.second(30), self.second(35)])
    first.open()
    second.open()
  }

  @Test func `places are reused`() async throws {
    let device = Device(policy: .server)
    for _ in 0..<100 { try await device.withGrant(.seconds(1)) {} }
    #expect(device.apps.count == 1 && device.counts.processEnds == 0)
    // Also jobs that have outlived their grants.
    let gate = Gate()
    let job = Task { try await device.withGrant(.seconds(1)) { await gate.stubbornBody() } }
    await gate.waitForBody()
    device.advance(by: .seconds(1))
    await #expect(throws: GrantExpiredError.self) { try await job.value }
    try await device.withGrant(.seconds(1)) {}
    #expect(device.apps.count == 1 && device.counts.processEnds == 1)
    gate.open()
  }

  @Test func `a server that drains denies new jobs, and lets running jobs finish`() async throws {
    let (device, gate) = (Device(policy: .server), Gate())
    let job = Task { try await device.withGrant(.seconds(30)) { try await gate.obedientBody() } }
    await gate.waitForBody()
    device.setFact("draining", to: true)
    let denied = await #expect(throws: GrantDeniedError.self) {
      try await device.withGrant(.seconds(30), named: "late") {
        Issue.record("The body of a job that was denied")
      }
    }
    #expect(denied?.decision?.reasons.names == ["draining"])
    #expect(
      denied?.description.hasPrefix(
        "'late' was denied: draining because wakes.job.blockedBy is draining") == true)
    gate.open()
    try await job.value
    device.setFact("draining", to: false)
    try await device.withGrant(.seconds(30), named: "late") {}
    #expect(device.overrunJobs.isEmpty)
  }

  @Test(arguments: ["caller", "close", "reboot"])
  func `a job is cancelled with its caller, and when its grant is taken away`(_ end: String) async {
    let (device, gate) = (Device(policy: .server), Gate())
    let job = Task { try await device.withGrant(.seconds(30)) { try await gate.obedientBody() } }
    await gate.waitForBody()
    switch end {
    case "caller": job.cancel()
    case "close": device.close()
    default: device.reboot()
    }
    await #expect(throws: CancellationError.self) { try await job.value }
    #expect(device.runningJobs.isEmpty && device.overrunJobs.isEmpty)
  }

  @Test func `a closed device grants nothing`() async {
    let device = Device(policy: .server)
    device.close()
    let denied = await #expect(throws: GrantDeniedError.self) {
      try await device.withGrant(.seconds(30)) {}
    }
    #expect(
      denied?.decision == nil && denied?.description == "'job' was denied: the device is closed")
  }

  @Test func `W7 a row has the maximum for a job, and the effect of an overrun`()
    async throws
  {
    let gate = Gate()
    let device = Device(policy: try policy(GrantTests.short))
    let job = Task {
      try await device.withGrant(.seconds(30), kind: "job") { await gate.stubbornBody() }
    }
    await gate.waitForBody()
    device.advance(by: .seconds(10))
    await #expect(throws: GrantExpiredError.self) { try await job.value }
    // The grant is dropped: the process lives on.
    #expect(device.overrunJobs.first?.expired == second(10) && device.processEnds.isEmpty)
    gate.open()
  }

  private static let short = """
    curfew: policy/1
    name: short
    extends: ios13
    wakes:
      job: {mode: none, relaunches: true, survivesForceQuit: true, length: 10s, warning: 2s, overrun: drop, confidence: assumed}
    """

  @Test func `a recording replays`() async throws {
    let (device, gate) = (Device(policy: .server), Gate())
    device.startRecording()
    try await device.withGrant(.seconds(3), named: "quick") {}
    let job = Task {
      try await device.withGrant(.milliseconds(12_500), warning: .milliseconds(1500), named: "slow")
      { await gate.stubbornBody() }
    }
    await gate.waitForBody()
    device.advance(by: .seconds(20))
    await #expect(throws: GrantExpiredError.self) { try await job.value }
    gate.open()
    let trace = device.recordedTrace(name: "jobs")
    #expect(try Replay.run(trace, under: .server) == nil)
    let text = trace.lines.map(\.description).joined(separator: "\n")
    #expect(text.contains(#""kind":"job","length":"12500ms","warning":"1500ms""#), "\(text)")
    #expect(
      text.contains(
        #"{"t":11000000000,"app":"slow","type":"wake","kind":"job","wake":1,"event":"warning"}"#),
      "\(text)")
  }

  @Test func `a hundred idle apps keep their state`() {
    let device = Device(policy: .server)
    let apps = (0..<100).map { device.register("service \($0)") }
    for app in apps { app.launch() }
    #expect(apps.allSatisfy { $0.applicationState == .active })
    for app in apps { app.home() }
    device.advance(by: .seconds(3600))
    #expect(apps.allSatisfy { $0.applicationState == .suspended } && device.processEnds.isEmpty)
  }

  @Test func `a job's grant and warning are checked`() async {
    await #expect(processExitsWith: .failure) {
      try await Device(policy: .server).withGrant(.zero) {}
    }
    await #expect(processExitsWith: .failure) {
      try await Device(policy: .server).withGrant(.seconds(1), warning: .seconds(1)) {}
    }
    await #expect(processExitsWith: .failure) {
      try await Device(policy: .server).withGrant(.seconds(1), warning: .seconds(-1)) {}
    }
    await #expect(processExitsWith: .failure) {
      try await Device(policy: .ios13).withGrant(.seconds(1)) {}
    }
  }
}
