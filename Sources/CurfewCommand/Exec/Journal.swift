import ArgumentParser
import Curfew
import CurfewEngine
import CurfewPolicy
import CurfewSystem
import CurfewText
import CurfewTrace
import Foundation

/// The file that keeps what commands have used of their budgets: a trace that each run appends to.
struct Journal {
  let path: String
  let file: PolicyFile
  /// The clocks of this host now.
  var clocks: () -> HostClocks = { .now() }
  /// Ends the tree of the last run, whose cgroup is of this boot.
  var endTree: (_ cgroup: String) throws -> Void = { _ in }
  /// The least number of lines that are moved into an older file.
  var leastCut = 1_000

  /// A run that goes on: the state after all earlier runs.
  struct State: ~Copyable {
    var driver: Driver
    var recorder: TraceRecorder
    /// The file that the recorder writes.
    let sink: FileSink
    var apps: [String: AppID]
    /// The clocks at the driver's instant.
    var clocks: HostClocks
    /// The instant that belongs to `clocks`.
    var instant = Instant.zero
    /// Whether the system has been booted since the last run.
    var hasRebooted = false
    /// A clock that is behind the trace, or a file that cannot be shortened.
    var remark: String?
  }

  /// The error of a journal that cannot go on.
  struct Damage: Error, CustomStringConvertible {
    let message: String
    var description: String { message }
  }

  /// Reads the file, ends a run that was killed, and lets the time pass up to now.
  ///
  /// - Parameter lock: The lock of the file. If another file takes its place, its lock too.
  func open(holding lock: inout FileLock) throws -> State {
    let bytes = try Journal.bytes(path)
    guard try hasRuns(bytes) else {
      if bytes.contains(UInt8(ascii: "\n")) { try checkPolicy(of: bytes) }
      return try begin()
    }
    var state = try state(after: resume(bytes))
    state.endKilledRun()
    if state.recorder.failure == nil, isLong(bytes, at: state.instant) {
      var shorter: Replay.Resumed?
      do { shorter = try shorten(at: state.instant, &lock) } catch {
        // The longer file gives the same answers.
        let remark = "it cannot be shortened: \(error)"
        state.remark = state.remark.map { "\($0); \(remark)" } ?? remark
      }
      if let run = shorter.take() { state = try self.state(after: run) }
    }
    state.pass(to: state.instant)
    if state.hasRebooted {
      // A command needs nobody who unlocks the device.
      for event in [Event.reboot, .unlock] { state.say(event) }
    }
    return state
  }

  /// The state after a run, which the file has.
  private func state(after resumed: consuming Replay.Resumed) throws -> State {
    var run = resumed
    guard let start = run.lastStart else {
      throw Damage(message: "\(path): the trace is no journal: it has no line 'resumed'")
    }
    if let cgroup = start.cgroup, start.clocks.boot == clocks().boot { try endTree(cgroup) }
    // A run that was killed counts up to now, when nothing of it is left.
    let now = clocks()
    // A trace whose uptime goes backwards in one boot could not be read any more.
    guard now.boot != start.clocks.boot || now.uptime >= start.clocks.uptime else {
      throw Damage(
        message:
          "\(path): the last run began at a later time since this boot; it may have had a time namespace of its own"
      )
    }
    let next = start.continuation(at: now)
    guard next.instant < Journal.limit else {
      throw Damage(
        message:
          "\(path): the run would go on \(HumanTime.text(ofNanoseconds: next.instant.nanoseconds)) after its beginning, and grants end within \(HumanTime.text(ofNanoseconds: Journal.limit.nanoseconds)); is the wall clock right?"
      )
    }
    let sink = try FileSink(path, continuingAt: run.length)
    run.recorder.append(to: sink)
    return State(
      driver: run.driver, recorder: run.recorder, sink: sink, apps: run.apps, clocks: now,
      instant: next.instant, hasRebooted: next.hasRebooted,
      remark: next.behind.map { Journal.remark($0, next.hasRebooted) })
  }

