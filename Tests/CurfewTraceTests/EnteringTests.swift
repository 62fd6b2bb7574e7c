import CurfewEngine
import CurfewPolicy
import CurfewText
import CurfewTrace
import TestRuns
import TestSupport
import Testing

/// Events that enter an engine, converted to a trace's line and back.
@Suite(.inTurn) struct EnteringTests {
  private static let mail = AppID(rawValue: 0)
  private static let maps = AppID(rawValue: 1)
  private static let policy: Policy = {
    var policy = try! PolicyFile.load("ios13").policy
    policy.names = PolicyNames(ownFacts: ["parked"])
    return policy
  }()
  private static let own = [
    "setFact.fact": ["parked"], "setInterval.kind": ["region"],
    "task": ["upload"], "handler": ["none"],
    "setDevice.backgroundRefresh": ["true", "false", "restricted"],
    "setDevice.memory": ["policy", "5B", "4GiB"],
    "footprint": ["0B", "\(Int64.max)B"], "for": ["0s", "\(Int64.max)ns"],
    "value": ["x", "a \"b\"\u{7}"],
  ]

  /// The action that begins a task which `maps` holds open.
  private static func openTask() throws -> Action {
    var driver = Driver(Engine(policy: try PolicyFile.load("ios13").policy))
    _ = (driver.addApp(), driver.addApp())
    driver.say(.launch(maps))
    driver.say(.beginTask(maps, label: 0, handler: .present))
    guard case .begun(let task) = driver.ask(.beginTask(maps, label: 0, handler: .present)) else {
      preconditionFailure("No task began")
    }
    return .taskBegan(maps, task)
  }

  @Test func `every event survives conversion to a line and its text`() throws {
    let open = try Self.openTask()
    guard case .taskBegan(_, let task) = open else { return }
    let apps = ["mail", "maps"]
    let header = TraceHeader(
      name: "x", policy: "ios13", policyDigest: "0", seed: 0, clock: "monotonic", apps: apps)
    var random = SeededGenerator(seed: 25)
    // The engine learns of an added app by itself.
    for row in InputVerb.rows where row.verb != .addApp {
      for _ in 0..<40 {
        var made = TraceCoder(apps: apps, labels: ["upload"], policy: Self.policy)
        made.note(open)
        var deed = random.deed(row, Self.own)
        if deed.verb == .endTask {
          deed.task = random.pick([nil, .invalid, task.id, TaskID(rawValue: 1)])
        }
        let app = row.subject.isNamed(&random) ? random.pick([Self.mail, Self.maps]) : nil
        let entered = made.event(for: deed, app: app)
        let event = try #require(entered)
        var writer = TraceCoder(apps: apps, labels: made.labels, policy: Self.policy)
        for app in [Self.mail, Self.maps] { _ = writer.line(for: .event(app, .fetch), at: .zero) }
        let line = writer.line(entering: event, at: Instant(nanoseconds: 5))
        let source = try SourceFile(
          name: "t", bytes: Array("\(header.json)\n\(line.json())\n".utf8))
        let read = try #require(try Trace.decode(source).lines.first)
        #expect(read == line)
        guard case .event(let traced) = read.body else { return }
        #expect(traced.verb == row.verb && event.verb == row.verb)
        if [.begin, .return].contains(row.verb) { #expect(traced.callback == .wake(.fetch)) }
        // Every fact of this device differs from the event's, so a fact missing from the line
        // is noticed.
        let device = DeviceFacts(
          backgroundRefresh: .restricted, lowPowerMode: true, battery: 1, charging: true,
          memory: 9, thermal: .fair)
        var coder = TraceCoder(apps: apps, labels: made.labels, device: device, policy: Self.policy)
        coder.note(open)
        #expect(
          coder.event(
            for: traced, app: read.app.map { AppID(rawValue: UInt32(apps.firstIndex(of: $0)!)) })
            == event, "\(line.json())")
      }
    }
  }

  @Test func `a task that ended twice is named by its number, and ended tasks are not kept`() throws
  {
    var driver = Driver(Engine(policy: try PolicyFile.load("ios13").policy))
    let mail = driver.addApp()
    driver.say(.launch(mail))
    var table = TaskTable()
    var first: BackgroundTask?
    for round in 0..<2_000 {
      guard
        case .begun(let task) = driver.ask(
          .beginTask(mail, label: UInt32(round % 3), handler: .present))
      else { return }
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
