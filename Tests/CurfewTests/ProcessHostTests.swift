import Curfew
import Foundation
import TestRuns
import Testing

/// Calls of a process's host on a virtual clock (rule A6).
@Suite(.inTurn) struct ProcessHostTests {
  private func register(
    _ device: Device, _ log: Log, _ name: String = "mail",
    inHost: @escaping @Sendable (String, App) -> Void = { _, _ in }
  ) -> App {
    device.register(
      name, manifest: AppManifest(backgroundModes: .remoteNotification),
      delegate: LoggingDelegate(log), process: LoggingHost(log, inHost))
  }

  @Test func `A6 the calls stand between the callbacks`() {
    let (device, log) = (Device(policy: .ios13), Log())
    let app = register(device, log)
    app.launch()
    device.home()
    app.deliver(.remoteNotification)
    app.post("news")
    app.launch()
    device.home()
    app.forceQuit()
    #expect(
      log.lines == [
        "willFinishLaunching", "didFinishLaunching", "didBecomeActive", "willResignActive",
        "didEnterBackground", "suspend", "resume", "wake remoteNotification", "suspend", "resume",
        "willEnterForeground", "news -", "didBecomeActive", "willResignActive",
        "didEnterBackground", "suspend", "end userForceQuit",
      ])
  }

  @Test func `A6 they come at the instants of the decisions, on the thread that advances`() throws {
    var policy = PolicyFile.ios13
    try policy.set("suspendDelay", "3s")
    let (device, log) = (Device(policy: policy), Log())
    let caller = pthread_self()
    let app = register(device, log) { line, app in
      let isHere = pthread_equal(pthread_self(), caller) != 0
      log.add("\(line) at \(device.now), \(app.applicationState), \(isHere)")
    }
    app.launch()
    device.home()
    #expect(log.lines.last == "didEnterBackground")
    device.advance(by: .seconds(2))
    #expect(log.lines.last == "didEnterBackground")
    device.advance(by: .seconds(8))
    #expect(log.lines.last == "suspend at 3s, suspended, true")
    app.launch()
    #expect(log.lines.contains("resume at 10s, background, true"))
    device.reboot()
    #expect(log.lines.last == "end reboot at 10s, notRunning, true")
  }

  @Test func `A6 a suspension that was left again before its turn is not called`() throws {
    let (device, log) = (Device(policy: try .crowded), Log())
    let mail = register(device, log)
    device.startRecording()
    mail.launch()
    let task = mail.beginBackgroundTask()
    mail.home()
    let music = device.register(
      "music",
      delegate: LoggingDelegate(Log()) { line, _ in
        guard line == "now -" else { return }
        mail.endBackgroundTask(task)
        mail.launch()
        log.add("launched")
      })
    music.launch()
    music.post("now")
    #expect(
      log.lines.suffix(4)
        == ["didEnterBackground", "launched", "willEnterForeground", "didBecomeActive"])
    let lines = device.recordedTrace(name: "left").lines
    #expect(
      lines.count { if case .state(_, to: .suspended) = $0.body { true } else { false } } == 1)
    // The next suspension is called, so the calls still alternate.
    mail.home()
    #expect(log.lines.last == "suspend")
  }

  @Test func `D2 an end from outside comes once, also while the app is suspended`() {
    let (device, log) = (Device(policy: .ios13), Log())
    let app = register(device, log)
    app.launch()
    device.home()
    app.crash(.signal(9))
    app.crash(.signal(9))
    #expect(log.lines.suffix(2) == ["suspend", "end signal"])
    #expect(app.applicationState == .notRunning)
    app.launch()
    app.crash(.oomKill)
    #expect(log.lines.suffix(2) == ["didBecomeActive", "end oomKill"])
    #expect(log.lines.count { $0.hasPrefix("end") } == 2)
  }

  @Test func `D2 an end that a callback causes comes after the callback`() {
    let (device, log) = (Device(policy: .ios13), Log())
    let app = device.register(
      "mail", manifest: AppManifest(memoryLimit: 1 << 20),
      delegate: LoggingDelegate(log) { line, app in
        // The footprint outlives the process.
        if line == "willFinishLaunching" { app.setFootprint(0) }
        guard line == "didFinishLaunching", app.processEnds.isEmpty else { return }
        app.setFootprint(1 << 30)
        // The next process is called when the host has returned from the end of this one.
        app.launch()
        log.add("returns")
      }, process: LoggingHost(log))
    app.launch()
    #expect(
      log.lines == [
        "willFinishLaunching", "didFinishLaunching", "returns", "end memoryResourceLimit",
        "willFinishLaunching", "didFinishLaunching", "didBecomeActive",
      ])
  }

  @Test func `D2 a host that fails ends its process, and a dead process's host does nothing`() {
    let (device, log) = (Device(policy: .ios13), Log())
    let app = register(device, log) { line, app in
      if line == "suspend" || line.hasPrefix("end") { app.crash(.hostFailure) }
    }
    app.launch()
    device.home()
    #expect(log.lines.suffix(2) == ["suspend", "end hostFailure"])
    #expect(app.processEnds.map(\.reason) == [.hostFailure])
    #expect(app.lastDiagnostic?.cause == .deadProcess)
  }

  @Test func `A12 a removed app has had its end, and another of its name has its own`() async {
    let (device, log) = (Device(policy: .ios13), Log())
    let first = register(device, log)
    first.launch()
    device.home()
    #expect(await device.terminateAndRemove(first))
    #expect(log.lines.suffix(2) == ["suspend", "end userForceQuit"])
    let second = register(device, log)
    second.launch()
    #expect(
      log.lines.suffix(3) == ["willFinishLaunching", "didFinishLaunching", "didBecomeActive"])
  }

  @Test func `a closed device calls no host, and releases it`() {
    let (device, log) = (Device(policy: .ios13), Log())
    var host: LoggingHost? = LoggingHost(log)
    weak let held = host
    let app = device.register("mail", process: host)
    host = nil
    app.launch()
    device.home()
    #expect(held != nil)
    device.close()
    #expect(log.lines == ["suspend"] && held == nil)
    _ = device.register("maps", process: LoggingHost(log))
  }

  @Test func `a trace has nothing of a host`() throws {
    func trace(_ host: (any ProcessHost)?) -> [String] {
      let device = Device(policy: .ios13)
      device.startRecording()
      let app = device.register(
        "mail", manifest: AppManifest(backgroundModes: .remoteNotification), process: host)
      for _ in 0..<3 {
        app.launch()
        device.home()
        app.deliver(.remoteNotification)
        device.advance(by: .seconds(60))
        app.crash(.signal(15))
        app.launch()
        _ = app.beginBackgroundTask()
        device.home()
        device.advance(by: .seconds(60))
      }
      return device.recordedTrace(name: "hosted").lines.map { $0.json() }
    }
    let log = Log()
    let lines = trace(LoggingHost(log))
    #expect(lines.count > 100 && lines == trace(nil))
    #expect(log.lines.count { $0.hasPrefix("end") } == 6)
  }

  @Test func `with a main actor's executor, the calls come on the main actor`() async {
    let device = Device(policy: .ios13, executor: MainActorExecutor())
    let log = Log()
    let app = register(device, log) { _, _ in MainActor.assertIsolated() }
    app.launch()
    device.home()
    app.launch()
    app.crash()
    #expect(
      log.lines.suffix(6) == [
        "didEnterBackground", "suspend", "resume", "willEnterForeground", "didBecomeActive",
        "end abnormalExit",
      ])
  }

  @MainActor private final class Delegate: MainActorAppDelegate {
    let log: Log

    init(_ log: Log) { self.log = log }

    func applicationDidEnterBackground(_ app: App) { log.add("didEnterBackground") }
  }

  @Test @MainActor func `a delegate of the main actor may have a host`() {
    let (device, log) = (Device(policy: .ios13), Log())
    let app = device.register("mail", delegate: Delegate(log), process: LoggingHost(log))
    app.launch()
    device.home()
    #expect(log.lines == ["didEnterBackground", "suspend"])
  }
}
