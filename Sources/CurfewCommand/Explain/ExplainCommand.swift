import ArgumentParser
import CurfewAnalysis
import CurfewEngine
import CurfewPolicy
import CurfewSystem
import CurfewText
import CurfewTrace

/// `curfew explain`: whether a policy admits something, or why an app of a run is in its state.
struct ExplainCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract:
      "Explains the state of an app at a time, or whether a policy admits a kind and what would change that.",
    discussion: """
      With a scenario or a trace, prints the app's state at that time, the time at which it entered that state, and the steps that led there, starting with the last external event. Each step \
      names its rule and the values of the policy behind it. Then come the denials since the last launch or wake, the assertions that the app holds, and the next steps if \
      nobody does anything more. With --kind, asks the engine in its state at that time whether it would admit the kind.

      Without a file, asks about the policy alone, without a history: the app declares everything that the kind's row requires, the app is suspended (for a task or a session: in front), and \
      no fact of the device denies the kind. --set changes this; its keys are \(QuestionKeys.listed), and the facts that the policy declares. The changes that would reverse the answer \
      are also printed as options. Each set of changes was tried on the engine and is minimal.

      Exit codes: 0 explained, or allowed; 1 failed; 3 denied; 4 a file is invalid; 64 usage, or the file has no such app or ends earlier; 130 interrupted; \
      141 the reader of the output is gone; 143 terminated.
      """)

  @Argument(
    help:
      "A scenario or a trace; - for standard input. Without it, the question is about the policy alone.",
    completion: .scenarioOrTrace)
  var file: String?

  @Option(
    help:
      "A built-in policy's name, or a file; - for standard input. Default: the policy of the file, or ios13 without a file.",
    completion: .policies)
  var policy: String?

  @OptionGroup var settings: PolicySettings

  @Option(
    help:
      "The kind to ask about: finiteTask, or the kind of a session or a wake, such as audio or fetch. Required without a file.",
    completion: .kinds)
  var kind: String?

  @Option(
    help:
      "The app of the file, by its identifier or the last part of it. Without a file, the name to print.",
    completion: .apps)
  var app: String?

  @Option(
    help: ArgumentHelp(
      "The time in the run, such as 3h40m, or for a journal of exec a date, such as 2026-11-24T03:00:00Z. Default: the time of the app's last event.",
      valueName: "time"), completion: .unlisted)
  var at: String?

  @Option(
    name: .customLong("set"),
    help: ArgumentHelp(
      "Set a fact of the question: lowPowerMode=true, state=notRunning, 'modes=[fetch, audio]'. May be repeated.",
      valueName: "key=value"), completion: .facts)
  var facts: [String] = []

  @Flag(help: "Print the answer as JSON.")
  var json = false

  func run(on console: Console) throws {
    console.interrupt.listen()
    if let file { return try explain(file, console) }
    if at != nil { throw Refusal("--at is a time of a scenario or a trace, and no file is named") }
    guard let kind else {
      throw Refusal("a scenario or a trace is needed, or a kind to ask about: --kind fetch")
    }
    let policy = try settings.applied(to: PolicyFile.named(policy ?? "ios13"))
    try ExplainCommand.check(KindName(rawValue: kind), policy)
    let question = try QuestionKeys(policy).question(
      AdmissionQuestion(KindName(rawValue: kind), under: policy), facts)
    try tell(
      ExplainResult(policy: policy, app: app ?? "the app", answer: policy.answer(to: question)),
      console)
  }

  /// Explains an app of a scenario or a trace.
  private func explain(_ file: String, _ console: Console) throws {
    if file == "-", policy == "-" {
      throw Refusal("the file and --policy cannot both be standard input")
    }
    if kind == nil, !facts.isEmpty {
      throw Refusal(
        "--set changes a fact for --kind; without --kind, the facts are those of the file")
    }
    let inquiry = ExplainedRun.Inquiry(
      file: file, policy: policy, settings: settings, app: app,
      time: try at.map { try AskedTime($0) },
      kind: kind.map { KindName(rawValue: $0) })
    let run = try console.watch { _ in try ExplainedRun(inquiry, console) }
    guard let kind else {
      let result = WhyResult(
        file: run.file, policy: run.policy, why: run.why, times: run.times)
      guard !json else { return try console.print(WhyResult.form.json(result).closed) }
      for line in result.lines {
        try console.show(line.text, margin: line.margin)
      }
      return
    }
    guard let engine = run.engine else {
      throw Refusal("--kind: the trace does not introduce '\(run.why.app)' before that time")
    }
    let question = try QuestionKeys(run.policy).question(engine.question, facts)
    if case .senseless(let objection) = engine.reply(to: question) {
      throw Refusal(
        "--kind \(kind) makes no sense for '\(run.why.app)' at \(HumanTime.text(engine.instant)): \(objection.words)"
      )
    }
    guard let answer = run.policy.answer(to: question, in: engine) else {
      preconditionFailure("The engine answered once and does not answer again")
    }
    try tell(
      ExplainResult(policy: run.policy, app: run.why.app, answer: answer, times: run.times),
      console)
  }

  private func tell(_ result: ExplainResult, _ console: Console) throws {
    if json {
      try console.print(ExplainResult.form.json(result).closed)
    } else {
      for line in result.lines {
        try console.show(line, margin: 6)
      }
    }
    if !result.answer.isAllowed { throw ExitCode.denied }
  }

  /// Checks that the policy knows the kind.
  static func check(_ kind: KindName?, _ policy: PolicyFile) throws(Refusal) {
    let kinds = policy.policy.names.kinds
    guard let kind, !kinds.contains(kind) else { return }
    let hint = NearestName.hint(for: kind.rawValue, among: kinds.map(\.rawValue), "expected one of")
    throw Refusal("--kind: unknown kind '\(kind)'\(hint)")
  }
}
