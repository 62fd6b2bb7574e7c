import Curfew
import CurfewUV
import Foundation
import TestRuns
import Testing

/// A device on libuv's loop.
@Suite(.inTurn) struct UVDeviceTests {
  /// A device that lets every app into the foreground, and tolerates a machine that stalls.
  private func device(
    _ clock: UVClock, _ executor: (any HandlerExecutor)? = nil, grant: String = "30s",
    warning: String = "5s"
  ) throws -> Device {
    let text = """
      curfew: policy/1
      name: crowded
      extends: ios13
      foreground: unlimited
      limits: {launch: 600s, didEnterBackground: 600s, willTerminate: 600s}
      tasks: {grant: \(grant), grantAfterWake: \(grant), warning: \(warning)}

      """
    let policy = try PolicyFile.decode(SourceFile(name: "crowded.yaml", bytes: Array(text.utf8)))
    return Device(
      policy: policy, clock: .realTime(clock), facts: DeviceFacts(memory: 1 << 50),
      executor: executor)
  }

  private func wait(_ what: Comment, _ isDone: () -> Bool) {
    let end = Date() + 30
    while !isDone() {
      if Date() > end {
        Issue.record(what)
        return
      }
      Thread.sleep(forTimeInterval: 0.001)
    }
  }

  @Test func `dormant tasks cause no wake-ups`() throws {
    let number = Campaign.isQuick ? 500 : 10_000
    let clock = try UVClock()
    let device = try device(clock, grant: "10m")
    let apps = (0..<number).map { device.register("app\($0)") }
    for app in apps { app.launch() }
    wait("no launch") { apps.allSatisfy { $0.applicationState == .active } }
    for app in apps { _ = app.beginBackgroundTask {} }
    for app in apps { app.home() }
    wait("not in the background") { apps.allSatisfy { $0.applicationState == .background } }
    #expect(device.openTasks.count == number)
    let before = clock.wakeUps
    Thread.sleep(forTimeInterval: Campaign.isQuick ? 2 : 10)
    #expect(clock.wakeUps == before)
  }

  @Test(arguments: [UVClock.TimerKind.timerfd, .uvTimer])
  func `no warning and no end is early, and none is lost`(timer: UVClock.TimerKind) throws {
    #if !os(Linux)
      if timer == .timerfd { return }
    #endif
    // The warnings of 300 apps come at the same time, two seconds before their ends: enough time
    // to call all handlers, even under a sanitizer and on a busy machine.
    let scale = try #require(TimeScale("0.05"))
    let clock = try UVClock(timer: timer, scale: scale)
    let device = try device(clock, grant: "50s", warning: "40s")
    let called = Tally()
    let apps = (0..<300).map { device.register("app\($0)") }
    for app in apps { app.launch() }
    wait("no launch") { apps.allSatisfy { $0.applicationState == .active } }
    for app in apps {
      _ = app.beginBackgroundTask { expiration in
        called.add(clock.now() - expiration.due)
        called.add(expiration.instant - expiration.due)
      }
      app.home()
    }
    wait("a grant does not end") { apps.allSatisfy { !$0.processEnds.isEmpty } }
    wait("a handler is not called") { called.lengths.count == 600 }
    #expect(called.lengths.allSatisfy { $0 >= .zero })
    for app in apps {
      let warned = try #require(app.expirations.first)
      #expect(app.expirations.count == 1 && app.processEnds.count == 1)
      #expect(app.processEnds[0].instant >= warned.due + Interval.seconds(40))
    }
  }

