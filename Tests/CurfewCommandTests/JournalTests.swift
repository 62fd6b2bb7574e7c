import CurfewEngine
import CurfewPolicy
import CurfewSystem
import CurfewText
import CurfewTrace
import Foundation
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
    try machine.kill(after: 20 * JournalMachine.minute)
    let world = FakeWorld(now: machine.uptime)
    let old = try world.makeCgroup(named: "curfew-exec-1")
    _ = world.add(below: 2, cgroup: old)
    let denied = try machine.run(JournalMachine.minute, in: world)
    #expect(denied.exitCode == 75 && world.cgroups.isEmpty && world.members.isEmpty)
    #expect(machine.text.contains(#""reason":"hostFailure""#))
    _ = try machine.replayed()
    // A short run leaves the rest of the budget.
    let other = try JournalMachine()
    try other.kill(after: JournalMachine.minute)
    #expect(try other.run(JournalMachine.minute).exitCode == 0)
    _ = try other.replayed()
  }

  @Test func `a cgroup of another boot is left alone`() throws {
    let machine = try JournalMachine()
    try machine.kill(after: JournalMachine.minute)
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
    #expect(throws: (any Error).self) { try other.run(1) }
    try machine.folder.write(
      machine.text.replacingOccurrences(of: #""kind":"job""#, with: #""kind":"fetch""#),
      to: "journal.jsonl")
    #expect(throws: (any Error).self) { try machine.run(1) }
    // A torn line does not count.
    let torn = try JournalMachine()
    _ = try torn.run(1)
    try torn.folder.write(torn.text + #"{"t":12,"a"#, to: "journal.jsonl")
    #expect(try torn.run(1).exitCode == 0)
    _ = try torn.replayed()
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
