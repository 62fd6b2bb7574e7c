import ArgumentParser
import CurfewEngine
import CurfewPolicy
import CurfewSystem
import CurfewText
import CurfewTrace
import Foundation

/// `curfew exec`: runs a command under a grant.
struct ExecCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "exec",
    abstract:
      "Runs a command under a grant: it is warned before the end, and killed at the end with everything that it started.",
    discussion: """
      The command runs under a wake of --kind, whose row in the policy has the maximum length. At the warning, the command's process gets the signal of --on-expire; its children do not. At the end of the grant its \
      whole tree is killed. When the command ends by itself, the rest of its tree is killed too. Signals that exec gets and that would end it (TERM, INT, HUP, QUIT, USR1, USR2, ALRM, RTMIN and others) are passed on to the command.

      The tree is held together by a cgroup of its own, if this user may make one below the cgroup of exec. Otherwise exec is the parent of the tree's orphans, and says so on standard error: if exec \
      is then killed with SIGKILL, only the command's own process dies with it. 'curfew doctor' shows what holds here. Linux only.

      Exit codes: the command's own; 128+n if signal n ended it; 124 it was warned and then ended; 137 it had to be killed; 75 the policy denies the grant, and standard error says from when on it is allowed, or that no time ends the denial; 64 usage; 125 exec failed; 126 \
      the command cannot be executed; 127 there is no such command.
      """)

  @Option(
    help: ArgumentHelp(
      "The length of the grant, such as 10m. Default: the length of the kind's row.",
      valueName: "duration"), completion: .unlisted)
  var grant: String?

  @Option(
    help: ArgumentHelp(
      "The time from the warning to the end of the grant; 0s for no warning. Default: the row's warning if it has one, at most half the grant.",
      valueName: "duration"), completion: .unlisted)
  var warning: String?

  @Option(
    help: ArgumentHelp("The signal at the warning.", valueName: "signal"),
    completion: .list(SignalName.all.map(\.name)))
  var onExpire = "TERM"

  @Option(
    help: "A built-in policy's name, or a file. Default: server.", completion: .policies)
  var policy: String?

  @OptionGroup var settings: PolicySettings

  @Option(help: "The kind of wake under which the command runs.", completion: .kinds)
  var kind = "job"

  @Option(
    help:
      "Keep what the command uses of its budgets in this file, a trace, and go on with it next time. One run at a time uses it.",
    completion: .traces)
  var journal: String?

  @Option(
    help: ArgumentHelp(
      "How long to wait for another run on the same journal. Default: 0s.", valueName: "duration"),
    completion: .unlisted)
  var wait: String?

  @Option(
    help:
      "The name of the command's app in the journal and in messages. Default: the last part of the command's path.",
    completion: .unlisted)
  var name: String?

  @Option(
    help: ArgumentHelp(
      "Write one object about the run to this file when it is over; - for standard error.",
      valueName: "file"), completion: .file())
  var report: String?

  @Flag(help: "Fail with exit code 125 if the command cannot have a cgroup of its own.")
  var requireCgroup = false

  @Argument(
    parsing: .captureForPassthrough,
    help: "The command and its arguments. Everything from the command on is the command's.",
    completion: .file())
  var command: [String]

  /// The words from the command on, which the parser has not seen.
  var words: [[UInt8]] = []

  func run(on console: Console) throws {
    let words = try commandWords()
    do {
      try perform(words, console)
    } catch let error where error is ExitCode || error is Refusal || error is SettingErrors {
      throw error
    } catch {
      for message in messages(about: error) { console.tell(message) }
      throw ExitCode.execFailed
    }
  }

  private func messages(about error: any Error) -> [Message] {
    switch error {
    case let errors as FileErrors: errors.diagnostics.map { Message($0) }
    case Replay.ResumeError.invalid(let errors): errors.diagnostics.map { Message($0) }
    case Replay.ResumeError.different(let found):
      [
        Message(
          .error, "the journal is damaged: \(found.comparison)",
          place: SourcePlace(file: journal ?? "", line: found.line, column: 1))
      ]
    default: [Message(.error, "exec: \(error)")]
    }
  }

  /// The words from the command on.
  private func commandWords() throws -> [[UInt8]] {
    // The parser leaves these words to the command.
    if ["--help", "-h"].contains(command.first) { throw CleanExit.helpRequest(ExecCommand.self) }
    let words = command.first == "--" ? Array(words.dropFirst()) : words
    guard !words.isEmpty, let first = command.first else {
      throw Refusal("exec needs a command to run")
    }
    guard first != "--", first.hasPrefix("-"), first != "-" else { return words }
    let option = String(first.prefix { $0 != "=" })
    let hint =
      NearestName.to(option, among: Curfew.options(of: ExecCommand.self)).map {
        "; did you mean '\($0)'?"
      } ?? ""
    throw Refusal(
      "unknown option '\(option)'\(hint); a command whose name begins with '-' comes after '--'")
  }

  private func perform(_ words: [[UInt8]], _ console: Console) throws {
    let policy =
      policy == nil && settings.texts.isEmpty
      ? ExecPolicy()
      : ExecPolicy(try settings.applied(to: PolicyFile.named(policy ?? ExecPolicy.defaultName)))
    let request = try request(words, policy)
    let patience = try duration(wait, "--wait") ?? .zero
    if wait != nil, journal == nil { throw Refusal("--wait waits for a journal: --journal FILE") }
    if let journal { try Journal.check(journal) }
    #if os(Linux)
      try LinuxProcesses.leaveChildren(listeningTo: LinuxProcesses.ending)
      var others: [(path: String, role: String)] = policy.recorded.files.map {
        ($0, "this run reads")
      }
      if let journal { others += Journal.files(journal) }
      let file = try report.map { try ReportFile($0, besides: others) }
      let world = try LinuxProcesses(
        listeningTo: LinuxProcesses.ending, silenced: console.silencedSignals)
      var run = ExecRun(
        policy: policy, request: request, requiresCgroup: requireCgroup, console: console)
      if let journal { run.journal = Journal(path: journal, file: policy.recorded) }
      run.patience = patience
      var result: ExecResult
      do {
        let messages: [Message]
        (result, messages) = try run.perform(in: world)
        for message in messages { console.tell(message) }
      } catch let code as ExitCode {
        result = ExecResult(exitCode: code.rawValue)
      } catch {
        for message in messages(about: error) { console.tell(message) }
        result = ExecResult(exitCode: ExitCode.execFailed.rawValue)
      }
      result.name = request.name
      try file?.write(result)
      throw ExitCode(result.exitCode)
    #else
      throw console.failure(
        Message(.error, "exec: processes are governed on Linux alone"), .execFailed)
    #endif
  }

  /// The command and its grant, as the options name them.
  func request(_ words: [[UInt8]], _ policy: ExecPolicy) throws(Refusal) -> GrantedCommand.Request {
    let name = KindName(rawValue: kind)
    let wakes = policy.policy.names.kinds.filter { name in
      policy.policy.names.kind(name).map { policy.policy.wakes[$0] != nil } ?? false
    }
    guard let number = policy.policy.names.kind(name), let row = policy.policy.wakes[number] else {
      let hint = NearestName.hint(
        for: kind, among: wakes.map(\.rawValue), "the kinds of wakes are")
      throw Refusal("--kind: '\(kind)' is no kind of wake of '\(policy.name)'\(hint)")
    }
    try checkConditions(row, policy)
    var manifest = AppManifest()
    // An app of a journal may run under every kind.
    let modes = policy.policy.wakes.values.map(\.modes)
    for mode in policy.policy.names.names(of: modes.reduce([]) { $0.union($1) }) {
      manifest.declare(mode)
    }
    return GrantedCommand.Request(
      words: words, name: self.name ?? baseName(words[0]),
      kind: number, times: try times(row),
      warningSignal: try SignalName.read(onExpire, "--on-expire"),
      manifest: manifest)
  }

  /// Refuses a row that asks about the user, of whom `exec` knows nothing.
  private func checkConditions(_ row: WakeRules, _ policy: ExecPolicy) throws(Refusal) {
    let lists = [("requires", row.conditions.requires), ("blockedBy", row.conditions.blockedBy)]
    for (key, facts) in lists {
      let unknown = policy.policy.names.names(of: facts.intersection([.locked, .userPresent]))
      guard let fact = unknown.first else { continue }
      throw Refusal(
        "--kind: the row '\(kind)' of '\(policy.name)' has '\(fact)' in '\(key)', and exec cannot know whether that holds"
      )
    }
  }

  private func baseName(_ path: [UInt8]) -> String {
    path.split(separator: UInt8(ascii: "/")).last.map { String(decoding: $0, as: UTF8.self) } ?? "/"
  }

  private func times(_ row: WakeRules) throws(Refusal) -> RunTimes {
    guard row.length > .zero else { throw Refusal("--kind: the row of '\(kind)' has no length") }
    let length = try duration(grant, "--grant") ?? row.length
    guard length <= row.length else {
      throw Refusal(
        "--grant: \(DurationText.write(length)) is longer than the \(DurationText.write(row.length)) of the row '\(kind)'"
      )
    }
    guard length > .zero else { throw Refusal("--grant: a grant of 0s gives no time") }
    let half = Interval(nanoseconds: length.nanoseconds / 2)
    guard let warning = try duration(warning, "--warning") else {
      return RunTimes(length: length, warning: min(row.warning, half))
    }
    guard warning < length else {
      throw Refusal(
        "--warning: \(DurationText.write(warning)) is not shorter than the grant of \(DurationText.write(length))"
      )
    }
    return RunTimes(length: length, warning: warning)
  }

  private func duration(_ text: String?, _ option: String) throws(Refusal) -> Interval? {
    guard let text else { return nil }
    do { return try DurationText.read(text) } catch {
      throw Refusal("\(option): \(error.message)")
    }
  }
}
