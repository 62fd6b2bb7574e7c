import CurfewEngine
import CurfewPolicy
import CurfewText
import CurfewTrace
import Testing

/// What enters an engine, to a trace's line and back.
@Suite struct EnteringTests {
  private static let mail = AppID(rawValue: 0)
  private static let maps = AppID(rawValue: 1)
  private static let texts = ["upload", "batteryLevel", "location", "a \"b\"\u{7}"]

  /// Where an event stands in `Event`: a new case does not compile here until it has a place, and then is missed below until it has an example.
  private static func ordinal(_ event: Event) -> Int {
    switch event {
    case .launch: 0
    case .home: 1
    case .lock: 2
    case .unlock: 3
    case .interrupt: 4
    case .acceptInterruption: 5
    case .ignoreInterruption: 6
    case .forceQuit: 7
    case .reboot: 8
    case .expireTasks: 9
    case .deliver: 10
    case .setRefresh: 11
    case .setDevice: 12
    case .setFootprint: 13
    case .post: 14
    case .returned: 15
    case .beginTask: 16
    case .endTask: 17
    case .startSession: 18
    case .stopSession: 19
    case .completeWake: 20
    case .setMinimumFetchInterval: 21
    case .setKeepAlive: 22
    case .submitTask: 23
    case .cancelTask: 24
    case .lockFile: 25
    case .unlockFile: 26
    case .useCPU: 27
    case .scheduleNotification: 28
    case .cancelNotification: 29
    case .crash: 30
    case .probe: 31
    case .began: 32
    }
  }

  /// A task that `maps` holds open, and what says so.
  private static func openTask() throws -> Action {
    var driver = Driver(Engine(policy: try PolicyFile.load("ios13").policy))
    _ = (driver.addApp(), driver.addApp())
    driver.say(.launch(maps))
    driver.say(.beginTask(maps, label: 3, handler: .present))
    guard case .begun(let task) = driver.ask(.beginTask(maps, label: 3, handler: .present)) else { preconditionFailure("No task began") }
    return .taskBegan(maps, task)
  }

  private static func events(_ task: BackgroundTask) -> [Event] {
    let devices = [
      DeviceFacts(), DeviceFacts(backgroundRefresh: .restricted), DeviceFacts(backgroundRefresh: .denied, memory: 5),
      DeviceFacts(lowPowerMode: true, battery: 0, isCharging: true, network: .none, memory: 1 << 40, thermal: .critical),
    ]
    let all: [Event] =
      [
        .launch(mail), .home(nil), .home(maps), .lock, .unlock, .interrupt(nil), .interrupt(mail), .acceptInterruption(nil),
        .acceptInterruption(maps), .ignoreInterruption(nil), .ignoreInterruption(maps), .forceQuit(maps), .reboot, .began(mail),
        .returned(mail),
        .lockFile(mail), .unlockFile(maps), .probe(mail), .setFootprint(mail, 0), .setFootprint(maps, .max),
        .beginTask(mail, label: 3, handler: .present), .beginTask(maps, label: 0, handler: .absent), .endTask(maps, task),
        .endTask(maps, .invalid(label: 0)), .endTask(maps, .ended(TaskID(rawValue: 1))), .completeWake(mail, nil, nil),
        .post(nil, Post(name: 1, value: nil)), .post(maps, Post(name: 1, value: 3)),
        .post(mail, Post(name: 2, value: 0, manner: .queueing)), .useCPU(mail, share: 0, for: .zero),
        .useCPU(maps, share: CPURules.greatestShare, for: Interval(nanoseconds: .max)), .setMinimumFetchInterval(mail, nil),
        .setMinimumFetchInterval(mail, .zero), .setKeepAlive(maps, nil), .setKeepAlive(maps, .seconds(601)),
        .submitTask(mail, TaskRequest(identifier: 3, kind: .appRefresh)),
        .submitTask(
          maps, TaskRequest(identifier: 0, kind: .processing, earliest: .nanoseconds(1), requiresNetwork: true, requiresPower: true)),
        .cancelTask(mail, identifier: 3), .scheduleNotification(mail, id: 3, after: .zero), .cancelNotification(maps, id: 3),
      ] + devices.map(Event.setDevice)
    let byKind = AssertionKind.wakes.flatMap { [Event.deliver(mail, $0), .completeWake(maps, $0, .failed)] }
    let sessions = AssertionKind.sessions.flatMap { [Event.startSession(mail, $0), .stopSession(mail, $0)] }
    let expiries = ExpirationReason.allCases.flatMap { [Event.expireTasks(nil, $0), .expireTasks(maps, $0)] }
    let switches = BackgroundRefreshStatus.allCases.flatMap { [Event.setRefresh(nil, $0), .setRefresh(mail, $0)] }
    return all + byKind + sessions + expiries + switches + CrashReason.allCases.map { .crash(mail, $0) }
  }

  @Test func `every event is what it was after a line and its text`() throws {
    let open = try Self.openTask()
    guard case .taskBegan(_, let task) = open else { return }
    let events = Self.events(task)
    #expect(Set(events.map(Self.ordinal)) == Set(0...32))
    let header = TraceHeader(name: "x", policy: "ios13", policyDigest: "0", seed: 0, clock: "monotonic", apps: ["mail", "maps"])
    for event in events {
      var writer = TraceCoder(apps: header.apps, labels: Self.texts, writesEveryReturn: true)
      _ = writer.line(for: .wakeBegan(Self.mail, .fetch), at: .zero)
      let written = writer.line(entering: event, at: Instant(nanoseconds: 5))
      let line = try #require(written)
      let source = try SourceFile(name: "t", bytes: Array("\(header.json)\n\(line.json())\n".utf8))
      let read = try #require(try Trace.decode(source).lines.first)
      #expect(read == line)
      guard case .event(let traced) = read.body else { return }
      if case .returned = event { #expect(traced.verb == .return && traced.callback == .wake(.fetch)) }
      if case .began = event { #expect(traced.verb == .begin && traced.callback == .wake(.fetch)) }
      // A device of which nothing is as the event says, so that what the line leaves out shows.
      let device = DeviceFacts(backgroundRefresh: .restricted, lowPowerMode: true, battery: 1, isCharging: true, memory: 9, thermal: .fair)
      var coder = TraceCoder(apps: header.apps, labels: Self.texts, device: device)
      coder.note(open)
      let app = read.app.map { AppID(rawValue: UInt32(header.apps.firstIndex(of: $0)!)) }
      #expect(coder.event(for: traced, app: app) == event, "\(line.json())")
    }
  }

  @Test func `a task that ended twice is told by its number, and ended tasks are not kept`() throws {
    var driver = Driver(Engine(policy: try PolicyFile.load("ios13").policy))
    let mail = driver.addApp()
    driver.say(.launch(mail))
    var table = TaskTable()
    var first: BackgroundTask?
    for round in 0..<2_000 {
      guard case .begun(let task) = driver.ask(.beginTask(mail, label: UInt32(round % 3), handler: .present)) else { return }
      first = first ?? task
      driver.say(.endTask(mail, task))
      while let item = driver.pull() { if case .action(let action) = item { table.note(action) } }
    }
    #expect(table.count == 3)
    let again = table.task(try #require(first).id, of: mail)
    driver.say(.endTask(mail, again))
    let told = driver.pull()
    guard case .action(.diagnostic(.unknownTask, mail, let task)) = told else {
      Issue.record("\(told.debugDescription)")
      return
    }
    #expect(task.id == first?.id)
    driver.say(.reboot)
    while let item = driver.pull() { if case .action(let action) = item { table.note(action) } }
    #expect(table.count == 0)
  }
}
