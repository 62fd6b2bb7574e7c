#if os(Linux)
  import TestRuns
  import Curfew
  import CurfewEngine
  import CurfewUV
  import Foundation
  import Testing

  /// Handlers on the loop's own threads: the leader calls them; a leader whose call takes long
  /// is replaced.
  @Suite(.inTurn) struct LoopCrewTests {
    private final class Records: @unchecked Sendable {
      private let lock = NSLock()
      private var threads: [String] = []
      private var instants: [Duration] = []

      func note(_ lateness: Interval) {
        let name = Thread.current.name ?? ""
        lock.withLock {
          threads.append(name)
          instants.append(.nanoseconds(lateness.nanoseconds))
        }
      }

      var count: Int { lock.withLock { threads.count } }
      var byLoop: Int { lock.withLock { threads.count { $0 == "curfew.loop" } } }
      var early: Int { lock.withLock { instants.count { $0 < .zero } } }
    }

    /// Apps are warned after five seconds and ended long after. At a scale of a hundredth, this
    /// leaves three seconds to start threads on a busy machine.
    private static func policy(grant: String = "300s", warning: String = "295s") throws
      -> PolicyFile
    {
      let text =
        "curfew: policy/1\nname: crowded\nextends: ios13\nforeground: unlimited\nlimits: {launch: 600s, didEnterBackground: 600s}\n"
        + "tasks: {grant: \(grant), grantAfterWake: \(grant), warning: \(warning)}\n"
      return try PolicyFile.decode(SourceFile(name: "crowded.yaml", bytes: Array(text.utf8)))
    }

    private func wait(_ what: Comment, _ isDone: () -> Bool) {
      let end = Date() + 30
      while !isDone() {
        guard Date() < end else {
          Issue.record(what)
          return
        }
        Thread.sleep(forTimeInterval: 0.001)
      }
    }

    /// Apps in the background, each with a task. The warnings of the tasks come one after another.
    private func apps(
      _ count: Int, on device: Device, _ handler: @escaping @Sendable (App, Expiration) -> Void
    ) -> [App] {
      let apps = (0..<count).map { device.register("app\($0)") }
      for app in apps {
        app.launch()
        _ = app.beginBackgroundTask { handler(app, $0) }
        app.home()
      }
      return apps
    }

    @Test func `C3 most handlers of warnings run on the loop's thread, none early, each once`()
      throws
    {
      let clock = try UVClock(scale: TimeScale("0.01")!)
      let device = Device(
        policy: try Self.policy(), clock: .realTime(clock), facts: DeviceFacts(memory: 1 << 50))
      let records = Records()
      _ = apps(200, on: device) { app, expiration in
        records.note(device.now - expiration.due)
        app.endBackgroundTask(expiration.identifier)
      }
      wait("not all are called") { records.count == 200 }
      device.close()
      #expect(records.byLoop > 0 && records.early == 0)
      #expect(device.counts.handlersCalled == 200)
    }

    @Test func `the program's executor gets every handler`() throws {
      let clock = try UVClock(scale: TimeScale("0.01")!)
      let device = Device(
        policy: try Self.policy(), clock: .realTime(clock), facts: DeviceFacts(memory: 1 << 50),
        executor: HandlerThreads())
      let records = Records()
      _ = apps(50, on: device) { app, expiration in
        records.note(device.now - expiration.due)
        app.endBackgroundTask(expiration.identifier)
      }
      wait("not all are called") { records.count == 50 }
      device.close()
      #expect(records.byLoop == 0)
    }

    @Test(arguments: Campaign.some(1, of: [5, 1, 20]))
    func `handlers that block delay no others`(_ blocking: Int) throws {
      // The apps are ended four seconds after the warning, which leaves time to start threads for
      // the others on a busy machine.
      let clock = try UVClock(scale: TimeScale("0.1")!)
      let device = Device(
        policy: try Self.policy(grant: "50s", warning: "40s"), clock: .realTime(clock),
        facts: DeviceFacts(memory: 1 << 50))
      let (gate, records) = (DispatchSemaphore(value: 0), Records())
      let names = Set((0..<blocking).map { "app\($0 * 2)" })
      let apps = apps(60, on: device) { app, expiration in
        if names.contains(app.name) { gate.wait() }
        records.note(device.now - expiration.due)
        app.endBackgroundTask(expiration.identifier)
      }
      wait("the others are not called") { records.count == 60 - blocking }
      // The apps that block are terminated at the end of their grants, on time.
      wait("no kills") {
        apps.count { $0.processEnds.last?.reason == .backgroundTaskAssertionTimeout } == blocking
      }
      for _ in 0..<blocking { gate.signal() }
      wait("they never return") { records.count == 60 }
      #expect(records.early == 0)
      device.close()
    }

    @Test func `a handler that blocks after quick ones delays no other`() throws {
      // The deputy's timer was left for the quick ones, a little after their deadlines.
      let clock = try UVClock(scale: TimeScale("0.01")!)
      let device = Device(policy: try Self.policy(), clock: .realTime(clock))
      let (gate, records) = (DispatchSemaphore(value: 0), Records())
      _ = apps(8, on: device) { app, expiration in
        if app.name == "app3" { gate.wait() }
        records.note(device.now - expiration.due)
        app.endBackgroundTask(expiration.identifier)
      }
      wait("the others are not called") { records.count == 7 }
      #expect(records.early == 0)
      gate.signal()
      device.close()
    }

    @Test func `a loop ends although a clock is set to a later instant meanwhile`() throws {
      for round in 0..<300 {
        let loop = try UVLoop()
        let clock = try UVClock(loop)
        let handled = TickCounter()
        clock.start { [weak clock] in
          guard let clock else { return }
          clock.arm(.zero + .seconds(3_600))
          // False until the deputy waits. After this work, the deputy's timer is left for
          // the next instant of the clock.
          if !clock.runAfterTick({ handled.add() }) { clock.arm(.zero) }
        }
        clock.arm(.zero)
        try #require(handled.reaches(1))
        clock.arm(.zero + .seconds(1_800))
        let closing = TestThread { loop.close() }
        // The deputy has to end even if its timer was about to be moved.
        let instant = clock.now() + Interval(nanoseconds: Int64(round) * 1_000)
        while clock.now() < instant {}
        clock.arm(.zero + .seconds(7_200))
        try #require(closing.ends())
      }
    }

    @Test func `warnings of jobs run on the loop's thread too`() async throws {
      let device = Device(policy: .server, clock: .realTime(try UVClock()))
      let records = Records()
      await withTaskGroup(of: Void.self) { group in
        for number in 1...50 {
          group.addTask {
            let (length, left) = (Duration.seconds(60), Duration.milliseconds(100 + 4 * number))
            try? await device.withGrant(
              length, warning: length - left, onWarning: { records.note(.zero) }
            ) { try await Task.sleep(for: length) }
          }
        }
      }
      device.close()
      #expect(records.count == 50 && records.byLoop > 0)
    }

    @Test
    func
      `a device may be closed by a handler on the loop's thread, and while one is running there`()
      throws
    {
      for closesInside in [true, false] {
        let clock = try UVClock(scale: TimeScale("0.01")!)
        let device = Device(policy: try Self.policy(), clock: .realTime(clock))
        let (reached, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        _ = apps(1, on: device) { _, _ in
          if closesInside { device.close() }
          reached.signal()
          gate.wait()
        }
        reached.wait()
        device.close()
        #expect(device.app(named: "app0")?.beginBackgroundTask() == .invalid)
        gate.signal()
      }
    }

    @Test func `an earlier deadline that is set while a handler runs on the loop's thread is kept`()
      throws
    {
      let clock = try UVClock(scale: TimeScale("0.01")!)
      let device = Device(policy: try Self.policy(), clock: .realTime(clock))
      let (reached, gate, called) = (
        DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
      )
      _ = apps(1, on: device) { _, _ in
        reached.signal()
        gate.wait()
      }
      reached.wait()
      let other = device.register("other")
      other.launch()
      wait("no launch") { other.applicationState == .active }
      _ = other.beginBackgroundTask { called.signal() }
      other.home()
      #expect(called.wait(timeout: .now() + 20) == .success)
      gate.signal()
      device.close()
    }

    @Test func `clocks that share a loop keep their times while one handler blocks`() throws {
      let loop = try UVLoop()
      let devices = try (0..<3).map { number in
        let clock = try UVClock(
          loop, source: number == 1 ? .boottime : .monotonic, timer: number == 2 ? .uvTimer : .best,
          scale: TimeScale("0.01")!)
        return Device(policy: try Self.policy(), clock: .realTime(clock))
      }
      let (gate, records) = (DispatchSemaphore(value: 0), Records())
      _ = apps(1, on: devices[0]) { _, _ in gate.wait() }
      Thread.sleep(forTimeInterval: 0.05)
      for device in devices.dropFirst() {
        _ = apps(5, on: device) { app, expiration in
          records.note(device.now - expiration.due)
          app.endBackgroundTask(expiration.identifier)
        }
      }
      wait("not all are called") { records.count == 10 }
      #expect(records.early == 0)
      gate.signal()
      for device in devices { device.close() }
      loop.close()
    }

    @Test func `no thread of a loop handles a signal of the program`() throws {
      let clock = try UVClock(scale: TimeScale("0.01")!)
      let device = Device(policy: try Self.policy(), clock: .realTime(clock))
      let blocked = Records()
      _ = apps(1, on: device) { _, _ in
        var mask = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &mask)
        if [SIGINT, SIGTERM, SIGUSR1].allSatisfy({ sigismember(&mask, $0) == 1 }) {
          blocked.note(.zero)
        }
      }
      wait("a signal would be taken") { blocked.count == 1 }
      device.close()
    }
  }
#endif
