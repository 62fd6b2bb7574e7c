import ArgumentParser
import CurfewEngine
import CurfewPolicy
import CurfewSystem
import CurfewText
import Foundation

/// A run of `curfew exec` after its options have been read.
struct ExecRun {
  let policy: ExecPolicy
  let request: GrantedCommand.Request
  /// Whether a command without a cgroup of its own is not started.
  let requiresCgroup: Bool
  let console: Console

  /// The file that keeps the budgets; nil for none.
  var journal: Journal?
  /// How long to wait for another run on the same journal.
  var patience = Interval.zero

  /// Asks for the grant, and runs the command.
  /// - Returns: The result, and the message about a failure of the start or of the journal.
  func perform(in world: any ProcessWorld) throws -> (ExecResult, Message?) {
    guard let journal else {
      let (cgroup, problem) = try makeCgroup(in: world)
      return try perform(
        GrantedCommand(request, under: policy.policy, in: world), cgroup, problem, world)
    }
    guard var lock = try takeLock(journal.path, world) else { return lockedOut(journal.path) }
    let state = try journal.open(holding: &lock)
    if let remark = state.remark { console.tell(.warning, "exec: \(journal.path): \(remark)") }
    if let old = state.cgroup { try end(old, of: journal, in: world) }
    let (cgroup, problem) = try makeCgroup(in: world)
    let result = try perform(
      GrantedCommand(request, after: state, in: cgroup, of: world), cgroup, problem, world)
    lock.release()
    return result
  }

  /// Ends the tree of the last run, which may have been killed.
  private func end(_ cgroup: String, of journal: Journal, in world: any ProcessWorld) throws {
    guard let isCgroup = world.isCgroup(cgroup) else { return }
    let name = cgroup.split(separator: "/").last ?? ""
    guard isCgroup, name.hasPrefix(ExecRun.prefix) else {
      throw Journal.Damage(message: "\(journal.path): '\(cgroup)' is no cgroup of exec")
    }
    guard ProcessTree(in: cgroup, of: world).end({ _, _ in }) else {
      throw Journal.Damage(
        message: "\(journal.path): what the last run has started lives on in \(cgroup)")
    }
  }

  /// The beginning of the names of cgroups.
  private static let prefix = "curfew-exec-"

  private func makeCgroup(in world: any ProcessWorld) throws -> (String?, SystemError?) {
    let name = "\(ExecRun.prefix)\(getpid())-\(String(world.now, radix: 36))"
    do { return (try world.makeCgroup(named: name), nil) } catch {
      if requiresCgroup { throw error }
      return (nil, error)
    }
  }

  /// Takes the lock of the journal.
  /// - Returns: nil if another run holds it until the patience ends.
  private func takeLock(_ path: String, _ world: any ProcessWorld) throws -> FileLock? {
    let limit = (Instant(nanoseconds: world.now) + patience).nanoseconds
    while true {
      if let lock = try FileLock.take(path) { return lock }
      guard world.now < limit else { return nil }
      let news = world.next(until: min(limit, world.now + ExecRun.lookDistance))
      if case .signal(let number, _) = news { throw ExitCode(128 + number) }
    }
  }

  /// The time between two looks at a lock that another run holds.
  private static let lookDistance: Int64 = 20_000_000

  private func lockedOut(_ path: String) -> (ExecResult, Message?) {
    let holder = FileLock.holder(of: path).map { "process \($0)" } ?? "another process"
    let kind = policy.policy.names.name(of: request.kind).rawValue
    let denial = ExecResult.Denial(kind: kind, reason: "the journal is in use by \(holder)")
    return (
      ExecResult(exitCode: ExitCode.deniedForNow.rawValue, denial: denial),
      Message(.error, "exec: \(path) is in use by \(holder); --wait waits for it")
    )
  }

  private func perform(
    _ granted: consuming GrantedCommand, _ folder: String?, _ trouble: SystemError?,
    _ world: any ProcessWorld
  ) throws -> (ExecResult, Message?) {
    var command = granted
    var (cgroup, problem) = (folder, trouble)
    let denial = command.ask()
    if denial != nil || command.journalFailure != nil { _ = cgroup.map(world.removeCgroup) }
    if let failure = command.journalFailure { throw damage(failure) }
    if let denial { return try denied(denial) }
    while true {
      if let problem { console.tell(.warning, ExecRun.weakPromise(problem)) }
      let tree = ProcessTree(in: cgroup, of: world)
      do {
        try command.perform(in: tree)
      } catch {
        _ = tree.end { _, _ in }
        // A folder may be made where no process may be placed.
        if !error.isOfCommand, cgroup != nil, !requiresCgroup {
          (cgroup, problem) = (nil, SystemError(code: error.code, attempt: "start in a cgroup"))
          continue
        }
        command.noteFailure(error)
        return failed(error, command.run)
      }
      let run = command.run
      if !run.isTreeGone {
        console.tell(.warning, "exec: the command was killed, and some of it has not ended yet")
      }
      let result = ExecResult(
        exitCode: run.exitCode, run: run, promise: cgroup == nil ? .subreaper : .cgroup)
      return (result, command.journalFailure.map { Message(.error, "exec: \(damage($0))") })
    }
  }

  private func damage(_ failure: any Error) -> Journal.Damage {
    Journal.Damage(message: "\(journal?.path ?? "the journal"): \(failure)")
  }

  private static func weakPromise(_ problem: SystemError) -> String {
    "exec: no cgroup (\(problem)): everything that the command starts is killed at its end, but if exec is killed with SIGKILL, only the command's own process dies with it"
  }

  private func failed(_ error: StartError, _ run: GrantedRun) -> (ExecResult, Message?) {
    let code: Int32 = !error.isOfCommand ? 125 : error.code == ENOENT ? 127 : 126
    let text = String(cString: strerror(error.code))
    return (
      ExecResult(exitCode: code, run: run), Message(.error, "exec: \(request.words[0]): \(text)")
    )
  }

  private func denied(_ denial: GrantDenial) throws -> (ExecResult, Message?) {
    let file = try policy.read()
    let kind = policy.policy.names.name(of: request.kind)
    let explanations = file.explanations(
      ofDenial: denial.denials, kind: kind, next: denial.next,
      in: Explanation.Setting(app: request.name, manifest: request.manifest))
    let from = denial.wait.flatMap { wait in
      let (time, isTooLate) = WallTime.now.addingReportingOverflow(wait.nanoseconds)
      return isTooLate ? nil : time
    }
    let causes = explanations.map { "; because \($0.because)" }.joined()
    let time = from.map { "; allowed from \(WallTime.local($0)) on" } ?? ""
    let result = ExecResult(
      exitCode: ExitCode.deniedForNow.rawValue,
      denial: ExecResult.Denial(
        kind: kind.rawValue, reason: "\(denial.denials)", allowedFrom: from,
        explanations: explanations))
    return (
      result,
      Message(
        .error, "exec: \(kind) for '\(request.name)' is denied: \(denial.denials)\(causes)\(time)")
    )
  }
}
