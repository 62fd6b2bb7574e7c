import ArgumentParser
import CurfewAnalysis
import CurfewEngine
import CurfewPolicy
import CurfewSystem
import CurfewText
import CurfewTrace

/// `curfew explain`: whether a policy admits something, or why an app of a run is as it is.
struct ExplainCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract:
      "Says why an app of a scenario or a trace is as it is at a time, or whether a policy admits a kind and what would turn that.",
    discussion: """
      With a file: what the app is at that time, since when, and what led there, from the last cause that came from outside, each step with the rule and the values of \
      the policy that say so; what was denied meanwhile; what it holds, and what comes if nobody does anything more. With --kind the engine is asked, as it stands then, \
      whether it would admit that.

      Without one, a question without a history: the app declares what the kind's row asks for, is suspended (of a task or a session in front), and the device is at ease, but for what \
      --set says: \(QuestionKeys.listed), and the facts that the policy declares. What would turn the answer is told as options, too; each set of changes \
      has been asked of the engine, and no part of it suffices.

      Exit codes: 0 told, or allowed; 1 failed, 3 denied, 4 a file is invalid, 64 usage, or the file has no such app or ends sooner; 130 interrupted and 143 terminated, \
      141 whoever read the output has gone away.
      """)

  @Argument(
    help:
      "A scenario or a trace; - for standard input. Without it, a question about the policy alone.")
  var file: String?

  @Option(
    help:
      "A built-in policy's name, or a file; - for standard input. Without it, the file's own; of a question alone ios13."
  )
  var policy: String?

  @OptionGroup var settings: PolicySettings

  @Option(
    help:
      "The kind that is asked for: finiteTask, a session's or a wake's, such as audio or fetch. A question alone needs it."
  )
  var kind: String?

  @Option(
    help:
      "The app of the file, by its identifier or the last part of it; of a question alone, what to call it."
  )
  var app: String?

  @Option(
    help: ArgumentHelp(
      "The time of the run: 3h40m. Without it, when something happened to the app last.",
      valueName: "time"))
  var at: String?

  @Option(
    name: .customLong("set"),
    help: ArgumentHelp(
      "Say what is so: lowPowerMode=true, state=notRunning, 'modes=[fetch, audio]'. May be given again.",
      valueName: "key=value"))
  var facts: [String] = []

  @Flag(help: "Print the answer as JSON.")
  var json = false

  func run(on console: Console) throws {
    console.interrupt.listen()
    if let file { return try explain(file, console) }
    if at != nil { throw Refusal("--at is a time of a scenario or a trace, and no file is named") }
    guard let kind else {
      throw Refusal("a scenario or a trace is needed, or a kind to ask for: --kind fetch")
    }
    let policy = try settings.applied(to: PolicyFile.named(policy ?? "ios13"))
    try ExplainCommand.check(KindName(rawValue: kind), policy)
    let question = try QuestionKeys(policy).question(
      AdmissionQuestion(KindName(rawValue: kind), under: policy), facts)
    try tell(
      ExplainResult(policy: policy, app: app ?? "the app", answer: policy.answer(to: question)),
      console)
  }

  /// Of a run.
  private func explain(_ file: String, _ console: Console) throws {
    if file == "-", policy == "-" {
      throw Refusal("the file and --policy cannot both be standard input")
    }
    if kind == nil, !facts.isEmpty {
      throw Refusal("--set is of what --kind asks for; what is so in a run the file says")
    }
    let inquiry = ExplainedRun.Inquiry(
      file: file, policy: policy, settings: settings, app: app,
      instant: try at.map { try InstantOption.read($0, "--at") },
      kind: kind.map { KindName(rawValue: $0) })
    let run = try console.watch { _ in try ExplainedRun(inquiry, console) }
    guard let kind else {
      let result = WhyResult(file: run.file, policy: run.policy, why: run.why)
      guard !json else { return try console.print(WhyResult.form.json(result).closed) }
      for line in result.lines {
        try console.show(
          Screen.wrapped(line.text, margin: line.margin, to: console.screen.textWidth))
      }
      return
    }
    guard let engine = run.engine else {
      throw Refusal("--kind: the trace has not made '\(run.why.app)' known by then")
    }
    let question = try QuestionKeys(run.policy).question(engine.question, facts)
    if case .senseless(let objection) = engine.reply(to: question) {
      throw Refusal(
        "--kind \(kind) makes no sense for '\(run.why.app)' at \(HumanTime.text(engine.instant)): \(objection.words)"
      )
    }
    guard let answer = run.policy.answer(to: question, in: engine) else {
      preconditionFailure("The engine has answered and does not any more")
    }
    try tell(ExplainResult(policy: run.policy, app: run.why.app, answer: answer), console)
  }

  private func tell(_ result: ExplainResult, _ console: Console) throws {
    if json {
      try console.print(ExplainResult.form.json(result).closed)
    } else {
      for line in result.lines {
        try console.show(Screen.wrapped(line, margin: 6, to: console.screen.textWidth))
      }
    }
    if !result.answer.isAllowed { throw ExitCode.denied }
  }

  /// A kind that the policy must know.
  static func check(_ kind: KindName?, _ policy: PolicyFile) throws(Refusal) {
    let kinds = policy.policy.names.kinds
    guard let kind, !kinds.contains(kind) else { return }
    let hint = NearestName.hint(for: kind.rawValue, among: kinds.map(\.rawValue), "there are")
    throw Refusal("--kind: unknown kind '\(kind)'\(hint)")
  }
}
