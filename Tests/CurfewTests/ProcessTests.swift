import Curfew
import CurfewTrace
import Dispatch
import TestRuns
import Testing

/// Calls that a process may still make, and the objects that belong to it.
@Suite(.inTurn) struct ProcessTests {
  /// Keeps its wakes.
  private final class Sleeper: AppDelegate, @unchecked Sendable {
    var wakes: [Wake] = []
    /// The number of calls of a wake's expiration handler.
    var warnings = 0

    func application(_ app: App, didReceive wake: Wake) { wakes.append(wake) }
  }

  private func sleeper(_ device: Device) -> (App, Sleeper) {
    let sleeper = Sleeper()
    return (
      device.register(
        "mail", manifest: AppManifest(backgroundModes: .remoteNotification), delegate: sleeper),
      sleeper
    )
  }

  @Test func `W1, W2 a wake that is completed twice ends no other of its kind, and is told`() throws
  {
    var policy = PolicyFile.ios13
    try policy.set("wakes.remoteNotification.completedTwice", "remark")
    let device = Device(policy: policy)
    let (app, sleeper) = sleeper(device)
    app.deliver(.remoteNotification)
    app.deliver(.remoteNotification)
    #expect(sleeper.wakes[0].complete())
    device.advance(by: .seconds(2))
    #expect(!sleeper.wakes[0].complete())
    #expect(app.applicationState == .background)
    guard case .alreadyCompleted(let again) = app.lastDiagnostic?.cause else {
      Issue.record("\(device.diagnostics)")
      return
    }
    #expect(again.kind == .remoteNotification && again.wake == sleeper.wakes[0].id)
    #expect(again.first == .zero && app.lastDiagnostic?.instant == .zero + .seconds(2))
    sleeper.wakes[1].complete()
    #expect(app.applicationState == .suspended)
  }