  /// The half of all time, 146 years. Later deadlines might not come.
  private static let limit = Instant(nanoseconds: .max / 2)

  private static func remark(_ behind: Interval, _ hasRebooted: Bool) -> String {
    "\(hasRebooted ? "the wall clock" : "the time since the boot") is \(HumanTime.text(behind)) behind the journal; the time since its last line counts as 0s"
  }

  /// Refuses a path at which something is that is no regular file. A file that does not exist can
  /// become one.
  static func check(_ path: String) throws(Refusal) {
    let file = "--journal '\(path)'"
    if path.isEmpty || path == "-" {
      throw Refusal(
        "\(file): a journal is a file, for runs to come\(path == "-" ? "; './-' is one of that name" : "")"
      )
    }
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return }
    let kinds: [mode_t: String] = [
      S_IFDIR: "a directory", S_IFIFO: "a pipe", S_IFSOCK: "a socket", S_IFCHR: "a device",
      S_IFBLK: "a device",
    ]
    let kind = kinds[status.st_mode & S_IFMT] ?? "something else"
    throw Refusal("\(file) is \(kind), and a journal is a regular file")
  }

  private static func bytes(_ path: String) throws(Damage) -> [UInt8] {
    do { return try FileBytes.read(path, limit: 1 << 31) } catch {
      let reason = if case .failed(let text) = error { text } else { "it is too long" }
      throw Damage(message: "\(path): \(reason)")
    }
  }

  /// Whether the file has lines behind its header. A first run that was killed, or a full disk, may
  /// leave a part of the header.
  private func hasRuns(_ bytes: [UInt8]) throws(Damage) -> Bool {
    let newline = UInt8(ascii: "\n")
    let whole = bytes.prefix { $0 != newline }.count
    if bytes.dropFirst(whole + 1).contains(newline) { return true }
    guard bytes.starts(with: Array(#"{"curfew":"trace/"#.utf8).prefix(bytes.count)) else {
      throw Damage(message: "\(path): the file is no journal, and exec writes to journals alone")
    }
    return false
  }

  private func begin() throws -> State {
    let sink = try FileSink(path, continuingAt: 0)
    let driver = Driver(
      Engine(policy: file.policy, limitsCountFrom: .firstLine), pace: .late)
    let recorder = TraceRecorder(
      name: ExecCommand.configuration.commandName ?? "exec", under: file,
      clock: "boottime", to: sink)
    return State(driver: driver, recorder: recorder, sink: sink, apps: [:], clocks: clocks())
  }

  private func resume(_ bytes: [UInt8]) throws -> Replay.Resumed {
    try checkPolicy(of: bytes)
    return try Replay.resume(bytes, name: path, under: file)
  }

  /// Throws if the header names another policy, or one with other values.
  private func checkPolicy(of bytes: [UInt8]) throws {
    let header = try TraceHeader(ofTrace: bytes, name: path)
    guard header.policy != file.name || header.policyDigest != file.digest else { return }
    let begun = Journal.words("'\(header.policy)'", header.settings)
    let given = Journal.words("'\(file.name)' (\(file.file))", file.settings)
    throw Damage(
      message:
        "\(path): the journal was begun under \(begun) with digest \(header.policyDigest); this run is under \(given) with digest \(file.digest). Move the journal away to go on under that policy: its budgets begin anew"
    )
  }

  /// A policy with the values that options have set.
  private static func words(_ policy: String, _ settings: [ValueSetting]) -> String {
    ([policy] + settings.map { "--policy-set '\($0.path)=\($0.text)'" }).joined(separator: " ")
  }

  /// Makes the journal shorter, if a rule allows it.
  /// - Returns: The run after the shorter file; nil if the file stays.
  private func shorten(at now: Instant, _ lock: inout FileLock) throws -> Replay.Resumed? {
    guard let shorter = try shortened(Journal.bytes(path), at: now) else { return nil }
    let run = try resume(shorter)
    try replace(by: shorter, &lock)
    return run
  }

  /// Puts a shorter file in the place of the journal, under its lock. A symbolic link stays.
  private func replace(by bytes: [UInt8], _ lock: inout FileLock) throws {
    let target = FileBytes.identity(of: path)
    let new = Journal.newer(target)
    guard !FileLock.hasOtherNames(target, besides: Journal.older(target)) else {
      throw Damage(message: "the file has another hard link, which would keep the long one")
    }
    var status = stat()
    guard lstat(target, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw Damage(message: "the file is a link to a path that is not UTF-8")
    }
    guard Journal.isLeftover(new, of: bytes) else {
      throw SystemError(code: EEXIST, attempt: "create \(new)")
    }
    let next = try lock.successor(at: new)
    do {
      // A failure of the system must not leave an empty file, which would free all budgets.
      let sink = try FileSink(new, sync: .everyStep)
      try sink.write(bytes)
      try sink.close()
      try FileLock.replace(target, by: new, keeping: Journal.older(target))
    } catch {
      unlink(new)
      throw error
    }
    lock = next
  }

  /// Whether nothing is at `path`, or the rest of a replacement by `bytes` that was killed:
  /// an empty file, or one with at least a part of the header.
  private static func isLeftover(_ path: String, of bytes: [UInt8]) -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0 else { return errno == ENOENT }
    guard status.st_mode & S_IFMT == S_IFREG, let found = try? FilePieces(path).next() else {
      return false
    }
    let header = bytes.prefix { $0 != UInt8(ascii: "\n") }
    return found.prefix(header.count).elementsEqual(header.prefix(found.count))
  }

  /// The name of the older file.
  static func older(_ path: String) -> String { path + ".1" }
  /// The name of the shorter file until it takes the place of the journal.
  private static func newer(_ path: String) -> String { path + ".new" }

  /// The files of a journal, with their roles.
  static func files(_ path: String) -> [(path: String, role: String)] {
    let target = FileBytes.identity(of: path)
    let older = older(target)
    return [(path, "is the journal")]
      + [older, newer(target), FileLock.spare(for: older)].map { ($0, "the journal may need") }
  }
}

