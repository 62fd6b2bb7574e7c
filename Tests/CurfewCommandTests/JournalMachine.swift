import CurfewEngine
import CurfewPolicy
import CurfewSystem
import CurfewText
import CurfewTrace
import Foundation
import TestSupport
import Testing

@testable import CurfewCommand

/// A machine with a journal, on which one command runs after the other, with processes and clocks
/// that a test makes up.
final class JournalMachine {
  static let minute: Int64 = 60_000_000_000
  static let hour = 60 * minute
  static let year = 365 * 24 * hour

  let folder: TemporaryFolder
  let file: PolicyFile
  var leastCut = 1_000
  var boot = "first"
  var uptime: Int64 = 1_000
  var wall: Int64 = 50 * JournalMachine.year

  init(_ file: PolicyFile) throws { (self.file, folder) = (file, try TemporaryFolder()) }

  /// A machine under the policy `server` with these values.
  convenience init(_ values: [(String, String)] = [("wakes.job.budgets", "[10m in 8h]")]) throws {
    try self.init(
      PolicyFile.load("server").set(values.map { ValueSetting(path: $0.0, text: $0.1) }))
  }

  func path(_ name: String = "journal.jsonl") -> String {
    folder.url.appendingPathComponent(name).path
  }

  var text: String { (try? folder.read("journal.jsonl")) ?? "" }

  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.url.path)) ?? []).sorted()
  }

  func pass(_ time: Int64) { (uptime, wall) = (uptime + time, wall + time) }

  /// Boots again after a time.
  func reboot(after time: Int64) { (boot, uptime, wall) = (boot + "'", 5_000, wall + time) }

  func journal(_ world: FakeWorld? = nil) -> Journal {
    let (boot, start, wall) = (boot, uptime, wall)
    var journal = Journal(path: path(), file: file)
    journal.clocks = {
      let now = world?.now ?? start
      return HostClocks(boot: boot, uptime: now, wall: max(0, wall + now - start))
    }
    journal.leastCut = leastCut
    return journal
  }

  private func request(_ name: String) -> GrantedCommand.Request {
    GrantedCommand.Request(
      words: [Array("cmd".utf8)], name: name, kind: file.policy.names.kind("job") ?? .fetch,
      times: RunTimes(length: .seconds(3_600), warning: .seconds(5)))
  }

  /// Runs a command that ends by itself after a time.
  func run(_ length: Int64, named name: String = "cmd", in world: FakeWorld? = nil) throws
    -> ExecResult
  {
    let world = world ?? FakeWorld(now: uptime)
    let start = world.now
    world.begun = { world, process in
      world.plan(at: world.now + length) { $0.end(process, status: 0) }
    }
    var run = ExecRun(
      policy: ExecPolicy(file), request: request(name), requiresCgroup: false, console: Console())
    run.journal = journal(world)
    let result = try run.perform(in: world).0
    pass(world.now - start)
    return result
  }

  /// Begins a run, and kills it after a time.
  /// - Returns: Whether the run has begun; false if it is denied.
  func kill(after time: Int64) throws -> Bool {
    let world = FakeWorld(now: uptime)
    guard var lock = try FileLock.take(path()) else {
      Issue.record("the journal is locked")
      return false
    }
    let state = try journal(world).open(holding: &lock)
    var command = GrantedCommand(
      request("cmd"), after: state, in: try world.makeCgroup(named: "curfew-exec-1"), of: world)
    let isGranted = command.ask() == nil
    lock.release()
    pass(time)
    return isGranted
  }

  /// Opens the journal, and writes nothing more.
  /// - Returns: The remark, and the instant at which a run would begin.
  func open() throws -> (remark: String?, instant: Instant) {
    guard var lock = try FileLock.take(path()) else { return ("locked", .zero) }
    let state = try journal().open(holding: &lock)
    return (state.remark, state.driver.now)
  }

  /// The lines of a trace that replays.
  func replayed(_ name: String = "journal.jsonl") throws -> Trace {
    let trace = try Trace.decode(try SourceFile.read(path(name)))
    #expect(try Replay.run(trace, under: file) == nil)
    return trace
  }
}
