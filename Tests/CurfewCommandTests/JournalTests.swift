import CurfewEngine
import CurfewPolicy
import CurfewSystem
import CurfewText
import CurfewTrace
import Foundation
import TestRuns
import TestSupport
import Testing

@testable import CurfewCommand

/// Journals of `curfew exec`, with processes and clocks that a test makes up.
@Suite struct JournalTests {
  private static let minute: Int64 = 60_000_000_000
  private static let hour = 60 * minute
  private static let year = 365 * 24 * hour

  /// A machine with a journal, on which one command runs after the other.
  private final class Machine {
    let folder: TemporaryFolder
    let file: PolicyFile
    var leastCut = 1_000
    var boot = "first"
    var uptime: Int64 = 1_000
    var wall: Int64 = 50 * JournalTests.year

    init(_ values: [(String, String)] = [("wakes.job.budgets", "[10m in 8h]")]) throws {
      folder = try TemporaryFolder()
      file = try PolicyFile.load("server").set(
        values.map { ValueSetting(path: $0.0, text: $0.1) })
    }

    var path: String { folder.url.appendingPathComponent("journal.jsonl").path }
    var text: String { (try? folder.read("journal.jsonl")) ?? "" }

    func pass(_ time: Int64) { (uptime, wall) = (uptime + time, wall + time) }

    private func journal(_ world: FakeWorld) -> Journal {
      let (boot, start, wall) = (boot, uptime, wall)
      var journal = Journal(path: path, file: file)
      journal.clocks = {
        HostClocks(boot: boot, uptime: world.now, wall: max(0, wall + world.now - start))
      }
      journal.leastCut = leastCut
      return journal
    }

    private var request: GrantedCommand.Request {
      GrantedCommand.Request(
        words: ["cmd"], name: "cmd", kind: file.policy.names.kind("job") ?? .fetch,
        times: RunTimes(length: .seconds(3_600), warning: .seconds(5)))
    }

    /// Runs a command that ends by itself after a time.
    func run(_ length: Int64, in world: FakeWorld? = nil) throws -> ExecResult {
      let world = world ?? FakeWorld(now: uptime)
      let start = world.now
      world.begun = { world, process in
        world.plan(at: world.now + length) { $0.end(process, status: 0) }
      }
      var run = ExecRun(
        policy: ExecPolicy(file), request: request, requiresCgroup: false, console: Console())
      run.journal = journal(world)
      let result = try run.perform(in: world).0
      pass(world.now - start)
      return result
    }

    /// Begins a run, and kills it after a time.
    func kill(after time: Int64) throws {
      let world = FakeWorld(now: uptime)
      guard var lock = try FileLock.take(path) else { return }
      let state = try journal(world).open(holding: &lock)
      var command = GrantedCommand(
        request, after: state, in: try world.makeCgroup(named: "curfew-exec-1"), of: world)
      let isGranted = command.ask() == nil
      #expect(isGranted)
      lock.release()
      pass(time)
    }

    /// The lines of a trace that replays.
    func replayed(_ name: String = "journal.jsonl") throws -> [TraceLine] {
      let source = try SourceFile.read(folder.url.appendingPathComponent(name).path)
      let trace = try Trace.decode(source)
      #expect(try Replay.run(trace, under: PolicyFile.load("server")) == nil)
      return trace.lines
    }
  }

