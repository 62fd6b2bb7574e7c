import CurfewEngine
import CurfewPolicy
import CurfewText
import CurfewTrace
import TestRuns
import TestSupport
import Testing

/// Runs that go on where a trace was cut.
@Suite(.inTurn) struct ResumeTests {
  private let file: PolicyFile

  init() throws { file = try PolicyFile.load("ios13") }

  private static let replay = "replay with: CURFEW_SEED=… swift test --filter ResumeTests"

  private func bytes(_ trace: Trace) -> [UInt8] {
    Array(
      (([trace.header.json] + trace.lines.map { $0.json() }).joined(separator: "\n") + "\n").utf8)
  }

  /// The number of whole lines, with the header.
  private func lineCount(_ bytes: some Sequence<UInt8>) -> Int {
    bytes.count { $0 == UInt8(ascii: "\n") }
  }

  /// Pulls a step, and notes its tasks, which later lines of the trace name.
  private func pull(_ run: inout Replay.Resumed) {
    while let item = run.recorder.pull(from: &run.driver) {
      if case .action(let action) = item { run.recorder.note(action) }
    }
  }

  /// Cuts a trace, resumes it, and gives it the events that followed.
  /// - Returns: The bytes that count, and what the resumed run has added.
  private func resumed(_ trace: Trace, _ all: [UInt8], cutAt place: Int) throws -> [UInt8] {
    let cut = Array(all[..<place])
    var run = try Replay.resume(cut, name: "cut", under: file)
    let sink = MemorySink()
    sink.write(Array(cut[..<run.length]))
    run.recorder.append(to: sink)
    let kept = lineCount(cut) - 1
    // All apps in the order of their numbers.
    var apps = trace.header.apps
    for line in trace.lines[..<kept] where line.verb == .addApp { apps.append(line.app ?? "") }
    for line in trace.lines[kept...] {
      switch line.body {
      case .event(let deed) where deed.verb == .addApp:
        if line.time > run.driver.now { run.driver.move(to: line.time) }
        apps.append(line.app ?? "")
        _ = run.recorder.addApp(
          named: line.app ?? "", deed.manifest ?? AppManifest(), to: &run.driver)
      case .event(let deed):
        let app = line.app.flatMap(apps.lastIndex).map { AppID(rawValue: UInt32($0)) }
        let made = run.recorder.event(for: deed, app: app)
        let event = try #require(made)
        run.recorder.record(event, at: line.time)
        run.driver.sayOverdue(event, at: line.time)
        pull(&run)
      case .advance:
        let isTaken = run.driver.step(until: line.time)
        #expect(isTaken)
        run.recorder.recordAdvance(at: run.driver.now)
        pull(&run)
      case .resumed(let clocks, let cgroup):
        run.recorder.record(clocks, cgroup: cgroup, at: line.time)
      case .end: run.recorder.finish(at: line.time)
      default: break
      }
    }
    run.recorder.finishStep()
    return sink.bytes
  }

  /// Long campaigns begin with a trace of more than 100,000 lines.
  private func steps(_ seed: UInt64) -> Int {
    Campaign.isQuick ? 150 : seed == 0 && Campaign.runs(0) >= 100 ? 15_000 : 300
  }

  @Test(arguments: [true, false])
  func `a trace that was cut anywhere goes on with the same lines`(isVirtual: Bool) throws {
    for seed in Campaign.seeds(2) {
      let trace = RealTimeRun.trace(
        seed: seed, under: file, steps: steps(seed), isVirtual: isVirtual)
      let all = bytes(trace)
      let header = trace.header.json.utf8.count + 1
      var random = SeededGenerator(seed: seed)
      let places = (0..<5).map { _ in header + random.below(all.count - header) }
      for place in places {
        let whole = try resumed(trace, all, cutAt: place)
        let isSame = whole == all
        #expect(isSame, "seed \(seed), cut at \(place); \(ResumeTests.replay)")
      }
    }
  }

  @Test(arguments: [true, false])
  func `a trace that was cut at any byte of its last lines goes on with the same lines`(
    isVirtual: Bool
  ) throws {
    let trace = RealTimeRun.trace(seed: 5, under: file, steps: 40, isVirtual: isVirtual)
    let all = bytes(trace)
    let last = trace.lines.suffix(20).reduce(0) { $0 + $1.json().utf8.count + 1 }
    // The whole trace has its end, behind which nothing follows.
    for place in stride(from: all.count - last, to: all.count, by: Campaign.isQuick ? 7 : 1) {
      #expect(try resumed(trace, all, cutAt: place) == all, "cut at \(place)")
    }
  }

