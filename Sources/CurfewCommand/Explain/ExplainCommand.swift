import ArgumentParser
import CurfewEngine
import CurfewPolicy
import CurfewSystem
import CurfewText

/// `curfew explain`: whether a policy admits something, why, and what would turn that.
struct ExplainCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract:
      "Says whether a policy admits a kind in a situation, each condition with its place, and the smallest changes that would turn the answer.",
    discussion: """
      The app declares what the kind's row asks for, is suspended (of a task or a session in front), and the device is at ease, but for what --set says: \
      \(QuestionKeys.listed), and the facts that the policy declares. What would turn the answer is told as options, too; each set of changes \
      has been asked of the engine, and no part of it suffices.

      Exit codes: 0 allowed, 1 failed, 3 denied, 4 a file is invalid, 64 usage, 141 whoever read the output has gone away.
      """)

  @Option(help: "A built-in policy's name, or a file; - for standard input.")
  var policy = "ios13"

  @OptionGroup var settings: PolicySettings

  @Option(help: "The kind that is asked for: finiteTask, a session's or a wake's, such as audio or fetch.")
  var kind: String

  @Option(help: "What to call the app.")
  var app = "the app"

  @Option(
    name: .customLong("set"),
    help: ArgumentHelp(
      "Say what is so: lowPowerMode=true, state=notRunning, 'modes=[fetch, audio]'. May be given again.", valueName: "key=value"))
  var facts: [String] = []

  @Flag(help: "Print the answer as JSON.")
  var json = false

  func run(on console: Console) throws {
    console.interrupt.listen()
    let policy = try settings.applied(to: PolicyFile.named(policy))
    let kinds = policy.policy.names.kinds.map(\.rawValue)
    guard kinds.contains(kind) else {
      let hint = NearestName.hint(for: kind, among: kinds, "there are")
      throw Refusal("--kind: unknown kind '\(kind)'\(hint)")
    }
    let question = try QuestionKeys(policy).question(KindName(rawValue: kind), facts)
    let result = ExplainResult(policy: policy, app: app, answer: policy.answer(to: question))
    if json {
      try console.print(ExplainResult.form.json(result).closed)
    } else {
      for line in result.lines { try console.show(Screen.wrapped(line, margin: 6, to: console.screen.textWidth)) }
    }
    if !result.answer.isAllowed { throw ExitCode.denied }
  }
}
