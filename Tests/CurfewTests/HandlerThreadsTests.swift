import Curfew
import CurfewSystem
import Foundation
import TestRuns
import Testing

@Suite(.inTurn) struct HandlerThreadsTests {
  /// A system that gives a limited number of threads, then none until `give` is called.
  private final class MeanSystem: @unchecked Sendable {
    private let lock = NSLock()
    private var left: Int
    private var asked = 0

    init(threads: Int) { left = threads }

    var refusals: Int { lock.withLock { asked } }

    func give(_ threads: Int) { lock.withLock { left = threads } }

    var start: ThreadStart {
      ThreadStart { name, body in
        let isGiven = self.lock.withLock {
          self.left -= 1
          if self.left < 0 { self.asked += 1 }
          return self.left >= 0
        }
        return isGiven ? ThreadStart.system.start(name, body) : EAGAIN
      }
    }
  }

  private func threads(
    limit: Int = 4, abandonedLimit: Int = 0, _ system: MeanSystem, told: Counter = Counter(),
    failures: Counter = Counter()
  ) -> HandlerThreads {
    HandlerThreads(
      limit: limit, abandonedLimit: abandonedLimit, name: "test.handler", start: system.start,
      eager: 1
    ) {
      told.add($0)
    } onThreadFailure: {
      failures.add(Int($0))
    }
  }

