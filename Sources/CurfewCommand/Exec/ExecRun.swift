import ArgumentParser
import Curfew
import CurfewEngine
import CurfewPolicy
import CurfewSystem
import CurfewText
import CurfewTrace
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
  /// - Returns: The result, and messages about failures of the start and of the journal.
  func perform(in world: any ProcessWorld) throws -> (ExecResult, [Message]) {
    guard var journal else {
      let (cgroup, problem) = try makeCgroup(in: world)
      return try perform(
        GrantedCommand(request, under: policy.policy, in: world), cgroup, problem, world)
    }
    // Tries a cgroup first, so that a run that may not start without one leaves no journal. The
    // real one is made after the wait: nobody would remove it if exec were killed meanwhile.
    if requiresCgroup || !world.seesDescendants {
      _ = try makeCgroup(in: world).0.map(world.removeCgroup)
    }
    guard var lock = try takeLock(journal.path, world) else { return lockedOut(journal.path) }
    let path = journal.path
    journal.endTree = { try end($0, of: path, in: world) }
    let state = try journal.open(holding: &lock)
    if let remark = state.remark { console.tell(.warning, "exec: \(path): \(remark)") }
    let (cgroup, problem) = try makeCgroup(in: world)
    var (result, messages) = try perform(
      GrantedCommand(request, after: state, in: cgroup, of: world), cgroup, problem, world)
    if !lock.isHeld(at: path) {
      messages.append(
        Message(
          .error,
          "exec: \(path) was removed or replaced meanwhile: this run is not in the file of that name"
        )
      )
    }
    lock.release()
    return (result, messages)
  }

  /// Ends the tree of the last run, which may have been killed.
  private func end(_ cgroup: String, of path: String, in world: any ProcessWorld) throws {
    guard let isCgroup = world.isCgroup(cgroup) else { return }
    let name = cgroup.split(separator: "/").last ?? ""
    guard isCgroup, name.hasPrefix(ExecRun.prefix) else {
      throw Journal.Damage(message: "\(path): '\(cgroup)' is no cgroup of exec")
    }
    // A program that has just been killed releases the journal a little before its cgroup.
    let limit = world.now + ExecRun.releaseTime
    while world.isHeld(cgroup) {
      guard try pause(until: limit, world) else {
        throw Journal.Damage(
          message: "\(path): the last run goes on in \(cgroup): the file is a copy of its journal")
      }
    }
    let isPopulated = world.isPopulated(cgroup)
    var signal: Int32?
    let rest = ProcessTree(in: cgroup, of: world).end(hearing: { signal = signal ?? $0 }) { _, _ in
    }
    guard rest == .nothing else {
      throw Journal.Damage(
        message: "\(path): what the last run has started lives on in \(cgroup)")
    }
    if isPopulated {
      console.tell(
        .warning,
        "exec: \(path): the last run was killed; what it had left in \(cgroup) is ended now")
    }
    if let signal { throw ExitCode(128 + signal) }
  }

  /// The longest time between the release of a journal and that of its cgroup.
  private static let releaseTime: Int64 = 1_000_000_000

  /// The beginning of the names of cgroups.
  private static let prefix = "curfew-exec-"

  private func makeCgroup(in world: any ProcessWorld) throws -> (String?, SystemError?) {
    let name = "\(ExecRun.prefix)\(getpid())-\(String(world.now, radix: 36))"
    do { return (try world.makeCgroup(named: name), nil) } catch {
      if requiresCgroup || error.isOfDescriptors { throw error }
      guard world.seesDescendants else {
        let text =
          "exec: no cgroup (\(error)), and no /proc of this PID namespace: processes that the command starts could not be found"
        throw console.failure(Message(.error, text), .execFailed)
      }
      return (nil, error)
    }
  }

  /// Takes the lock of the journal.
  /// - Returns: nil if another run holds it until the patience ends.
  private func takeLock(_ path: String, _ world: any ProcessWorld) throws -> FileLock? {
    let limit = (Instant(nanoseconds: world.now) + patience).nanoseconds
    while true {
      if let lock = try FileLock.take(path) { return lock }
      guard try pause(until: limit, world) else {
        // A holder that is no longer known may have ended since the lock was refused.
        return FileLock.holder(of: path) == nil ? try FileLock.take(path) : nil
      }
    }
  }

  /// Waits a little for another run.
  /// - Returns: false if the time is over.
  private func pause(until limit: Int64, _ world: any ProcessWorld) throws -> Bool {
    guard world.now < limit else { return false }
    let news = world.next(until: min(limit, world.now + ExecRun.lookDistance))
    if let signal = world.ending(by: news) { throw ExitCode(128 + signal) }
    return true
  }

  /// The time between two looks at a lock that another run holds.
  private static let lookDistance: Int64 = 20_000_000

  private func lockedOut(_ path: String) -> (ExecResult, [Message]) {
    let holder = FileLock.holder(of: path).map { "process \($0)" } ?? "another process"
    let kind = policy.policy.names.name(of: request.kind).rawValue
    let denial = ExecResult.Denial(kind: kind, reason: "the journal is in use by \(holder)")
    let text =
      patience == .zero
      ? "is in use by \(holder); --wait waits for it"
      : "is still in use by \(holder) after \(HumanTime.text(patience))"
    return (
      ExecResult(exitCode: ExitCode.deniedForNow.rawValue, denial: denial),
      [Message(.error, "exec: \(path) \(text)")]
    )
  }

  private func perform(
    _ granted: consuming GrantedCommand, _ folder: String?, _ trouble: SystemError?,
    _ world: any ProcessWorld
  ) throws -> (ExecResult, [Message]) {
    var command = granted
    var (cgroup, problem) = (folder, trouble)
    let denial = command.ask()
    if denial != nil || command.journalFailure != nil { _ = cgroup.map(world.removeCgroup) }
    if let failure = command.journalFailure { throw damage(failure) }
    if let denial {
      let (result, message) = try denied(denial)
      return (result, [message] + lost(&command))
    }
    while true {
      if let problem { console.tell(.warning, ExecRun.weakPromise(problem)) }
      let tree = ProcessTree(in: cgroup, of: world)
      do {
        try command.perform(in: tree)
      } catch {
        _ = tree.end { _, _ in }
        // A folder may be made where no process may be placed.
        let cause = SystemError(code: error.code, attempt: "start in a cgroup")
        if !error.isOfCommand, cgroup != nil, !requiresCgroup, !cause.isOfResources,
          world.seesDescendants
        {
          (cgroup, problem) = (nil, cause)
          continue
        }
        command.noteFailure(error)
        let (result, message) = failed(error, cgroup, command.run)
        return (result, [message] + lost(&command))
      }
      let run = command.run
      if let message = run.restMessage { console.tell(message) }
      let promise: ExecResult.Promise = cgroup == nil ? .subreaper : .cgroup
      let result = ExecResult(
        exitCode: run.exitCode, run: run, promise: run.hasStarted ? promise : nil)
      return (result, lost(&command))
    }
  }

  /// Closes the journal.
  /// - Returns: A message if a part of the run is not in it.
  private func lost(_ command: inout GrantedCommand) -> [Message] {
    command.closeJournal()
    return command.journalFailure.map { [Message(.error, "exec: \(damage($0))")] } ?? []
  }

  private func damage(_ failure: any Error) -> Journal.Damage {
    // A failed write names the file.
    if let failure = failure as? FileSinkError { return Journal.Damage(message: "\(failure)") }
    return Journal.Damage(message: "\(journal?.path ?? "the journal"): \(failure)")
  }

  private static func weakPromise(_ problem: SystemError) -> String {
    "exec: no cgroup (\(problem)): everything that the command starts is killed at its end, but if exec is killed with SIGKILL, only the command's own process dies with it"
  }

  private func failed(_ error: StartError, _ cgroup: String?, _ run: GrantedRun)
    -> (ExecResult, Message)
  {
    let code: Int32 = !error.isOfCommand ? 125 : error.code == ENOENT ? 127 : 126
    var cause = SystemError(code: error.code, attempt: "start a process")
    if let cgroup, !cause.isOfResources {
      cause = SystemError(code: error.code, attempt: "start a process in \(cgroup)")
    }
    let text =
      error.isOfCommand
      ? "\(String(decoding: request.words[0], as: UTF8.self)): \(String(cString: strerror(error.code)))"
      : "\(cause)"
    return (ExecResult(exitCode: code, run: run), Message(.error, "exec: \(text)"))
  }

  private func denied(_ denial: GrantDenial) throws -> (ExecResult, Message) {
    let file = try policy.read()
    let kind = policy.policy.names.name(of: request.kind)
    let explanations = file.explanations(
      ofDenial: denial.denials, kind: kind, next: denial.next,
      in: Explanation.Setting(app: request.name, manifest: request.manifest))
    let from = denial.wait.flatMap { wait in
      let now = (journal?.clocks() ?? .now()).wall
      let (time, isTooLate) = now.addingReportingOverflow(wait.nanoseconds)
      return isTooLate ? nil : time
    }
    let causes = explanations.map { ExecResult.Cause($0, under: file) }
    let result = ExecResult(
      exitCode: ExitCode.deniedForNow.rawValue,
      denial: ExecResult.Denial(
        kind: kind.rawValue, reason: "\(denial.denials)", allowedFrom: from,
        isPermanent: denial.isPermanent, causes: causes))
    let reasons = causes.map { "; because \($0.text)" }.joined()
    let time = from.map { "; allowed from \(WallTime.local($0)) on" } ?? ExecRun.permanence(denial)
    return (
      result,
      Message(
        .error, "exec: \(kind) for '\(request.name)' is denied: \(denial.denials)\(reasons)\(time)")
    )
  }

  private static func permanence(_ denial: GrantDenial) -> String {
    if !denial.isPermanent { return "" }
    if denial.denials.contains(.mayNotRelaunch) {
      return
        "; no time ends this denial: a command does not run before it is started, so its row needs 'relaunches: true'"
    }
    return "; no time ends this denial, only other values of the policy"
  }
}

extension GrantedRun {
  /// The message about the part of the tree that is left; nil if nothing is.
  fileprivate var restMessage: Message? {
    switch rest {
    case .nothing: nil
    case .remains:
      Message(.warning, "exec: something that the command has started has not ended yet")
    case .forbidden:
      runsOn
        ? Message(
          .error,
          "exec: the command may not be ended: \(String(cString: strerror(EPERM))); it runs on")
        : Message(
          .warning,
          "exec: something that the command has started may not be ended: \(String(cString: strerror(EPERM)))"
        )
    }
  }
}