  @Test func `a budget outlives its run`() throws {
    let machine = try Machine()
    #expect(try machine.run(6 * Self.minute).exitCode == 0)
    #expect(try machine.run(20 * Self.minute).exitCode == 124)
    let denied = try machine.run(Self.minute)
    #expect(denied.exitCode == 75 && denied.denial?.reason == "budget")
    #expect(denied.denial?.allowedFrom != nil)
    machine.pass(8 * Self.hour)
    #expect(try machine.run(Self.minute).exitCode == 0)
    let lines = try machine.replayed()
    #expect(
      lines.count { if case .resumed = $0.body { true } else { false } } == 4)
    #expect(!machine.text.contains("illegalEvent"))
  }

  @Test func `a run that was killed ends as a failure of its host, and counts`() throws {
    let machine = try Machine()
    try machine.kill(after: 20 * Self.minute)
    let world = FakeWorld(now: machine.uptime)
    let old = try world.makeCgroup(named: "curfew-exec-1")
    _ = world.add(below: 2, cgroup: old)
    let denied = try machine.run(Self.minute, in: world)
    #expect(denied.exitCode == 75 && world.cgroups.isEmpty && world.members.isEmpty)
    #expect(machine.text.contains(#""reason":"hostFailure""#))
    _ = try machine.replayed()
    // A short run leaves the rest of the budget.
    let other = try Machine()
    try other.kill(after: Self.minute)
    #expect(try other.run(Self.minute).exitCode == 0)
    _ = try other.replayed()
  }

  @Test func `a cgroup of another boot is left alone`() throws {
    let machine = try Machine()
    try machine.kill(after: Self.minute)
    machine.boot = "second"
    let world = FakeWorld(now: machine.uptime)
    let old = try world.makeCgroup(named: "curfew-exec-1")
    #expect(try machine.run(Self.minute, in: world).exitCode == 0)
    #expect(world.cgroups == [old])
    #expect(machine.text.contains(#""do":"reboot""#))
    _ = try machine.replayed()
  }

  @Test func `a wall clock that is set back across a boot frees nothing`() throws {
    let machine = try Machine()
    #expect(try machine.run(20 * Self.minute).exitCode == 124)
    (machine.boot, machine.uptime) = ("second", 5_000)
    machine.wall -= Self.year
    #expect(try machine.run(Self.minute).exitCode == 75)
    machine.pass(7 * Self.hour)
    #expect(try machine.run(Self.minute).exitCode == 75)
    machine.pass(2 * Self.hour)
    #expect(try machine.run(Self.minute).exitCode == 0)
    _ = try machine.replayed()
  }

  @Test func `a journal that is shortened gives the same answers`() throws {
    let policies: [[(String, String)]] = [
      [("wakes.job.budgets", "[10m in 8h]")],
      [("wakes.job.budgets", "[3 admissions in 1h, 20m in 1d]"), ("wakes.job.length", "1h")],
    ]
    var cuts = 0
    for seed in Campaign.seeds(6) {
      var random = SeededGenerator(seed: seed)
      let values = policies[Int(seed) % policies.count]
      let (short, long) = (try Machine(values), try Machine(values))
      (short.leastCut, long.leastCut) = (20, 1_000_000)
      for _ in 0..<60 {
        let pause = Int64.random(in: 0...(3 * Self.hour), using: &random)
        let length = Int64.random(in: 1...(15 * Self.minute), using: &random)
        let isKilled = Int.random(in: 0..<8, using: &random) == 0
        var codes: [Int32] = []
        for machine in [short, long] {
          machine.pass(pause)
          let result = try machine.run(length)
          codes.append(result.exitCode)
          if isKilled, result.exitCode != 75 {
            machine.pass(2 * Self.hour)
            if try machine.run(1).exitCode == 0 { try machine.kill(after: length) }
          }
        }
        try #require(codes[0] == codes[1], "seed \(seed)")
      }
      _ = try short.replayed()
      if short.text.contains(#""continues":"journal.jsonl.1""#) {
        cuts += 1
        _ = try short.replayed("journal.jsonl.1")
        #expect(short.text.utf8.count < long.text.utf8.count)
      }
    }
    #expect(cuts > 0)
  }

  @Test func `a journal of another policy, and a damaged one, are refused`() throws {
    let machine = try Machine()
    _ = try machine.run(1)
    let other = try Machine([("wakes.job.length", "2h")])
    try other.folder.write(machine.text, to: "journal.jsonl")
    #expect(throws: (any Error).self) { try other.run(1) }
    try machine.folder.write(
      machine.text.replacingOccurrences(of: #""kind":"job""#, with: #""kind":"fetch""#),
      to: "journal.jsonl")
    #expect(throws: (any Error).self) { try machine.run(1) }
    // A torn line does not count.
    let torn = try Machine()
    _ = try torn.run(1)
    try torn.folder.write(torn.text + #"{"t":12,"a"#, to: "journal.jsonl")
    #expect(try torn.run(1).exitCode == 0)
    _ = try torn.replayed()
  }

  @Test func `one run at a time uses a journal`() throws {
    let machine = try Machine()
    guard let lock = try FileLock.take(machine.path) else {
      Issue.record("A new file is locked")
      return
    }
    if try FileLock.take(machine.path) != nil { Issue.record("A lock was given twice") }
    #expect(FileLock.holder(of: machine.path) == getpid())
    let denied = try machine.run(1)
    #expect(denied.exitCode == 75 && denied.denial?.reason.contains("\(getpid())") == true)
    lock.release()
    #expect(try machine.run(1).exitCode == 0)
  }
}
