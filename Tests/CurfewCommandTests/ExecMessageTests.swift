import CurfewEngine
import CurfewPolicy
import CurfewSystem
import CurfewText
import CurfewTrace
import Foundation
import Testing

@testable import CurfewCommand

/// The words and the report of `curfew exec`: why a command was denied, and how it went.
@Suite struct ExecMessageTests {
  private static let second: Int64 = 1_000_000_000

  /// A run of a command that ends by itself after a time, or when it is warned.
  private func run(
    _ file: PolicyFile, kind: String = "job", length: Int64 = 10, warning: Int64 = 3,
    for time: Int64 = 1, journal: Journal? = nil, patience: Interval = .zero,
    in world: FakeWorld = FakeWorld()
  ) throws -> (ExecResult, String) {
    world.begun = { world, process in
      world.plan(at: world.now + time * Self.second) { $0.end(process, status: 0) }
    }
    let request = GrantedCommand.Request(
      words: [Array("cmd".utf8)], name: "cmd",
      kind: try #require(file.policy.names.kind(KindName(rawValue: kind))),
      times: RunTimes(length: .seconds(length), warning: .seconds(warning)))
    var run = ExecRun(
      policy: ExecPolicy(file), request: request, requiresCgroup: false, console: Console())
    (run.journal, run.patience) = (journal, patience)
    let (result, messages) = try run.perform(in: world)
    return (result, messages.map(\.text).joined(separator: "\n"))
  }

  private func server(_ values: [(String, String)]) throws -> PolicyFile {
    try PolicyFile.load("server").set(values.map { ValueSetting(path: $0.0, text: $0.1) })
  }

  // MARK: Denials

