import CurfewEngine
import CurfewPolicy
import CurfewText
import CurfewTrace
import TestRuns
import Testing

/// The recorder of a host that runs a driver.
@Suite(.inTurn) struct TraceRecorderTests {
  private let ios13: PolicyFile

  init() throws { ios13 = try PolicyFile.load("ios13") }

  private struct Full: Error, CustomStringConvertible {
    let description = "the disk is full"
  }

  /// Keeps each write by itself. The write after `limit` writes fails.
  private final class StepSink: TraceSink, @unchecked Sendable {
    private(set) var writes: [[UInt8]] = []
    private let limit: Int

    init(limit: Int = .max) { self.limit = limit }

    func write(_ steps: [UInt8]) throws {
      guard writes.count < limit else { throw Full() }
      writes.append(steps)
    }
  }

  /// A host whose callbacks return at once.
  private struct Host: ~Copyable {
    var driver: Driver
    var recorder: TraceRecorder

    init(_ policy: PolicyFile, to sink: any TraceSink) {
      driver = Driver(Engine(policy: policy.policy, device: DeviceFacts(battery: 50)))
      recorder = TraceRecorder(
        name: "a run", under: policy, device: DeviceFacts(battery: 50), seed: 7, to: sink)
    }

    mutating func run(until limit: Instant) {
      while let item = recorder.next(from: &driver, until: limit) {
        if case .turn(let app) = item { recorder.say(.returned(app), to: &driver) }
      }
    }

    mutating func tell(_ event: Event, at second: Int64) {
      run(until: .zero + .seconds(second))
      recorder.say(event, to: &driver)
      run(until: .zero + .seconds(second))
    }

    /// A run of a minute, with an app that is added late.
    mutating func live() {
      let mail = recorder.addApp(
        named: "mail", AppManifest(backgroundModes: .fetch), to: &driver)
      let upload = recorder.number(of: "upload")
      tell(.launch(mail), at: 1)
      let maps = recorder.addApp(named: "maps", to: &driver)
      tell(.beginTask(mail, label: upload, handler: .present), at: 2)
      tell(.launch(maps), at: 3)
      tell(.unlockFile(maps), at: 4)
      tell(.deliver(mail, .fetch), at: 5)
      tell(.completeWake(mail, WakeChoice(), .newData), at: 6)
      tell(.crash(maps, .signal(15)), at: 7)
      run(until: .zero + .seconds(60))
    }
  }

  @Test func `a host's recording replays, with apps of its header and apps that were added`() throws
  {
    let sink = MemorySink()
    var host = Host(ios13, to: sink)
    host.live()
    host.recorder.finish(at: host.driver.now)
    let trace = try sink.trace()
    #expect(trace.header.name == "a run" && trace.header.seed == 7)
    #expect(trace.header.apps == ["mail"])
    #expect(trace.lines.contains { $0.app == "maps" && $0.json().contains(#""do":"addApp""#) })
    #expect(trace.lines.last == TraceLine(time: .zero + .seconds(60), app: nil, .end))
    #expect(try Replay.run(trace, under: ios13) == nil)
    let texts = sink.text.split(separator: "\n").map(String.init)
    #expect(Array(texts.dropFirst()) == trace.lines.map { $0.json() })
    // The end of the grant has details that its text lacks.
    let end = trace.lines.compactMap { line -> RecordedProcessEnd? in
      if case .terminated(let process) = line.body { process } else { nil }
    }
    #expect(end.map(\.reason) == [.signal, .backgroundTaskAssertionTimeout])
    #expect(end.first?.exit == .signal(15) && end.last?.details?.kind == .finiteTask)
  }

  @Test func `each write has whole steps, so that a recording can be cut after any of them`() throws
  {
    let sink = StepSink()
    var host = Host(ios13, to: sink)
    host.live()
    var bytes: [UInt8] = []
    #expect(sink.writes.count > 10)
    for (index, write) in sink.writes.enumerated() {
      #expect(write.last == UInt8(ascii: "\n"))
      let memory = MemorySink()
      memory.write(bytes + write)
      let lines = try memory.trace().lines
      let known = bytes.count { $0 == UInt8(ascii: "\n") }
      switch lines[max(0, known - 1)].body {
      case .event, .advance: break
      default: Issue.record("write \(index) begins with \(lines[max(0, known - 1)])")
      }
      #expect(try Replay.run(try memory.trace(), under: ios13) == nil)
      bytes += write
    }
  }