  @Test func `a full pool is named as a HandlerThreads, whose limit the program can change`() {
    #expect(
      HandlerThreads.exhaustion(1)
        == "handlers block the only thread of a HandlerThreads; other handlers wait until one returns, or use a greater 'limit'"
    )
    #expect(HandlerThreads.exhaustion(64).hasPrefix("handlers block all 64 threads of a Handler"))
  }

  @Test func `a problem is told to a user who cannot change the threads without their type`() {
    let problems: [HandlerThreadProblem] = [
      .handlersBlock(1), .handlersBlock(64), .cancellationsBlock(512), .noThread(EAGAIN),
    ]
    #expect(
      problems.map { "\($0)" } == [
        "handlers block the only thread; other handlers wait until one returns",
        "handlers block all 64 threads; other handlers wait until one returns",
        "512 cancellations, warnings of jobs or expiring activities block; others wait until one returns",
        "no thread can be started for apps' handlers (\(String(cString: strerror(EAGAIN)))); they wait until a thread can be started",
      ])
  }

  @Test func `a device hands a problem of its threads to the closure that takes it`() {
    let (told, gate) = (Counter(), DispatchSemaphore(value: 0))
    let device = Device(
      policy: .server, clock: .realTime(StandingClock()),
      onThreadProblem: { if case .handlersBlock(let threads) = $0 { told.add(threads) } })
    let count = HandlerThreads.defaultLimit + 1
    let apps = (0..<count).map { device.register("app\($0)", delegate: Blocking(gate)) }
    for app in apps { app.launch() }
    wait("nothing is told") { told.value == HandlerThreads.defaultLimit }
    for _ in apps { gate.signal() }
    device.close()
  }

  /// An app whose launch blocks.
  private final class Blocking: AppDelegate {
    private let gate: DispatchSemaphore
    init(_ gate: DispatchSemaphore) { self.gate = gate }
    func applicationDidFinishLaunching(_ app: App) { gate.wait() }
  }

  @Test func `all work is done, by a few threads while none blocks`() {
    let threads = HandlerThreads(limit: 8)
    let group = DispatchGroup()
    let count = Counter()
    for _ in 0..<10_000 {
      group.enter()
      threads.execute {
        count.add(1)
        group.leave()
      }
    }
    group.wait()
    #expect(count.value == 10_000 && threads.counts.threads <= 8)
  }

  @Test func `as many may block as the limit allows, and one more waits and is reported`() {
    let told = Counter()
    let threads = HandlerThreads(limit: 6) { told.add($0) }
    let (gate, started) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    for _ in 0..<6 {
      threads.execute {
        started.signal()
        gate.wait()
      }
    }
    for _ in 0..<6 { started.wait() }
    #expect(threads.counts.threads == 6 && threads.counts.busy == 6)
    let last = DispatchSemaphore(value: 0)
    threads.execute { last.signal() }
    #expect(last.wait(timeout: .now() + .milliseconds(50)) == .timedOut)
    let end = Date() + 10
    while told.value == 0, Date() < end { Thread.sleep(forTimeInterval: 0.001) }
    #expect(told.value == 6)
    gate.signal()
    last.wait()
    for _ in 0..<5 { gate.signal() }
  }

  @Test func `a system without threads is asked again, and reported once`() {
    let (system, failures) = (MeanSystem(threads: 0), Counter())
    let threads = threads(system, failures: failures)
    let done = Counter()
    threads.execute { done.add(1) }
    // No thread exists that could try again, so the next caller does.
    #expect(failures.value == Int(EAGAIN) && threads.counts.threads == 0 && system.refusals == 2)
    system.give(2)
    threads.execute { done.add(1) }
    wait("not done") { done.value == 2 }
    #expect(failures.value == Int(EAGAIN))
  }

  @Test
  func `one thread does the work, and more are requested while work waits`() {
    let (system, failures) = (MeanSystem(threads: 2), Counter())
    let threads = threads(system, failures: failures)
    let gate = DispatchSemaphore(value: 0)
    let done = Counter()
    threads.execute { gate.wait() }
    // The second of the two is the watcher, which does not get a third.
    for _ in 0..<100 { threads.execute { done.add(1) } }
    wait("nobody asks again") { system.refusals > 5 }
    #expect(done.value == 0 && failures.value == Int(EAGAIN))
    system.give(1)
    wait("not done") { done.value == 100 }
    gate.signal()
  }

  @Test func `no thread handles a signal of the program`() {
    var before = sigset_t()
    pthread_sigmask(SIG_BLOCK, nil, &before)
    let threads = HandlerThreads(limit: 2)
    let blocked = Counter()
    threads.execute {
      var mask = sigset_t()
      pthread_sigmask(SIG_BLOCK, nil, &mask)
      blocked.add(
        [SIGINT, SIGTERM, SIGUSR1, SIGHUP, SIGPIPE].filter { sigismember(&mask, $0) == 1 }.count)
    }
    wait("no word") { blocked.value > 0 }
    #expect(blocked.value == 5)
    // The thread that started it keeps its own mask.
    var mask = sigset_t()
    pthread_sigmask(SIG_BLOCK, nil, &mask)
    #expect((1..<32).allSatisfy { sigismember(&mask, $0) == sigismember(&before, $0) })
  }

  @Test
  func
    `threads that dead processes hold count no more, up to a limit of their own, beyond which the program is told`()
  {
    let told = Counter()
    let threads = HandlerThreads(limit: 2, abandonedLimit: 3) { told.add($0) }
    let device = Device(policy: .ios13, clock: .realTime(ThreadClock(speed: 10)), executor: threads)
    let gate = DispatchSemaphore(value: 0)
    let blocked = Counter()
    let stuck = device.register(
      "stuck",
      delegate: LoggingDelegate(Log()) { line, _ in
        guard line == "didEnterBackground" else { return }
        blocked.add(1)
        gate.wait()
      })
    for life in 1...5 {
      stuck.launch()
      wait("no launch \(life)") { stuck.applicationState == .active }
      stuck.home()
      wait("no kill \(life)") { stuck.processEnds.count == life }
      #expect(
        stuck.processEnds.last?.reason == .appWatchdog
          && stuck.processEnds.last?.callback == .didEnterBackground)
      wait("a dead process's thread counts") { threads.abandonedCount == min(3, life) }
      #expect(blocked.value == life)
    }
    // Two of the five count again, so no more may be added.
    let bystander = device.register("bystander", delegate: LoggingDelegate(Log()))
    bystander.launch()
    wait("not told") { told.value == 5 }
    #expect(bystander.applicationState == .inactive)
    gate.signal()
    wait("no launch") { bystander.applicationState == .active }
    for _ in 0..<4 { gate.signal() }
    wait("threads stay lost") { threads.abandonedCount == 0 }
    #expect(threads.counts.threads <= 2)
    device.close()
  }

  @Test
  func `a process that continues before its last thread returns is counted by the new thread`() {
    let threads = HandlerThreads(limit: 2, abandonedLimit: 2) { _ in }
    let process = HandlerThreads.Occupant()
    let (gate, stuck, done) = (DispatchSemaphore(value: 0), Counter(), Counter())
    threads.execute(for: process) {
      threads.execute(for: process) {
        stuck.add(1)
        gate.wait()
        done.add(1)
      }
      wait("no second thread") { stuck.value == 1 }
    }
    wait("the first is still busy") { stuck.value == 1 && threads.counts.busy == 1 }
    threads.abandon(process)
    #expect(threads.abandonedCount == 1 && threads.counts.busy == 0)
    gate.signal()
    wait("a thread stays lost") { threads.abandonedCount == 0 && done.value == 1 }
  }

  @Test
  func
    `A10 a callback that waits for a thread has not overrun: a launch outlives others that block`()
  {
    let threads = HandlerThreads(limit: 1, abandonedLimit: 0) { _ in }
    let device = Device(policy: .ios13, clock: .realTime(ThreadClock(speed: 10)), executor: threads)
    let gate = DispatchSemaphore(value: 0)
    // No limit ends this callback.
    let stuck = device.register(
      "stuck",
      delegate: LoggingDelegate(Log()) { line, _ in if line == "didBecomeActive" { gate.wait() } })
    stuck.launch()
    wait("no launch") { stuck.applicationState == .active }
    let bystander = device.register("bystander", delegate: LoggingDelegate(Log()))
    let before = device.now
    bystander.launch()
    wait("time stands still") { device.now > before + .seconds(60) }
    #expect(bystander.processEnds.isEmpty && bystander.applicationState == .inactive)
    gate.signal()
    wait("no launch") { bystander.applicationState == .active }
    device.close()
  }
}

final class Counter: @unchecked Sendable {
  private let lock = NSLock()
  private var sum = 0

  var value: Int { lock.withLock { sum } }

  func add(_ number: Int) { lock.withLock { sum += number } }
}