  @Test
  func
    `two threads begin and end while the loop expires others, and no handler is lost or called twice`()
    throws
  {
    // A warning comes 100 ms after the app has left, and the grant ends 12 s later.
    let device = try device(
      try UVClock(scale: try #require(TimeScale("0.02"))), grant: "10m", warning: "595s")
    // `CURFEW_ROUNDS=1000000` runs a million rounds each.
    let rounds = ProcessInfo.processInfo.environment["CURFEW_ROUNDS"].flatMap { Int($0) } ?? 20_000
    let (busy, expiring) = (
      (0..<8).map { device.register("busy\($0)") }, (0..<4).map { device.register("expiring\($0)") }
    )
    let (early, called) = (Tally(), Calls())
    for app in busy { app.launch() }
    wait("no launch") { busy.allSatisfy { $0.applicationState == .active } }
    let group = DispatchGroup()
    for half in 0..<2 {
      group.enter()
      Thread.detachNewThread {
        for round in 0..<rounds {
          let app = busy[half * 4 + round % 4]
          app.endBackgroundTask(app.beginBackgroundTask { early.add(.zero) })
        }
        group.leave()
      }
    }
    // These apps come and go as long as the others are busy, and each of their tasks is warned
    // after 100 ms.
    var begun = 0
    repeat {
      for app in expiring { app.launch() }
      wait("no launch") { expiring.allSatisfy { $0.applicationState == .active } }
      for app in expiring {
        for _ in 0..<10 {
          let number = begun
          _ = app.beginBackgroundTask { expiration in
            called.add(number)
            app.endBackgroundTask(expiration.identifier)
          }
          begun += 1
        }
        app.home()
      }
      wait("a handler is lost") { called.count >= begun }
    } while group.wait(timeout: .now()) == .timedOut
    #expect(called.numbers == Array(0..<begun) && early.lengths.isEmpty)
    #expect(device.leakedTasks.isEmpty && expiring.allSatisfy { $0.processEnds.isEmpty })
  }

  @Test func `with a leeway, everything that becomes due is decided in one wake-up`() throws {
    let scale = try #require(TimeScale("0.1"))
    let clock = try UVClock(scale: scale, leeway: .milliseconds(200))
    let device = try device(clock)
    let warned = DispatchSemaphore(value: 0)
    let apps = (0..<2).map { device.register("app\($0)") }
    for app in apps { app.launch() }
    wait("no launch") { apps.allSatisfy { $0.applicationState == .active } }
    for app in apps { _ = app.beginBackgroundTask { warned.signal() } }
    for app in apps { app.home() }
    // The device is not queried meanwhile, because a query would process past deadlines.
    for _ in apps { #expect(warned.wait(timeout: .now() + 30) == .success) }
    let warnings = try apps.map { try #require($0.expirations.first) }
    // 200 ms of wall time are two seconds of engine time.
    let first = try #require(warnings.map(\.due).min())
    #expect(warnings.allSatisfy { $0.instant >= first + .seconds(2) })
    if warnings.allSatisfy({ $0.due <= first + .seconds(2) }) {
      #expect(warnings[0].instant == warnings[1].instant)
    }
  }

  @Test func `handlers run on the embedder's own executor, one at a time for each app`() throws {
    let queue = QueueExecutor()
    let device = try device(try UVClock(), queue)
    let log = Tally()
    let app = device.register("app", delegate: Overlapping(log))
    for _ in 0..<20 {
      app.launch()
      wait("no launch") { app.applicationState == .active }
      app.home()
      wait("no suspension") { app.applicationState == .suspended }
    }
    #expect(queue.calls > 0 && log.lengths.isEmpty)
  }

  @Test func `a device and its loop close in any order, even from a handler`() throws {
    for order in 0..<4 {
      let loop = try UVLoop()
      let clock = try UVClock(loop)
      let device = try device(clock)
      let app = device.register("app", delegate: order == 3 ? Closing(device) : nil)
      app.launch()
      switch order {
      case 0:
        device.close()
        loop.close()
      case 1:
        loop.close()
        device.close()
      case 2:
        clock.stop()
        device.close()
        loop.close()
      default: wait("not closed") { app.beginBackgroundTask() == .invalid }
      }
      device.close()
      #expect(app.beginBackgroundTask() == .invalid && app.applicationState == .notRunning)
      loop.close()
    }
  }
}

private final class Tally: @unchecked Sendable {
  private let lock = NSLock()
  private var kept: [Interval] = []

  var lengths: [Interval] { lock.withLock { kept } }

  func add(_ length: Interval) { lock.withLock { kept.append(length) } }
}

/// The handlers that were called, with the number of calls.
private final class Calls: @unchecked Sendable {
  private let lock = NSLock()
  private var kept: [Int] = []

  var count: Int { lock.withLock { kept.count } }
  var numbers: [Int] { lock.withLock { kept.sorted() } }

  func add(_ number: Int) { lock.withLock { kept.append(number) } }
}

private final class QueueExecutor: HandlerExecutor, @unchecked Sendable {
  private let queue = DispatchQueue(label: "handlers", attributes: .concurrent)
  private let lock = NSLock()
  private var count = 0

  var calls: Int { lock.withLock { count } }

  func execute(_ work: @escaping @Sendable () -> Void) {
    lock.withLock { count += 1 }
    queue.async(execute: work)
  }
}

/// Reports an issue if two of its callbacks run at the same time.
private final class Overlapping: AppDelegate, @unchecked Sendable {
  private let lock = NSLock()
  private let complaints: Tally

  init(_ complaints: Tally) { self.complaints = complaints }

  private func occupy() {
    guard lock.try() else { return complaints.add(.zero) }
    Thread.sleep(forTimeInterval: 0.0005)
    lock.unlock()
  }

  func applicationDidBecomeActive(_ app: App) { occupy() }
  func applicationWillResignActive(_ app: App) { occupy() }
  func applicationDidEnterBackground(_ app: App) { occupy() }
  func applicationWillEnterForeground(_ app: App) { occupy() }
}

private final class Closing: AppDelegate {
  private let device: Device

  init(_ device: Device) { self.device = device }

  func applicationDidFinishLaunching(_ app: App) { device.close() }
}