  @Test func `a sink that fails ends the recording at a whole step, and the host goes on`() throws {
    let all = StepSink()
    var whole = Host(ios13, to: all)
    whole.live()
    for limit in 0..<all.writes.count {
      let sink = StepSink(limit: limit)
      var host = Host(ios13, to: sink)
      host.live()
      #expect(host.recorder.failure is Full)
      #expect(sink.writes == Array(all.writes[..<limit]))
      #expect(host.driver.now == whole.driver.now)
    }
  }

  @Test func `a return whose delivery was not recorded is left out`() throws {
    var driver = Driver(Engine(policy: ios13.policy))
    let app = driver.addApp()
    driver.say(.launch(app))
    while case .action? = driver.pull() {}
    let sink = MemorySink()
    var recorder = TraceRecorder(name: "late", under: ios13, to: sink)
    var other = Driver(Engine(policy: ios13.policy))
    _ = recorder.addApp(named: "mail", to: &other)
    recorder.say(.returned(app), to: &driver)
    while case .action? = recorder.pull(from: &driver) {}
    recorder.finishStep()
    #expect(try sink.trace().lines.first?.json().contains("didFinishLaunching") == true)
  }

  @Test func `lines about tasks are the bytes of their lines, whatever their names are`() throws {
    let names = ["", "upload", "a \"b\" \\ \n\u{7}", "über ☃ 𝄞"] + (0..<5_000).map { "task \($0)" }
    let fast = MemorySink()
    var recorder = TraceRecorder(name: "fast", under: ios13, to: fast)
    var driver = Driver(Engine(policy: ios13.policy))
    let app = recorder.addApp(named: "a \"mail\"", to: &driver)
    recorder.say(.launch(app), to: &driver)
    while let item = recorder.pull(from: &driver) {
      if case .turn(let app) = item { recorder.say(.returned(app), to: &driver) }
    }
    for (index, name) in names.enumerated() {
      let label = recorder.number(of: name)
      driver.move(to: Instant(nanoseconds: Int64(index) << 40))
      let handler: ExpirationHandler = index % 2 == 0 ? .present : .absent
      let answer = recorder.ask(.beginTask(app, label: label, handler: handler), to: &driver)
      while recorder.pull(from: &driver) != nil {}
      guard case .begun(let task) = answer else { continue }
      recorder.say(.endTask(app, task), to: &driver)
      while recorder.pull(from: &driver) != nil {}
    }
    let trace = try fast.trace()
    #expect(trace.lines.count > 4 * names.count - 10)
    let texts = fast.text.split(separator: "\n").map(String.init)
    #expect(Array(texts.dropFirst()) == trace.lines.map { $0.json() })
    #expect(try Replay.run(trace, under: ios13) == nil)
  }

  @Test func `a recording refuses a driver that leaves actions out, before its first line`() async {
    for action in 0..<3 {
      await #expect(processExitsWith: .failure) { [action = action as Int] in
        let policy = try PolicyFile.load("ios13")
        var recorder = TraceRecorder(name: "a run", under: policy, to: MemorySink())
        let kinds = ActionKinds.all.subtracting(.probes)
        var driver = Driver(Engine(policy: policy.policy), wanting: kinds)
        let mail = recorder.addApp(named: "mail", to: &driver)
        switch action {
        case 0: recorder.say(.launch(mail), to: &driver)
        case 1: _ = recorder.ask(.launch(mail), to: &driver)
        default: _ = recorder.pull(from: &driver)
        }
      }
    }
  }

  @Test func `a recording takes a driver that wants kinds which do not exist yet`() throws {
    let sink = MemorySink()
    var recorder = TraceRecorder(name: "a run", under: ios13, to: sink)
    var driver = Driver(Engine(policy: ios13.policy), wanting: ActionKinds(rawValue: .max))
    let mail = recorder.addApp(named: "mail", to: &driver)
    recorder.say(.launch(mail), to: &driver)
    while let item = recorder.pull(from: &driver) {
      if case .turn(let app) = item { recorder.say(.returned(app), to: &driver) }
    }
    #expect(try Replay.run(sink.trace(), under: ios13) == nil)
  }
}
