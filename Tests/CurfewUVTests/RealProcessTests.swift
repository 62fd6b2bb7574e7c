#if os(Linux)
  import Curfew
  import CurfewUV
  import Foundation
  import TestRuns
  import TestSupport
  import Testing

  extension RealTimeTests {
    /// Real processes behind apps: a `sleep` for each, stopped and continued by signals.
    /// `CURFEW_RUNS=200` runs 10,000 rounds and 20 times 1,000 wakes.
    @Suite struct RealProcessTests {
      private static let runs = Campaign.runs(8)

      private func policy() throws -> PolicyFile {
        let text = """
          curfew: policy/1
          name: governed
          extends: ios13
          foreground: unlimited
          wakes: {timer: {start: event, mode: none, length: 600s, overrun: drop}}

          """
        return try .decode(SourceFile(name: "governed.yaml", bytes: Array(text.utf8)))
      }

      private func wait(_ what: Comment, _ isDone: () -> Bool) {
        let end = Date() + 30
        while !isDone() {
          if Date() > end { return _ = Issue.record(what) }
          usleep(50)
        }
      }

      @Test func `A6 no callback runs while its process is stopped`() throws {
        let device = Device(policy: try policy(), clock: .realTime(try UVClock()))
        let governed = try Governed()
        let app = device.register("mail", delegate: governed, process: governed)
        var random = SeededGenerator(seed: 35)
        app.launch()
        wait("no launch") { app.applicationState == .active }
        for round in 0..<50 * Self.runs {
          app.home()
          usleep(UInt32(random.below(2_000)))
          if round % 20 == 0 {
            wait("not stopped") { app.applicationState == .suspended && governed.isStopped }
          }
          app.launch()
          wait("no return") { app.applicationState == .active }
        }
        app.home()
        wait("not stopped") { app.applicationState == .suspended && governed.isStopped }
        wait("a stop or a continuation is missing") { governed.facts.isAlternating }
        let facts = governed.facts
        #expect(facts.callsWhileStopped == 0 && facts.calls >= 200 * Self.runs)
        #expect(facts.stops >= 2)
        app.forceQuit()
        wait("no end") { governed.facts.ends == 1 }
        device.close()
      }

      @Test func `A6 no wake is delivered to a process that is stopped`() throws {
        let device = Device(
          policy: try policy(), clock: .realTime(try UVClock()), facts: DeviceFacts(memory: 1 << 50)
        )
        let governed = try (0..<20).map { _ in try Governed() }
        let apps = governed.enumerated().map { number, governed in
          device.register("app\(number)", delegate: governed, process: governed)
        }
        for app in apps {
          app.launch()
          wait("no launch") { app.applicationState == .active }
          app.home()
        }
        for round in 1...5 * Self.runs {
          for app in apps { app.deliver("timer") }
          wait("a wake is lost") { governed.allSatisfy { $0.facts.wakes == round } }
          guard round % 20 == 0 || round == 5 * Self.runs else { continue }
          wait("not stopped") {
            apps.allSatisfy { $0.applicationState == .suspended }
              && governed.allSatisfy(\.isStopped)
          }
        }
        #expect(governed.allSatisfy { $0.facts.callsWhileStopped == 0 && $0.facts.stops > 1 })
        device.close()
      }

      /// The reason for `ProcessHost`: the lines of `actions()` are read after the callbacks that
      /// followed them, on a virtual clock always.
      @Test(arguments: [true, false])
      func `A6 the stream of actions stops and continues a process too late`(isStream: Bool)
        async throws
      {
        let rounds = 100
        let device = Device(policy: try policy())
        let governed = try Governed()
        let app = device.register("mail", delegate: governed, process: isStream ? nil : governed)
        var lines = device.actions().makeAsyncIterator()
        app.launch()
        app.home()
        for _ in 0..<rounds {
          if isStream { await governed.follow(&lines) }
          #expect(governed.isStopped)
          app.deliver("timer")
        }
        #expect(governed.facts.wakes == rounds)
        #expect(governed.facts.callsWhileStopped == (isStream ? rounds : 0))
        // The reader is late by one round: it stops an app that is in front.
        if isStream { await governed.follow(&lines) }
        app.launch()
        app.home()
        app.launch()
        if isStream { await governed.follow(&lines) }
        #expect(app.applicationState == .active && governed.isStopped == isStream)
        device.close()
      }
    }
  }

  /// A real process and its app. Each callback looks whether the process is stopped.
  private final class Governed: AppDelegate, ProcessHost, @unchecked Sendable {
    struct Facts {
      var calls = 0
      var callsWhileStopped = 0
      var wakes = 0
      var stops = 0
      var continuations = 0
      var ends = 0

      /// Whether each stop but the last was followed by a continuation. The last is counted after
      /// the process has stopped.
      var isAlternating: Bool { stops == continuations + 1 }
    }

    private var child: pid_t = 0
    private let lock = NSLock()
    private var noted = Facts()

    var facts: Facts { lock.withLock { noted } }

    init() throws {
      var words: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("1000"), nil]
      defer { for word in words { free(word) } }
      let code = posix_spawn(&child, "/bin/sleep", nil, nil, &words, nil)
      if code != 0 { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
    }

    deinit {
      kill(child, SIGKILL)
      waitpid(child, nil, 0)
    }

    /// Whether the kernel says that the process is stopped.
    var isStopped: Bool {
      guard let file = fopen("/proc/\(child)/stat", "r") else { return false }
      defer { fclose(file) }
      var bytes = [UInt8](repeating: 0, count: 128)
      let count = fread(&bytes, 1, bytes.count, file)
      return String(decoding: bytes[..<count], as: UTF8.self).contains(") T ")
    }

    private func note(_ change: (inout Facts) -> Void) { lock.withLock { change(&noted) } }

    /// Returns when the process is stopped.
    private func stop() {
      kill(child, SIGSTOP)
      waitpid(child, nil, WUNTRACED)
    }

    func suspend(_ app: App) {
      stop()
      note { $0.stops += 1 }
    }

    func resume(_ app: App) {
      kill(child, SIGCONT)
      note { $0.continuations += 1 }
    }

    func end(_ app: App, _ end: ProcessEnd) { note { $0.ends += 1 } }

    /// Does as the lines say, up to the next suspension.
    func follow(_ lines: inout AsyncStream<TraceLine>.AsyncIterator) async {
      while let line = await lines.next() {
        switch line.body {
        case .state(_, to: .suspended): return stop()
        case .state(.suspended, to: _): kill(child, SIGCONT)
        default: break
        }
      }
    }

    private func look() {
      let isStopped = isStopped
      note {
        $0.calls += 1
        if isStopped { $0.callsWhileStopped += 1 }
      }
    }

    func applicationDidBecomeActive(_ app: App) { look() }
    func applicationWillResignActive(_ app: App) { look() }
    func applicationDidEnterBackground(_ app: App) { look() }
    func applicationWillEnterForeground(_ app: App) { look() }
    func application(_ app: App, didReceive wake: Wake) {
      look()
      note { $0.wakes += 1 }
      wake.complete(.newData)
    }
  }
#endif