extension Journal.State {
  mutating func say(_ event: Event) {
    recorder.say(event, to: &driver)
    pull()
  }

  private mutating func pull() { while let item = recorder.pull(from: &driver) { take(item) } }

  private mutating func take(_ item: Driver.Item) {
    if case .turn(let app) = item, driver.owesReturn(app) {
      recorder.say(.returned(app), to: &driver)
    }
  }

  /// Takes every step that is due up to an instant.
  mutating func pass(to instant: Instant) {
    while let item = recorder.next(from: &driver, until: max(driver.now, instant)) { take(item) }
  }

  /// Ends the run of an app whose host was killed. The command died with its host, but what it had
  /// started may have run on, so the run counts up to now, or to the end of its grant.
  ///
  /// Nothing outlives a boot, so after one the run counts up to the boot. If the boot seems to be
  /// before the run, a clock is wrong, and the run counts up to now.
  mutating func endKilledRun() {
    let boot = instant - Interval(nanoseconds: clocks.uptime)
    let limit = hasRebooted && boot >= driver.now ? boot : instant
    let inOrder = apps.values.sorted { $0.rawValue < $1.rawValue }
    for app in inOrder where driver.engine.state(of: app) != .notRunning {
      while let due = driver.nextInstant, due <= limit, !ends(app, at: due) { pass(to: due) }
      let end = min(limit, driver.nextInstant ?? limit)
      if end > driver.now { driver.move(to: end) }
      say(.crash(app, .hostFailure))
    }
  }

  /// Whether the step at an instant ends the app's wake.
  private func ends(_ app: AppID, at instant: Instant) -> Bool {
    var ahead = driver.copy()
    guard ahead.step(until: instant) else { return false }
    while let item = ahead.pull() {
      switch item {
      case .action(.terminated), .action(.wakeOverran): return true
      default: continue
      }
    }
    return false
  }
}
