import ArgumentParser
import CurfewEngine
import CurfewPolicy
import CurfewSystem
import CurfewText
import CurfewTrace
import Foundation
import Testing

@testable import CurfewCommand

extension ExecTests {
  /// A world in which the command ends after a second.
  private func brief(now: Int64 = 1_000) -> FakeWorld {
    let world = FakeWorld(now: now)
    world.begun = { world, process in
      world.plan(at: world.now + Self.second) { $0.end(process, status: 0) }
    }
    return world
  }

  @Test func `nothing starts while the tree of the last run lives`() throws {
    let (folder, file) = (try TemporaryFolder(), try PolicyFile.load("server"))
    let first = brief()
    _ = try run(first, under: file, journal: first.journal(in: folder, under: file))
    let text = try folder.read("j.jsonl")
    let old = try #require(text.firstMatch(of: /"cgroup":"([^"]+)"/)?.output.1)

    // A process is left that ends, then one that does not.
    let second = brief(now: first.now + Self.second)
    _ = second.addCgroup(String(old), populated: true)
    #expect(
      try run(second, under: file, journal: second.journal(in: folder, under: file)).0.exitCode == 0
    )
    #expect(isClean(second))

    let before = try folder.read("j.jsonl")
    let last = try #require(before.matches(of: /"cgroup":"([^"]+)"/).last?.output.1)
    let third = brief(now: second.now + Self.second)
    third.unkillable = [try #require(third.addCgroup(String(last), populated: true))]
    third.begun = { _, _ in Issue.record("the command has started") }
    #expect(throws: Journal.Damage.self) {
      try run(third, under: file, journal: third.journal(in: folder, under: file))
    }
    #expect(
      try folder.read("j.jsonl").matches(of: /"resumed"/).count
        == before.matches(of: /"resumed"/).count)

    // A path that is no cgroup is not touched.
    let fourth = brief(now: third.now + Self.second)
    fourth.foreignFolders = [String(last)]
    #expect(throws: Journal.Damage.self) {
      try run(fourth, under: file, journal: fourth.journal(in: folder, under: file))
    }
  }

  @Test func `a signal while the tree of the last run is ended keeps the command from starting`()
    throws
  {
    let (folder, file) = (try TemporaryFolder(), try PolicyFile.load("server"))
    let first = brief()
    _ = try run(first, under: file, journal: first.journal(in: folder, under: file))
    let text = try folder.read("j.jsonl")
    let name = try #require(text.firstMatch(of: /"cgroup":"([^"]+)"/)?.output.1)
    let second = brief(now: first.now + Self.second)
    let rest = try #require(second.addCgroup(String(name), populated: true))
    second.unkillable = [rest]
    second.plan(at: second.now + Self.second) { $0.say(.signal(SIGTERM, isKernels: false)) }
    second.plan(at: second.now + 2 * Self.second) { $0.end(rest, status: 9) }
    second.begun = { _, _ in Issue.record("the command has started") }
    let code = #expect(throws: ExitCode.self) {
      try run(second, under: file, journal: second.journal(in: folder, under: file))
    }
    #expect(code?.rawValue == 143 && isClean(second) && second.now > 2 * Self.second)
    #expect(try folder.read("j.jsonl") == text)
    let third = brief(now: second.now + Self.second)
    let journal = third.journal(in: folder, under: file)
    #expect(try run(third, under: file, journal: journal).0.exitCode == 0)
  }

  @Test func `a copy of a journal does not end the run that goes on`() throws {
    let (folder, file) = (try TemporaryFolder(), try PolicyFile.load("server"))
    let first = brief()
    _ = try run(first, under: file, journal: first.journal(in: folder, under: file))
    let text = try folder.read("j.jsonl")
    let name = try #require(text.firstMatch(of: /"cgroup":"([^"]+)"/)?.output.1)
    for isReleased in [false, true] {
      let second = brief(now: first.now + Self.second)
      let process = try #require(second.addCgroup(String(name), populated: true))
      second.heldCgroups = [String(name)]
      // A program that was killed releases the journal a little before its cgroup.
      if isReleased { second.plan(at: second.now + Self.second / 2) { $0.heldCgroups = [] } }
      let journal = second.journal(in: folder, under: file)
      if isReleased {
        #expect(try run(second, under: file, journal: journal).0.exitCode == 0)
        #expect(isClean(second))
      } else {
        #expect(throws: Journal.Damage.self) { try run(second, under: file, journal: journal) }
        #expect(second.members[process] != nil)
        #expect(try folder.read("j.jsonl") == text)
      }
    }
  }

  @Test func `a wait for a journal may be as long as any duration`() throws {
    let (folder, file) = (try TemporaryFolder(), try PolicyFile.load("server"))
    let world = FakeWorld()
    let journal = world.journal(in: folder, under: file)
    guard let lock = try FileLock.take(journal.path) else {
      Issue.record("the lock is taken")
      return
    }
    world.plan(at: 2 * Self.second) { $0.say(.signal(SIGTERM, isKernels: false)) }
    #expect(throws: (any Error).self) {
      try run(world, under: file, journal: journal, patience: .greatest)
    }
    #expect(isClean(world))
    lock.release()
  }

  @Test func `a time beyond the wall clock's range is unknown`() throws {
    let values = [("budgets", "[1s in 106000d]"), ("leastRoom", "100ms")]
    let file = try PolicyFile.load("server").set(
      values.map { ValueSetting(path: "wakes.job.\($0.0)", text: $0.1) })
    let (folder, first) = (try TemporaryFolder(), FakeWorld(now: 1_000))
    first.ignored = [SIGTERM]
    let used = try run(first, under: file, journal: first.journal(in: folder, under: file)).0
    #expect(used.exitCode == 137)
    let second = brief(now: first.now + Self.second)
    let (result, messages) = try run(
      second, under: file, journal: second.journal(in: folder, under: file))
    #expect(result.exitCode == 75 && result.denial?.allowedFrom == nil)
    #expect(messages.first?.text.contains("allowed from") == false)
  }
}