  @Test func `a resumed run hands out its apps, its length and what was not told`() throws {
    let sink = MemorySink()
    var driver = Driver(Engine(policy: file.policy))
    var recorder = TraceRecorder(name: "run", under: file, to: sink)
    let mail = recorder.addApp(named: "mail", to: &driver)
    let maps = recorder.addApp(named: "maps", to: &driver)
    recorder.say(.launch(maps), to: &driver)
    while recorder.pull(from: &driver) != nil {}
    recorder.say(.removeApp(mail), to: &driver)
    while recorder.pull(from: &driver) != nil {}
    recorder.finishStep()
    // willFinishLaunching has not returned.
    var run = try Replay.resume(sink.bytes, name: "run", under: file)
    #expect(run.apps == ["maps": maps] && run.undone == [] && run.length == sink.bytes.count)
    #expect(run.driver.owesReturn(maps) && !run.driver.owesReturn(mail))
    #expect(run.driver.now == .zero)
    // A torn line is cut off, and the actions behind the event are undone.
    let lines = sink.text.split(separator: "\n", omittingEmptySubsequences: false)
    let torn = lines[..<3].joined(separator: "\n") + "\n{\"t\":0,\"app\":\"maps\",\"ty"
    run = try Replay.resume(Array(torn.utf8), name: "torn", under: file)
    #expect(run.length == lines[..<3].joined(separator: "\n").utf8.count + 1)
    #expect(run.undone == [.callback(maps, .willFinishLaunching)])
    let rest = MemorySink()
    run.recorder.append(to: rest)
    #expect(rest.text == lines[3] + "\n")
    // The line `end` does not count.
    recorder.finish(at: driver.now)
    run = try Replay.resume(sink.bytes, name: "run", under: file)
    #expect(run.length == sink.bytes.count - #"{"t":0,"type":"end"}"#.utf8.count - 1)
  }

