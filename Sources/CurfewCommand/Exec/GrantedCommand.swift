import Curfew
import CurfewEngine
import CurfewPolicy
import CurfewSystem
import CurfewTrace
import Foundation

/// A command that runs under the grant of one wake (rule W7). The engine decides when the grant is
/// given, warned and over; this type waits, and carries the decisions out.
struct GrantedCommand: ~Copyable {
  /// The command and its grant.
  struct Request {
    /// The words of the command, which need not be text.
    var words: [[UInt8]]
    /// The name of the command's app.
    var name: String
    var kind: AssertionKind
    var times: RunTimes
    /// The signal that the command's process gets at the warning.
    var warningSignal = SIGTERM
    var manifest = AppManifest()
  }

  private let request: Request
  private let world: any ProcessWorld
  private var driver: Driver
  private var recorder: TraceRecorder
  /// The file of the journal.
  private var sink: FileSink?
  private let app: AppID
  /// The world's time at the engine's start.
  private let origin: Int64
  private var process: Int32?
  private var holdsWake = false
  /// Whether the engine has ended the grant.
  private var isExpired = false
  /// Whether the process has ended for the engine.
  private var isTerminated = false
  /// The course of the run so far.
  private(set) var run = GrantedRun()

  /// Creates a command that has not asked for its grant.
  init(_ request: Request, under policy: Policy, in world: any ProcessWorld) {
    (self.request, self.world) = (request, world)
    origin = world.now
    var driver = Driver(Engine(policy: policy, limitsCountFrom: .firstLine), pace: .late)
    var recorder = TraceRecorder(policy: policy)
    var manifest = request.manifest
    manifest.handlesWakeExpiration = true
    app = recorder.addApp(named: request.name, manifest, to: &driver)
    self.driver = driver
    self.recorder = recorder
  }

  /// Creates a command that goes on with a journal, and notes where its tree will be.
  init(
    _ request: Request, after state: consuming Journal.State, in cgroup: String?,
    of world: any ProcessWorld
  ) {
    (self.request, self.world) = (request, world)
    origin = state.clocks.uptime - state.driver.now.nanoseconds
    if let known = state.apps[request.name] {
      app = known
    } else {
      var manifest = request.manifest
      manifest.handlesWakeExpiration = true
      app = state.recorder.addApp(named: request.name, manifest, to: &state.driver)
    }
    state.recorder.record(state.clocks, cgroup: cgroup, at: state.driver.now)
    sink = state.sink
    driver = state.driver
    recorder = state.recorder
  }

  /// The cause for which the journal could not be written; nil if there is none.
  var journalFailure: (any Error)? { recorder.failure ?? closeFailure }
  private var closeFailure: FileSinkError?

  /// Closes the journal. The system may report only now that a part is lost.
  mutating func closeJournal() {
    do { try sink?.close() } catch { closeFailure = error }
  }

  /// Asks for the grant, which begins now.
  /// - Returns: The reasons if it is denied, and the time to wait, if that is known.
  mutating func ask() -> GrantDenial? {
    advance()
    let answer = recorder.ask(.deliver(app, request.kind, for: request.times), to: &driver)
    pull()
    guard case .decision(_, let denied, let next) = answer, !denied.isEmpty else { return nil }
    return GrantDenial(
      denials: driver.engine.policy.names.denials(denied), next: next,
      wait: next.map { $0 - driver.now })
  }

  /// Starts the command in the tree, and waits until its process has ended and nothing of the tree
  /// is left.
  mutating func perform(in tree: ProcessTree) throws(StartError) {
    // The signals so far came before the command, so they are this program's.
    if let number = world.endingSoFar() {
      run.rest = tree.end { _, _ in }
      return finish(status: number)
    }
    process = try world.start(request.words, in: tree.cgroup)
    run.hasStarted = true
    world.runFirst()
    wait()
    var found = run.status
    let process = process
    run.rest = tree.end { ended, status in if ended == process { found = status } }
    world.takeTerminalBack()
    finish(status: found)
  }

  /// Tells the engine that the command could not be started.
  mutating func noteFailure(_ error: StartError) {
    say(.crash(app, .spawnFailed(SpawnError(number: error.code))))
  }

  /// Waits until the process has ended, or the grant has.
  private mutating func wait() {
    while true {
      let ended = world.reap(atMost: ProcessTree.reapedAtOnce)
      for (ended, status) in ended where ended == process { run.status = status }
      if run.status != nil { return }
      advance()
      if isExpired { return }
      // The signal for more children may have been taken already.
      let isMore = ended.count == ProcessTree.reapedAtOnce
      switch world.next(until: isMore ? world.now : driver.nextInstant.map { time(of: $0) }) {
      case .signal(let number, let isKernels):
        if ProcessNews.isForOne(number, isKernels: isKernels) { send(number) }
      case .childChanged: stopAlong()
      case .continued: send(SIGCONT)
      case .time: break
      }
    }
  }

  /// - Returns: false if this user may not send it.
  @discardableResult private func send(_ signal: Int32) -> Bool {
    process.map { world.send(signal, to: $0) } ?? true
  }

  /// Stops with a command that the terminal has stopped. Otherwise the shell would wait, and nobody
  /// could continue the command.
  private func stopAlong() {
    guard let process, let signal = world.takeStop(of: process), world.hasTerminal,
      ProcessNews.stopping.contains(signal)
    else { return }
    world.stop(by: signal)
  }

  /// The world's time at an instant of the engine; it saturates.
  private func time(of instant: Instant) -> Int64 {
    (Instant(nanoseconds: origin) + Interval(nanoseconds: instant.nanoseconds)).nanoseconds
  }

