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

/// Journals of `curfew exec`.
@Suite struct JournalTests {
  @Test func `a budget outlives its run`() throws {
    let machine = try JournalMachine()
    #expect(try machine.run(6 * JournalMachine.minute).exitCode == 0)
    #expect(try machine.run(20 * JournalMachine.minute).exitCode == 124)
    let denied = try machine.run(JournalMachine.minute)
    #expect(denied.exitCode == 75 && denied.denial?.reason == "budget")
    #expect(denied.denial?.allowedFrom != nil)
    machine.pass(8 * JournalMachine.hour)
    #expect(try machine.run(JournalMachine.minute).exitCode == 0)
    let trace = try machine.replayed()
    #expect(
      trace.lines.count { if case .resumed = $0.body { true } else { false } } == 4)
    #expect(!machine.text.contains("illegalEvent"))
  }

  @Test func `a run that was killed ends as a failure of its host, and counts`() throws {
    let machine = try JournalMachine()
    #expect(try machine.kill(after: 20 * JournalMachine.minute))
    let world = FakeWorld(now: machine.uptime)
    let old = try world.makeCgroup(named: "curfew-exec-1")
    _ = world.add(below: 2, cgroup: old)
    let denied = try machine.run(JournalMachine.minute, in: world)
    #expect(denied.exitCode == 75 && world.cgroups.isEmpty && world.members.isEmpty)
    #expect(machine.text.contains(#""reason":"hostFailure""#))
    _ = try machine.replayed()
    // A short run leaves the rest of the budget.
    let other = try JournalMachine()
    #expect(try other.kill(after: JournalMachine.minute))
    #expect(try other.run(JournalMachine.minute).exitCode == 0)
    _ = try other.replayed()
  }

  @Test func `a run that was killed counts until nothing of it is left`() throws {
    let machine = try JournalMachine()
    #expect(try machine.kill(after: JournalMachine.minute))
    let world = FakeWorld(now: machine.uptime)
    let old = try world.makeCgroup(named: "curfew-exec-1")
    let rest = world.add(below: 2, cgroup: old)
    world.unkillable = [rest]
    world.plan(at: world.now + 5_000_000_000) { $0.end(rest, status: 9) }
    #expect(try machine.run(JournalMachine.minute, in: world).exitCode == 0)
    let end = try machine.replayed().lines.first {
      if case .terminated = $0.body { true } else { false }
    }
    #expect(try #require(end?.time) >= .zero + .seconds(65))
  }

  @Test func `a run that a boot has cut counts up to the boot`() throws {
    // It runs for a minute; the machine stands still for one more, and has been up for eight.
    let machine = try JournalMachine()
    #expect(try machine.kill(after: JournalMachine.minute))
    machine.reboot(after: 9 * JournalMachine.minute)
    machine.uptime = 8 * JournalMachine.minute
    #expect(try machine.run(7 * JournalMachine.minute).exitCode == 0)
    let end = try machine.replayed().lines.first {
      if case .terminated = $0.body { true } else { false }
    }
    #expect(end?.time == .zero + .seconds(120))
    // A machine that has been up for longer than the wall clock has moved has a wrong clock.
    let other = try JournalMachine()
    #expect(try other.kill(after: JournalMachine.minute))
    other.reboot(after: JournalMachine.minute)
    other.uptime = JournalMachine.year
    #expect(try other.run(9 * JournalMachine.minute).exitCode == 124)
    _ = try other.replayed()
  }

  @Test func `a journal of a policy with another name is refused, even without runs`() throws {
    func policy(_ name: String, _ values: String = "") throws -> PolicyFile {
      try PolicyFile.decode(
        "curfew: policy/1\nname: \(name)\nextends: server\n\(values)", name: "\(name).yaml")
    }
    let machine = try JournalMachine(policy("one"))
    _ = try machine.run(1)
    let header = String(machine.text.prefix { $0 != "\n" }) + "\n"
    for file in try [policy("two"), policy("three", "wakes: {job: {length: 9m}}\n")] {
      for text in [machine.text, header, header + #"{"t":12,"a"#] {
        let other = try JournalMachine(file)
        try other.folder.write(text, to: "journal.jsonl")
        let world = FakeWorld(now: other.uptime)
        let error = #expect(throws: Journal.Damage.self) { try other.run(1, in: world) }
        let message = error?.message ?? ""
        #expect(message.contains("under 'one' with") && message.contains("'\(file.name)'"))
        #expect(other.text == text && world.starts == 0)
      }
    }
  }

  @Test func `a cgroup of another boot is left alone`() throws {
    let machine = try JournalMachine()
    #expect(try machine.kill(after: JournalMachine.minute))
    machine.boot = "second"
    let world = FakeWorld(now: machine.uptime)
    let old = try world.makeCgroup(named: "curfew-exec-1")
    #expect(try machine.run(JournalMachine.minute, in: world).exitCode == 0)
    #expect(world.cgroups == [old])
    #expect(machine.text.contains(#""do":"reboot""#))
    _ = try machine.replayed()
  }

  @Test func `a wall clock that is set back across a boot frees nothing`() throws {
    let machine = try JournalMachine()
    #expect(try machine.run(20 * JournalMachine.minute).exitCode == 124)
    (machine.boot, machine.uptime) = ("second", 5_000)
    machine.wall -= JournalMachine.year
    let remark = try machine.open().remark
    #expect(
      remark?.hasPrefix("the wall clock is ") == true, "\(remark ?? "")")
    #expect(try machine.run(JournalMachine.minute).exitCode == 75)
    machine.pass(7 * JournalMachine.hour)
    #expect(try machine.run(JournalMachine.minute).exitCode == 75)
    machine.pass(2 * JournalMachine.hour)
    #expect(try machine.run(JournalMachine.minute).exitCode == 0)
    _ = try machine.replayed()
  }

  @Test func `a wall clock that was set forward across a boot is believed`() throws {
    let machine = try JournalMachine()
    #expect(try machine.run(20 * JournalMachine.minute).exitCode == 124)
    machine.reboot(after: 9 * JournalMachine.hour)
    #expect(try machine.open().remark == nil)
    #expect(try machine.run(JournalMachine.minute).exitCode == 0)
    _ = try machine.replayed()
  }

  @Test func `within a boot the wall clock does not matter`() throws {
    for change in [-JournalMachine.year, JournalMachine.year] {
      let machine = try JournalMachine()
      #expect(try machine.run(20 * JournalMachine.minute).exitCode == 124)
      machine.wall += change
      let (remark, instant) = try machine.open()
      #expect(remark == nil && instant == .zero + .seconds(595))
      #expect(try machine.run(JournalMachine.minute).exitCode == 75)
      machine.pass(9 * JournalMachine.hour)
      #expect(try machine.run(JournalMachine.minute).exitCode == 0)
      _ = try machine.replayed()
    }
  }

  @Test func `a time since the boot that is behind the journal counts as no time, with a remark`()
    throws
  {
    let machine = try JournalMachine()
    machine.pass(JournalMachine.hour)
    #expect(try machine.run(20 * JournalMachine.minute).exitCode == 124)
    let uptime = machine.uptime
    machine.uptime -= 5 * JournalMachine.minute
    let (remark, instant) = try machine.open()
    #expect(
      remark?.hasPrefix("the time since the boot is ") == true,
      "\(remark ?? "")")
    #expect(instant == .zero + .seconds(595))
    machine.uptime = uptime
    #expect(try machine.open().remark == nil)
    // The line `resumed` could not be read again.
    machine.uptime -= 20 * JournalMachine.minute
    let text = machine.text
    #expect(throws: Journal.Damage.self) { try machine.run(1) }
    #expect(machine.text == text)
  }

  @Test func `a journal of another policy, and a damaged one, are refused`() throws {
    let machine = try JournalMachine()
    _ = try machine.run(1)
    let other = try JournalMachine([("wakes.job.length", "2h")])
    try other.folder.write(machine.text, to: "journal.jsonl")
    let digest = #expect(throws: Journal.Damage.self) { try other.run(1) }
    let parts = [
      "journal.jsonl: the journal was begun under 'server' --policy-set 'wakes.job.budgets=[10m in 8h]' with digest \(machine.file.digest)",
      "; this run is under 'server' (Policies/server.yaml) --policy-set 'wakes.job.length=2h' with digest \(other.file.digest). Move the journal away",
    ]
    for part in parts {
      #expect(digest?.message.contains(part) == true, "\(digest?.message ?? "")")
    }
    #expect(other.text == machine.text)
    let damaged = machine.text.replacingOccurrences(of: #""kind":"job""#, with: #""kind":"fetch""#)
    try machine.folder.write(damaged, to: "journal.jsonl")
    let place = #expect(throws: Replay.ResumeError.self) { try machine.run(1) }
    #expect(place?.description.hasPrefix("line 4: the trace has ") == true)
    #expect(machine.text == damaged)
    // A torn line does not count.
    let torn = try JournalMachine()
    _ = try torn.run(1)
    try torn.folder.write(torn.text + #"{"t":12,"a"#, to: "journal.jsonl")
    #expect(try torn.run(1).exitCode == 0)
    _ = try torn.replayed()
  }

  @Test func `a journal that other readers refuse is refused, with the place`() throws {
    let machine = try JournalMachine()
    _ = try machine.run(1)
    let place = Array(#""boot":""#.utf8)
    var bytes = Array(machine.text.utf8)
    let start = try #require(bytes.indices.first { bytes[$0...].starts(with: place) })
    let line = bytes[..<start].count { $0 == UInt8(ascii: "\n") } + 1
    bytes[start + place.count] = 0xe9
    try machine.folder.write(bytes, to: "journal.jsonl")
    let error = #expect(throws: Replay.ResumeError.self) { try machine.run(1) }
    #expect(
      error?.description.contains("journal.jsonl:\(line):") == true
        && error?.description.contains("0xE9 is not UTF-8") == true, "\(error as Any)")
    #expect(
      try Array(Data(contentsOf: machine.folder.url.appendingPathComponent("journal.jsonl")))
        == bytes)
  }

  @Test func `a journal is a whole trace between two runs, and only there`() throws {
    let machine = try JournalMachine()
    _ = try machine.run(JournalMachine.minute)
    _ = try machine.run(20 * JournalMachine.minute)
    #expect(try machine.run(1).exitCode == 75)
    let whole = try machine.replayed()
    var runs = 0
    for count in whole.lines.indices {
      var trace = whole
      trace.lines = Array(whole.lines[...count])
      let ending = Replay.run(trace, policy: machine.file.policy, isInterrupted: { _ in false })
      let isEnd =
        switch trace.lines[count].body {
        case .terminated: true
        case .decision(_, _, let denied, _): !denied.isEmpty
        default: false
        }
      runs += isEnd ? 1 : 0
      #expect(ending == (isEnd ? .same : .cut(line: count + 2)), "\(trace.lines[count].json())")
      #expect(trace.isWhole == isEnd)
      // The same lines without a host that goes on.
      trace.lines.removeAll { if case .resumed = $0.body { true } else { false } }
      #expect(
        Replay.run(trace, policy: machine.file.policy, isInterrupted: { _ in false })
          == .cut(line: trace.lines.count + 1))
      #expect(!trace.isWhole)
    }
    #expect(runs == 3)
  }

  @Test func `a journal whose time has no room for a grant is refused`() throws {
    let machine = try JournalMachine()
    _ = try machine.run(1)
    for time in [Int64.max, .max - 1, .max / 2] {
      let lines = machine.text.split(separator: "\n")
      let late =
        (lines[..<2] + lines[2...].map { $0.replacing(/"t":\d+/, with: "\"t\":\(time)") })
        .joined(separator: "\n") + "\n"
      let other = try JournalMachine()
      try other.folder.write(late, to: "journal.jsonl")
      let error = #expect(throws: Journal.Damage.self) { try other.run(1) }
      #expect(error?.message.contains("after its beginning") == true)
      #expect(other.text == late)
    }
  }

  /// A journal with another byte, or with the greatest number in the place of one.
  @Test func `a journal that was changed is refused, or goes on and replays`() throws {
    let machine = try JournalMachine()
    for _ in 0..<2 { _ = try machine.run(JournalMachine.minute) }
    #expect(try machine.kill(after: JournalMachine.minute))
    let whole = Array(machine.text.utf8)
    let numbers = machine.text.matches(of: /\d+/).map(\.range)
    for seed in Campaign.seeds(100) {
      var random = SeededGenerator(seed: seed)
      var changed = whole
      if seed % 4 == 0 {
        var text = machine.text
        text.replaceSubrange(numbers[random.below(numbers.count)], with: "\(Int64.max)")
        changed = Array(text.utf8)
      } else {
        changed[random.below(whole.count)] ^= UInt8(1 << random.below(8))
      }
      let other = try JournalMachine()
      (other.uptime, other.wall) = (machine.uptime, machine.wall)
      try other.folder.write(changed, to: "journal.jsonl")
      let world = FakeWorld(now: other.uptime)
      guard (try? other.run(1, in: world)) != nil else { continue }
      let trace = try Trace.decode(try SourceFile.read(other.path()))
      #expect(
        try Replay.run(trace, under: other.file) == nil,
        "replay with: CURFEW_SEED=\(seed) swift test --filter JournalTests")
    }
  }

  @Test func `a file that is no journal stays as it is, and a torn header is written again`() throws
  {
    let machine = try JournalMachine()
    for text in ["notes", "{\"curfew\":\"policy/1\"}", "notes\n", "\0\0\0"] {
      try machine.folder.write(text, to: "journal.jsonl")
      #expect(throws: (any Error).self) { try machine.run(1) }
      #expect(machine.text == text)
    }
    try machine.folder.write("", to: "journal.jsonl")
    #expect(try machine.run(1).exitCode == 0)
    let whole = machine.text
    let header = whole.prefix { $0 != "\n" }.utf8.count
    for length in [1, 12, header, header + 1, header + 20] {
      try machine.folder.write(Array(whole.utf8.prefix(length)), to: "journal.jsonl")
      #expect(try machine.run(1).exitCode == 0, "after \(length) bytes")
      _ = try machine.replayed()
    }
  }

  @Test func `one run at a time uses a journal`() throws {
    let machine = try JournalMachine()
    guard let lock = try FileLock.take(machine.path()) else {
      Issue.record("A new file is locked")
      return
    }
    if try FileLock.take(machine.path()) != nil { Issue.record("A lock was given twice") }
    #expect(FileLock.holder(of: machine.path()) == getpid())
    let denied = try machine.run(1)
    #expect(denied.exitCode == 75 && denied.denial?.reason.contains("\(getpid())") == true)
    lock.release()
    #expect(try machine.run(1).exitCode == 0)
  }
}