  @Test func `a run knows how long it was away, by the boot's clock or the wall clock`() throws {
    let sink = MemorySink()
    var driver = Driver(Engine(policy: file.policy))
    var recorder = TraceRecorder(name: "run", under: file, to: sink)
    let app = recorder.addApp(named: "job", to: &driver)
    let second: Int64 = 1_000_000_000
    func clocks(_ boot: String, uptime: Int64, wall: Int64) -> HostClocks {
      HostClocks(boot: boot, uptime: uptime * second, wall: wall * second)
    }
    recorder.record(clocks("a", uptime: 100, wall: 5_000), cgroup: "/exec/1", at: .zero)
    driver.move(to: .zero + .seconds(10))
    recorder.say(.launch(app), to: &driver)
    while recorder.pull(from: &driver) != nil {}
    let run = try Replay.resume(sink.bytes, name: "run", under: file)
    let found = run.lastStart
    let start = try #require(found)
    #expect(start.cgroup == "/exec/1" && start.last == .zero + .seconds(10))
    func after(_ boot: String, uptime: Int64, wall: Int64) -> Continuation {
      start.continuation(at: clocks(boot, uptime: uptime, wall: wall))
    }
    func expect(_ found: Continuation, _ seconds: Int64, _ isReboot: Bool, behind: Int64? = nil) {
      #expect(found.instant == .zero + .seconds(seconds))
      #expect(found.hasRebooted == isReboot && found.behind == behind.map { .seconds($0) })
    }
    // The engine stood at 10 s when the uptime was 110 s. The wall clock does not matter.
    expect(after("a", uptime: 110, wall: 1), 10, false)
    expect(after("a", uptime: 170, wall: 999_999), 70, false)
    expect(after("a", uptime: 109, wall: 5_010), 10, false, behind: 1)
    // After another boot the wall clock counts: the engine stood at 10 s when it was 5,010 s.
    expect(after("b", uptime: 3, wall: 5_040), 40, true)
    expect(after("b", uptime: 3, wall: 5_000 + 31_536_000), 31_536_000, true)
    // A clock that was set back by a year frees nothing.
    expect(after("b", uptime: 3, wall: 0), 10, true, behind: 5_010)
    #expect(
      start.continuation(at: HostClocks(boot: "b", uptime: 0, wall: .max)).instant
        > .zero + .seconds(10))
  }

  @Test func `an uptime that goes backwards within a boot is refused`() throws {
    let header = try #require(
      String(decoding: bytes(RealTimeRun.trace(seed: 1, under: file, steps: 0)), as: UTF8.self)
        .split(separator: "\n").first)
    func line(_ boot: String, _ uptime: Int64) -> String {
      #"{"t":0,"type":"resumed","boot":"\#(boot)","uptime":\#(uptime),"wall":0}"#
    }
    func refusal(_ lines: String...) -> String {
      self.refusal(([String(header)] + lines).joined(separator: "\n") + "\n", under: file)
    }
    #expect(refusal(line("a", 5), line("a", 5), line("a", 6), line("b", 1)) == "none")
    #expect(
      refusal(line("a", 6), line("a", 5))
        == "t:3:1: error: the uptime of a boot goes backwards, from 6 to 5")
    #expect(refusal(line("a", -1)).hasPrefix("t:2:1: error: "))
  }

  private func refusal(_ text: String, under file: PolicyFile) -> String {
    do throws(Replay.ResumeError) {
      _ = try Replay.resume(Array(text.utf8), name: "t", under: file)
      return "none"
    } catch {
      return "\(error)"
    }
  }

  @Test func `a trace that differs is refused with its place, and one of another policy with that`()
    throws
  {
    let trace = RealTimeRun.trace(seed: 3, under: file, steps: 300)
    let text = String(decoding: bytes(trace), as: UTF8.self)
    var lines = text.split(separator: "\n").map(String.init)
    #expect(refusal(text, under: file) == "none")
    let other = try PolicyFile.load("ios7")
    #expect(
      refusal(text, under: other).contains("was recorded under 'ios13' with digest"))
    #expect(refusal("", under: file) == "t:1:1: error: the file has no whole line")
    #expect(refusal(lines[0], under: file) == "t:1:1: error: the file has no whole line")
    #expect(refusal("nonsense\n", under: file).hasPrefix("t:1:1: error: "))
    let place = try #require(lines.firstIndex { $0.contains(#""to":"inactive""#) })
    let line = lines[place]
    lines[place] = line.replacing("inactive", with: "background")
    #expect(
      refusal(lines.joined(separator: "\n") + "\n", under: file)
        == "line \(place + 1): the trace has \(lines[place]), the engine did \(line)")
    lines[place] = String(line.prefix(20))
    #expect(
      refusal(lines.joined(separator: "\n") + "\n", under: file).hasPrefix(
        "t:\(place + 1):1: error: "))
  }

  @Test(arguments: [true, false])
  func `a trace with a wrong byte is refused with its place, or goes on and replays`(
    isVirtual: Bool
  ) throws {
    for seed in Campaign.seeds(2) {
      let trace = RealTimeRun.trace(seed: seed, under: file, steps: 40, isVirtual: isVirtual)
      let all = bytes(trace)
      var random = SeededGenerator(seed: seed)
      for _ in 0..<50 {
        var changed = all
        let place = random.below(all.count)
        changed[place] ^= UInt8(1 << random.below(8))
        try goOn(changed, isVirtual, "seed \(seed), byte \(place); \(ResumeTests.replay)")
      }
    }
  }

  /// Resumes the bytes if they allow it, and runs on for an hour.
  private func goOn(_ bytes: [UInt8], _ isVirtual: Bool, _ comment: Comment) throws {
    let sink = MemorySink()
    do throws(Replay.ResumeError) {
      var run = try Replay.resume(bytes, name: "t", under: file)
      sink.write(Array(bytes[..<run.length]))
      run.recorder.append(to: sink)
      let start = run.driver.now
      for index in UInt32(0)..<10 * 60 {
        for app in run.apps.values.sorted(by: { $0.rawValue < $1.rawValue })
        where run.driver.owesReturn(app) {
          run.recorder.say(.returned(app), to: &run.driver)
          while run.recorder.pull(from: &run.driver) != nil {}
        }
        let now = start + .seconds(6 * Int64(index))
        guard now > start || index == 0, now < .distantFuture else { break }
        while run.recorder.next(from: &run.driver, until: max(now, run.driver.now)) != nil {}
        if run.driver.standstill != nil { return }
      }
    } catch {
      switch error {
      case .invalid(let errors): #expect(!errors.diagnostics.isEmpty, comment)
      case .different(let divergence): #expect(divergence.line > 1, comment)
      }
      return
    }
    let divergence = try Replay.run(try sink.trace(), under: file)
    #expect(divergence == nil, comment)
  }
}

extension TraceLine {
  fileprivate var verb: InputVerb? {
    if case .event(let deed) = body { deed.verb } else { nil }
  }
}