  /// Tells the engine that the process has ended.
  private mutating func finish(status: Int32?) {
    advance()
    if run.hasStarted { run.endedAt = world.now }
    run.status = status
    run.isExpired = isExpired
    // A command that lives on has not ended for the engine either.
    if isTerminated || run.runsOn { return }
    if status == 0, holdsWake { say(.completeWake(app, WakeChoice(), nil)) }
    if isTerminated { return }
    // A suspended app ends only from outside: here by the kill at the end of its grant.
    let isSuspended = driver.engine.state(of: app) == .suspended
    let reason: CrashReason? =
      isSuspended ? .signal(UInt8(SIGKILL)) : status.flatMap { CrashReason(waitStatus: $0) }
    say(.crash(app, reason ?? .hostFailure))
  }

  // MARK: The engine

  private mutating func say(_ event: Event) {
    recorder.say(event, to: &driver)
    pull()
  }

  private mutating func pull() {
    while let item = recorder.pull(from: &driver) { take(item) }
  }

  /// Takes the steps that are due by now.
  private mutating func advance() {
    let now = max(driver.now, Instant(nanoseconds: world.now - origin))
    while let item = recorder.next(from: &driver, until: now) { take(item) }
  }

  private mutating func take(_ item: Driver.Item) {
    switch item {
    case .turn(let app): if driver.owesReturn(app) { recorder.say(.returned(app), to: &driver) }
    case .due: break
    case .action(.wakeBegan):
      holdsWake = true
      (run.grantedAt, run.length) = (time(of: driver.now), request.times.length.nanoseconds)
    case .action(.wakeWarned(_, _, let due)): warn(due: time(of: due))
    case .action(.wakeOverran(_, let wake, let limit)):
      let overrun = driver.engine.policy.wakes[wake.kind]?.overrun
      if limit == .warning || overrun != .tell {
        (holdsWake, isExpired) = (false, run.status == nil)
      }
      run.limit = limit == .budget ? .budget : .length
    case .action(.terminated): (isTerminated, isExpired) = (true, run.status == nil)
    case .action: break
    }
  }

  private mutating func warn(due: Int64) {
    guard process != nil, run.status == nil else { return }
    let now = world.now
    guard send(request.warningSignal) else { return }
    (run.warnedAt, run.warnedLate) = (now, max(0, now - due))
    let spare = request.times.length.nanoseconds - request.times.warning.nanoseconds
    let last = Instant(nanoseconds: run.grantedAt ?? 0) + Interval(nanoseconds: spare)
    run.limit = due < last.nanoseconds ? .budget : .length
    // A stopped process acts on no signal.
    if request.warningSignal != SIGKILL, request.warningSignal != SIGSTOP {
      send(SIGCONT)
    }
  }
}

/// The course of a command's run.
struct GrantedRun: Equatable {
  /// Whether the command was started.
  var hasStarted = false
  /// The instants since the boot, in nanoseconds.
  var grantedAt: Int64?
  var warnedAt: Int64?
  /// The end of the command and of its tree.
  var endedAt: Int64?
  /// The length of the grant in nanoseconds.
  var length: Int64?
  /// The limit behind the warning or the end.
  var limit: Limit?
  /// The time between the warning's deadline and the warning.
  var warnedLate: Int64?
  /// The status of `waitpid`; nil if the process was killed and has not ended.
  var status: Int32?
  /// Whether the grant ended before the command.
  var isExpired = false
  /// The part of the command's tree that is left.
  var rest = TreeRest.nothing

  /// A limit of a grant.
  enum Limit: String, CaseIterable {
    /// The length of the grant.
    case length
    /// A budget of run time, which ends the grant earlier.
    case budget
  }

  /// The signal that ended the process.
  var signal: Int32? { status.flatMap { $0 & 0x7f == 0 ? nil : $0 & 0x7f } }
  /// Whether the process lives on, because this user may not kill it.
  var runsOn: Bool { rest == .forbidden && status == nil }
  /// Whether the process had to be killed. It may exit by itself if a child of it dies first.
  var isKilled: Bool { !runsOn && (isExpired || warnedAt != nil && signal == SIGKILL) }
  /// The exit code, as `timeout(1)` has it.
  var exitCode: Int32 {
    if runsOn { return 125 }
    if isKilled { return 137 }
    if warnedAt != nil { return 124 }
    guard let status else { return 125 }
    return signal.map { 128 + $0 } ?? status >> 8 & 0xff
  }
}

/// The answer to a request for a grant that is denied.
struct GrantDenial {
  let denials: Denials
  /// The engine's instant from which the kind is allowed.
  let next: Instant?
  /// The time until then.
  let wait: Interval?

  /// Whether waiting alone never ends the denial (rule W4). No run of the app goes on meanwhile.
  var isPermanent: Bool { next == nil }
}

extension SpawnError {
  /// The error with this number, as in `errno`.
  init(number: Int32) {
    let names: [Int32: SpawnError] = [
      E2BIG: .argumentListTooLong, EACCES: .accessDenied, EAGAIN: .tooManyProcesses, EBUSY: .busy,
      EINVAL: .invalidArgument, EIO: .inputOutput, EISDIR: .isDirectory, ELOOP: .tooManyLinks,
      EMFILE: .tooManyOpenFiles, ENAMETOOLONG: .nameTooLong, ENFILE: .tooManyOpenFilesInSystem,
      ENODEV: .noDevice, ENOENT: .noEntry, ENOEXEC: .unknownFormat, ENOMEM: .outOfMemory,
      ENOSPC: .outOfSpace, ENOSYS: .notSupportedByKernel, ENOTDIR: .notDirectory,
      EOPNOTSUPP: .notSupported, EPERM: .notPermitted, EROFS: .readOnly, ETXTBSY: .textBusy,
    ]
    self = names[number] ?? .other
  }
}