  @Test func `W1, W6 the second of two wakes may complete first, and the first keeps its time`()
    throws
  {
    let device = Device(policy: .ios13)
    device.startRecording()
    let (app, sleeper) = sleeper(device)
    app.deliver(.remoteNotification)
    device.advance(by: .seconds(10))
    app.deliver(.remoteNotification)
    #expect(
      sleeper.wakes.map(\.id.rawValue) == [1, 2]
        && sleeper.wakes.allSatisfy { $0.identifier == nil })
    sleeper.wakes[1].complete()
    device.advance(by: .seconds(20))
    #expect(app.processEnds.map(\.reason) == [.backgroundTaskAssertionTimeout])
    #expect(app.processEnds.first?.instant == .zero + .seconds(30))
    let trace = device.recordedTrace(name: "two wakes")
    #expect(
      trace.lines.contains {
        $0.json().contains(#""do":"completeWake","kind":"remoteNotification","wake":2"#)
      })
    #expect(try Replay.run(trace, under: .ios13) == nil)
  }

  @Test func `W6 a wake's handler is called once before its end, if it is set`()
    throws
  {
    // The warning of a wake without a handler means nothing.
    var policy = PolicyFile.ios13
    try policy.set("wakes.appRefresh.unhandledWarning", "overrun")
    let device = Device(policy: policy)
    device.startRecording()
    let sleeper = Sleeper()
    let app = device.register(
      "com.example.mail", manifest: AppManifest(backgroundModes: .fetch), delegate: sleeper)
    app.deliver(.appRefresh)
    let wake = try #require(sleeper.wakes.first)
    wake.expirationHandler = { sleeper.warnings += 1 }
    #expect(wake.expirationHandler != nil)
    device.advance(by: .seconds(24))
    #expect(sleeper.warnings == 0)
    device.advance(by: .seconds(1))
    #expect(sleeper.warnings == 1 && app.applicationState == .background)
    wake.complete(.newData)
    #expect(app.applicationState == .suspended && wake.expirationHandler == nil)
    // A handler removed in time is never called; one set after its time is called at once.
    app.deliver(.appRefresh)
    sleeper.wakes[1].expirationHandler = { sleeper.warnings += 10 }
    sleeper.wakes[1].expirationHandler = nil
    device.advance(by: .seconds(26))
    #expect(sleeper.warnings == 1)
    sleeper.wakes[1].expirationHandler = { sleeper.warnings += 100 }
    #expect(sleeper.warnings == 101)
    device.advance(by: .seconds(4))
    #expect(app.processEnds.map(\.reason) == [.backgroundTaskAssertionTimeout])
    #expect(try Replay.run(device.recordedTrace(name: "handlers"), under: policy) == nil)
  }

  @Test func `W6 without a handler a refresh ends at its warning, and its app lives on`() throws {
    let device = Device(policy: .ios13)
    device.startRecording()
    let sleeper = Sleeper()
    let app = device.register(
      "com.example.mail", manifest: AppManifest(backgroundModes: .fetch), delegate: sleeper)
    app.deliver(.appRefresh)
    // A handler that was removed in time is none.
    sleeper.wakes[0].expirationHandler = { sleeper.warnings += 1 }
    sleeper.wakes[0].expirationHandler = nil
    device.advance(by: .seconds(24))
    #expect(app.applicationState == .background)
    device.advance(by: .seconds(1))
    #expect(app.applicationState == .suspended && sleeper.warnings == 0)
    #expect(!sleeper.wakes[0].complete())
    device.advance(by: .seconds(60))
    #expect(app.processEnds.isEmpty)
    #expect(try Replay.run(device.recordedTrace(name: "unhandled"), under: .ios13) == nil)
  }

  @Test
  func `A12 an app that is not running can be removed, and another registered under its name`()
    throws
  {
    let device = Device(policy: .ios13)
    device.startRecording()
    let (first, other) = (device.register("com.example.mail"), device.register("com.example.chat"))
    first.launch()
    #expect(!device.removeApp(first))
    first.forceQuit()
    #expect(device.removeApp(first) && !device.removeApp(first))
    #expect(
      device.apps.map(\.name) == ["com.example.chat"]
        && device.app(named: "com.example.mail") == nil)
    first.launch()
    #expect(first.applicationState == .notRunning)
    let second = device.register("com.example.mail", manifest: AppManifest(backgroundModes: .fetch))
    second.launch()
    #expect(
      second.applicationState == .active && first.applicationState == .notRunning
        && other.applicationState == .notRunning)
    #expect(device.apps.map(\.name) == ["com.example.chat", "com.example.mail"])
    let trace = device.recordedTrace(name: "removed")
    #expect(trace.header.apps == ["com.example.mail", "com.example.chat"])
    #expect(
      trace.lines.contains { $0.json().contains(#""do":"addApp","backgroundModes":["fetch"]"#) })
    #expect(try Replay.run(trace, under: .ios13) == nil)
  }

  @Test func `A12 a recording that begins with one app names it, so that others can come later`()
    throws
  {
    let device = Device(policy: .ios13)
    let first = device.register("com.example.mail")
    device.startRecording()
    device.update { $0.charging = true }
    device.register("com.example.chat").launch()
    first.launch()
    device.reboot()
    let trace = device.recordedTrace(name: "one, then two")
    #expect(trace.header.json.contains(#""apps":["com.example.mail"]"#))
    let text = ([trace.header.json] + trace.lines.map { $0.json() }).joined(separator: "\n") + "\n"
    let read = try Device.Trace.decode(
      try SourceFile(name: "recorded.jsonl", bytes: Array(text.utf8)))
    #expect(try Replay.run(read, under: .ios13) == nil)
  }

  @Test func `W2 a wake of a former process completes no wake of the next`() {
    let device = Device(policy: .ios13)
    let (app, sleeper) = sleeper(device)
    app.deliver(.remoteNotification)
    app.crash()
    app.deliver(.remoteNotification)
    sleeper.wakes[0].complete()
    #expect(app.applicationState == .background)
    sleeper.wakes[1].complete()
    #expect(app.applicationState == .suspended)
  }

  @Test
  func `a handler of a former process neither crashes the next nor uses its memory`() {
    let device = Device(policy: .ios13)
    let app = device.register(
      "mail", manifest: AppManifest(memoryLimit: 1 << 40),
      delegate: LoggingDelegate(Log()) { line, app in
        guard line == "didEnterBackground", app.processEnds.isEmpty else { return }
        device.advance(by: .seconds(10))
        app.launch()
        app.crash()
        app.setFootprint(1 << 41)
      })
    app.launch()
    device.home()
    #expect(app.processEnds.map(\.reason) == [.appWatchdog])
    #expect(app.applicationState == .active)
  }

  @Test func `F7 a task that comes too late has its handler called after begin has answered`() {
    let device = Device(policy: .ios13)
    let app = device.register("mail")
    let box = Box()
    app.launch()
    let first = app.beginBackgroundTask()
    device.home()
    device.advance(by: .seconds(26))
    box.task = app.beginBackgroundTask(withName: "late") { app.endBackgroundTask(box.task) }
    app.endBackgroundTask(first)
    device.advance(by: .zero)
    #expect(
      device.leakedTasks.isEmpty && device.openTasks.isEmpty
        && app.expirations.map(\.task) == ["late"])
    device.advance(by: .seconds(10))
    #expect(app.applicationState == .suspended)
  }

  @Test func `F5 a task that was ended before its handler's turn is not called`() {
    let device = Device(policy: .ios13)
    let app = device.register("mail")
    let log = Log()
    let box = Box()
    app.launch()
    _ = app.beginBackgroundTask { app.endBackgroundTask(box.task) }
    box.task = app.beginBackgroundTask { log.add("called") }
    device.home()
    device.advance(by: .seconds(26))
    let late = app.beginBackgroundTask { log.add("late") }
    app.endBackgroundTask(late)
    device.advance(by: .seconds(1))
    #expect(
      log.lines.isEmpty && device.counts.skippedHandlers == 1 && device.counts.handlersCalled == 1)
  }

  /// Mail, in the background, begins a task that comes too late, during a callback of music
  /// in front, which then runs `meanwhile`.
  private func beginLate(
    _ log: Log,
    _ meanwhile: @escaping @Sendable (_ mail: App, BackgroundTaskIdentifier, _ music: App) -> Void
  ) -> Device {
    let device = Device(policy: .ios13)
    let mail = device.register("mail")
    mail.launch()
    _ = mail.beginBackgroundTask()
    let music = device.register(
      "music",
      delegate: LoggingDelegate(Log()) { line, music in
        if line == "now -" {
          meanwhile(mail, mail.beginBackgroundTask { log.add("called") }, music)
        }
      })
    music.launch()
    device.advance(by: .seconds(26))
    music.post("now")
    return device
  }

  @Test func `F5 an ended task's handler is not called if another app's task reuses its place`() {
    let log = Log()
    let device = beginLate(log) { mail, task, music in
      mail.endBackgroundTask(task)
      _ = music.beginBackgroundTask()
      _ = music.beginBackgroundTask()
    }
    #expect(
      log.lines.isEmpty && device.counts.skippedHandlers == 1 && device.counts.handlersCalled == 0)
  }

  @Test func `a handler whose process has ended before its turn is skipped, and counted`() {
    let log = Log()
    let device = beginLate(log) { mail, _, _ in mail.crash() }
    #expect(
      log.lines.isEmpty && device.counts.skippedHandlers == 1 && device.counts.handlersCalled == 0)
  }

  @Test func `F7 a query calls no handler`() {
    let device = Device(policy: .ios13)
    let app = device.register("mail")
    let log = Log()
    app.launch()
    _ = app.beginBackgroundTask()
    device.home()
    device.advance(by: .seconds(26))
    _ = app.beginBackgroundTask { log.add("late") }
    #expect(app.applicationState == .background && app.openTasks.count == 2 && log.lines.isEmpty)
    device.advance(by: .zero)
    #expect(log.lines == ["late"])
  }

  @Test func `A2 an app is not called while it is being called`() {
    let device = Device(policy: .ios13)
    let log = Log()
    let app = device.register(
      "mail",
      delegate: LoggingDelegate(log) { line, _ in
        guard line == "clock -" else { return }
        device.home()
        device.advance(by: .seconds(1))
        log.add("clock returns")
      })
    app.launch()
    app.post("clock")
    #expect(
      log.lines.suffix(4) == ["clock -", "clock returns", "willResignActive", "didEnterBackground"])
  }

  @Test func `identifiers of two apps are never the same`() {
    let device = Device(policy: .ios13)
    let (mail, maps) = (device.register("mail"), device.register("maps"))
    mail.launch()
    let first = mail.beginBackgroundTask()
    mail.endBackgroundTask(first)
    maps.launch()
    let second = maps.beginBackgroundTask()
    #expect(first != second && first.rawValue != second.rawValue)
  }

  @Test func `F6 a leaked task has the code that began it`() throws {
    let device = Device(policy: .ios13)
    let app = device.register("mail")
    app.launch()
    let line = #line + 1
    _ = app.beginBackgroundTask(withName: "upload")
    device.home()
    device.advance(by: .seconds(30))
    let leaked = try #require(device.leakedTasks.first)
    #expect(leaked.origin.description == "\(#fileID):\(line)")
  }

  @Test func `F9 the begin of one task too many returns invalid`()
    async throws
  {
    let policy = try PolicyFile.decode(
      SourceFile(
        name: "one.yaml",
        bytes: Array("curfew: policy/1\nname: one\nextends: ios13\ntasks: {limit: 1}\n".utf8)))
    let device = Device(policy: policy)
    let app = device.register("mail")
    app.launch()
    _ = app.beginBackgroundTask()
    await #expect(throws: BackgroundTaskDeniedError.self) {
      try await app.withBackgroundTask { Issue.record("it works") }
    }
    #expect(app.processEnds.map(\.reason) == [.tooManyBackgroundTasks])
  }

  @Test func `changes by two threads to a device are both kept`() {
    let device = Device(policy: .ios13)
    DispatchQueue.concurrentPerform(iterations: 2) { thread in
      for round in 0..<500 {
        device.update { facts in
          if thread == 0 {
            facts.battery = UInt8(round % 100)
          } else {
            facts.thermal = round % 2 == 0 ? .fair : .nominal
          }
        }
      }
    }
    #expect(device.facts.battery == 99 && device.facts.thermal == .nominal)
  }

  @Test func `a stream of actions names an illegal event`() async {
    let device = Device(policy: .ios13)
    let app = device.register("mail")
    let actions = device.actions()
    app.home()
    device.close()
    var lines: [String] = []
    for await line in actions { lines.append(line.json()) }
    #expect(
      lines == [#"{"t":0,"app":"mail","type":"diagnostic","name":"illegalEvent","do":"home"}"#])
  }
}