  @Test func `W1 a kind that cannot start a process is denied for ever, and the message says why`()
    throws
  {
    let (result, text) = try run(
      server([("wakes.backup", "{length: 10s, overrun: kill}")]), kind: "backup")
    #expect(result.exitCode == 75 && result.denial?.reason == "mayNotRelaunch")
    #expect(result.denial?.isPermanent == true && result.denial?.allowedFrom == nil)
    #expect(
      text.hasSuffix(
        "; no time ends this denial: a command does not run before it is started, so its row needs 'relaunches: true'"
      ), "\(text)")
  }

  @Test func `W4 only a denial that time ends is told as one`() throws {
    let (folder, first) = (try TemporaryFolder(), FakeWorld())
    let file = try server([("wakes.job.budgets", "[20s in 5m]")])
    _ = try run(
      file, length: 15, for: 14, journal: first.journal(in: folder, under: file), in: first)
    let second = FakeWorld(now: first.now + Self.second)
    let (result, text) = try run(file, journal: second.journal(in: folder, under: file), in: second)
    #expect(result.exitCode == 0, "\(text)")
    let third = FakeWorld(now: second.now + Self.second)
    _ = try run(file, for: 5, journal: third.journal(in: folder, under: file), in: third)
    let last = FakeWorld(now: third.now + Self.second)
    let (denied, reason) = try run(file, journal: last.journal(in: folder, under: file), in: last)
    #expect(denied.exitCode == 75 && denied.denial?.reason == "budget", "\(reason)")
    #expect(denied.denial?.isPermanent == false && denied.denial?.allowedFrom != nil)
    #expect(reason.contains("; allowed from ") && !reason.contains("no time"), "\(reason)")
    // A fact that nothing changes denies too.
    let blocked = try server([("facts.draining.unset", "true"), ("wakes.job.admissions", "0")])
    let (never, words) = try run(blocked)
    #expect(never.denial?.reason == "budget, draining" && never.denial?.isPermanent == true)
    #expect(
      words.hasSuffix("; no time ends this denial, only other values of the policy"), "\(words)")
  }

  @Test func `a cause that an option has set names the option and no file`() throws {
    let (result, text) = try run(server([("facts.draining.unset", "true")]))
    #expect(text.contains("(Policies/server.yaml:"), "\(text)")
    let cause = try #require(result.denial?.causes.first)
    #expect(cause.place?.file == "Policies/server.yaml" && cause.option == nil)
    let (set, words) = try run(
      server([("wakes.job.admissions", "0"), ("wakes.job.window", "1h")]))
    let option = try #require(set.denial?.causes.first)
    #expect(option.option == "--policy-set wakes.job.admissions" && option.place == nil)
    #expect(
      words.contains("because wakes.job.admissions is 0 (--policy-set wakes.job.admissions)"),
      "\(words)")
    let json = ExecResult.form.json(set).closed
    #expect(
      json.contains(#""option":"--policy-set wakes.job.admissions""#) && !json.contains(#""line""#),
      "\(json)")
  }

  @Test func `a wait that is over is not advised`() throws {
    let (folder, file) = (try TemporaryFolder(), try PolicyFile.load("server"))
    let world = FakeWorld()
    let journal = world.journal(in: folder, under: file)
    guard let lock = try FileLock.take(journal.path) else {
      Issue.record("the lock is taken")
      return
    }
    let (now, text) = try run(file, journal: journal, in: world)
    #expect(now.exitCode == 75 && text.hasSuffix("; --wait waits for it"), "\(text)")
    #expect(now.denial?.isPermanent == false)
    let (later, words) = try run(file, journal: journal, patience: .seconds(2), in: world)
    #expect(later.exitCode == 75 && words.contains("is still in use by "), "\(words)")
    #expect(words.hasSuffix(" after 2s"), "\(words)")
    lock.release()
  }

  // MARK: The course of a run

  @Test func `a report has the grant's length, its end, and the limit behind the warning`() throws {
    let plain = try run(PolicyFile.load("server")).0.run
    #expect(plain.length == 10 * Self.second && plain.limit == nil)
    #expect(plain.endedAt == 1_000 + Self.second)
    let long = try run(PolicyFile.load("server"), for: 60).0.run
    #expect(long.limit == .length && long.endedAt == 1_000 + 7 * Self.second)
    let file = try server([("wakes.job.budgets", "[8s in 5m]"), ("wakes.job.leastRoom", "1s")])
    let short = try run(file, for: 60).0
    #expect(short.exitCode == 124 && short.run.limit == .budget)
    #expect(short.run.length == 10 * Self.second && short.run.endedAt == 1_000 + 5 * Self.second)
    // Without a warning, the end has the limit.
    #expect(try run(file, warning: 0, for: 60).0.run.limit == .budget)
    #expect(try run(PolicyFile.load("server"), warning: 0, for: 60).0.run.limit == .length)
  }

  // MARK: The page

  /// `nightly.yaml` of the page.
  private func nightly() throws -> PolicyFile {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(
      contentsOf: root.appendingPathComponent("Documentation/formats/exec.md"), encoding: .utf8)
    let block = try #require(page.components(separatedBy: "```yaml\n").dropFirst().first)
    let text = block.components(separatedBy: "\n```")[0]
    return try PolicyFile.decode(text, name: "nightly.yaml")
  }

  @Test func `the page's policy admits ten minutes in eight hours`() throws {
    let (file, folder) = (try nightly(), try TemporaryFolder())
    #expect(file.warnings.isEmpty)
    var world = FakeWorld()
    func backup(for time: Int64, after pause: Int64) throws -> (ExecResult, String) {
      world = FakeWorld(now: world.now + pause * Self.second)
      return try run(
        file, kind: "backup", length: 600, warning: 30, for: time,
        journal: world.journal(in: folder, under: file), in: world)
    }
    #expect(try backup(for: 400, after: 0).0.exitCode == 0)
    #expect(try backup(for: 140, after: 60).0.exitCode == 0)
    let (denied, text) = try backup(for: 1, after: 60)
    #expect(denied.exitCode == 75 && denied.denial?.reason == "budget", "\(text)")
    #expect(try backup(for: 1, after: 8 * 3_600).0.exitCode == 0)
  }
}
