public import ArgumentParser
import CurfewConsole
import CurfewEngine
import CurfewPolicy
import CurfewReports
import CurfewSimulation
import CurfewSystem
import CurfewText
import CurfewTrace

/// `curfew simulate`: runs a scenario in virtual time and prints a timeline or JSON.
struct Simulate: ConsoleCommand {
  static let configuration = CommandConfiguration(
    abstract: "Runs a scenario in virtual time.",
    discussion: """
      Without a scenario, runs a phone's day. Standard output gets a timeline, then a summary; every termination and denial has its reason \
      and the line of the policy behind it. On a terminal the timeline is a table; in a pipe each line has its time and its app, \
      for tools such as grep. Nothing in a scenario is random: its seed is always 0.

      --stats, --csv and --format openmetrics print figures instead, like `curfew fleet` for a workload on many devices.

      --format perfetto writes the run as a trace for https://ui.perfetto.dev: `curfew simulate --format perfetto > day.pftrace`.

      The expectations of the scenario are checked, except under --policy: see `curfew test`.

      Exit codes: 0 done; 1 failed; 4 a file is invalid; 5 an expectation failed, or with --strict a step makes no sense; \
      64 usage; 130 interrupted; 141 the reader of the output or the trace is gone; 143 terminated. After an interruption, the results up to that time are kept.
      """)

  @Argument(
    help: "A scenario's file; - for standard input. Without it, a phone's day.", completion: .yaml)
  var scenario: String?

  @Option(
    help: ArgumentHelp("Run under this policy instead of the scenario's: \(PolicyFile.choices)."),
    completion: .policies)
  var policy: String?

  @OptionGroup var settings: PolicySettings

  @Option(
    help: ArgumentHelp(
      "Write the trace to this file, as JSON Lines; - for standard output, without any other output.",
      valueName: "file"), completion: .file())
  var trace: String?

  @Option(
    help: "The names of callbacks: uikit or xamarin.",
    completion: .list(CallbackNames.allCases.map(\.rawValue)))
  var names: CallbackNames = .uikit

  @Flag(help: "Print the result as JSON instead of the timeline, and messages also as JSON.")
  var json = false

  @Option(
    help: ArgumentHelp(
      "The output format: text, json (the same as --json), csv (the same as --csv), perfetto (a trace for ui.perfetto.dev, on standard output, without any other output), or openmetrics (figures for Prometheus and similar tools).",
      valueName: "format"), completion: .list(Format.allCases.map(\.rawValue)))
  var format: Format?

  enum Format: String, FormatOption { case text, json, csv, perfetto, openmetrics }

  @Flag(help: "Exit with 5 if a step makes no sense, and print each such step with the reason.")
  var strict = false

  @Flag(help: "Print figures like those of a workload, instead of the timeline.")
  var stats = false

  @Flag(help: "Print figures as comma-separated values.")
  var csv = false

  @Option(
    help: ArgumentHelp(
      "Write each distribution of the figures to its own file in this folder, in the .hgrm format of HdrHistogram's tools.",
      valueName: "folder"), completion: .directory)
  var hgrm: String?

  @OptionGroup(title: "Timeline") var view: TimelineOptions

  func run(on console: Console) throws {
    if scenario == "-", policy == "-" {
      throw Refusal("the scenario and --policy cannot both be standard input")
    }
    let form = try Format.chosen(format, json: json, csv: csv)
    // The file may be a pipe with a slow writer.
    console.interrupt.listen()
    let source = try Scenario.source(scenario)
    let filter = try view.filter()
    let tellsFigures = stats || form.tellsFigures
    if hgrm != nil, !tellsFigures {
      throw Refusal("--hgrm writes distributions of figures: it needs --stats")
    }
    if form == .perfetto, stats {
      throw Refusal(
        "--format perfetto is a trace, which has no figures: --stats does not apply")
    }
    if form == .perfetto, view.isAboutTimeline || !view.appNames.isEmpty {
      throw Refusal(
        "--format perfetto has the whole run: --app, --from, --until, --only, --lines and --repeats do not apply"
      )
    }
    if tellsFigures, view.isAboutTimeline || !view.appNames.isEmpty {
      throw Refusal(
        "figures have no timeline: --app, --from, --until, --only, --lines and --repeats do not apply"
      )
    }
    if form == .json, view.isAboutTimeline {
      throw Refusal(
        "--json prints no timeline: --from, --until, --only, --lines and --repeats do not apply"
      )
    }
    let scenario = try Scenario.decode(
      source, policy: try settings.policy(policy, insteadOfThatIn: source))
    let apps = try view.apps(of: scenario)
    for warning in scenario.warnings { console.tell(Message(warning)) }
    if view.from != nil { try checkStart(filter.from, of: scenario, console) }

    var simulation = Simulation(scenario)
    var perfetto =
      try form == .perfetto
      ? PerfettoOutput(trace(of: scenario, simulation.header), besides: trace, on: console) : nil
    let writer = try openTrace(scenario.files, console)
    var recorder = writer.map {
      TraceRecorder(
        simulation.header, names: names, policy: scenario.policy.policy, to: OutputSink($0))
    }
    // Whatever ends the run, the trace has the lines of its last step.
    defer { recorder?.cut() }
    var summary = RunSummary(
      apps: scenario.apps.map(\.identifier).filter { apps?.contains($0) ?? true },
      under: scenario.policy)
    var why = TraceExplanations(scenario)
    var explained = ExplainedLines()
    var mistakes = Mistakes()
    var expectations = ExpectationCheck(scenario)
    var last = Instant.zero
    let manner = view.manner(
      filter, apps: apps, names: names, isTerminal: console.screen.isTerminal)
    var timeline = Timeline(scenario, manner, console.screen)
    var lanes = TimelineLanes(summary.apps.map(\.identifier))
    let telling = Telling(
      json: form == .json, isSilent: trace == "-" || tellsFigures || form == .perfetto,
      isPartial: filter.topics != nil)

    let ending = try console.watch { progress in
      if telling.hasFrame { try console.show(timeline.heading) }
      return try simulation.run(isInterrupted: { console.isStopped }) { line in
        // If one output fails, the other still gets the whole step, so that the trace equals that
        // of a shorter run.
        recorder?.append(line)
        perfetto?.write(line)
        progress.at(line.time)
        if strict { mistakes.add(line) }
        if isChecked { expectations.add(line) }
        if line.body != .advance, line.body != .end { last = line.time }
        guard line.app.map({ apps?.contains($0) ?? true }) ?? true else { return }
        if line.app != nil || apps == nil {
          for change in summary.read(line) {
            lanes.add(change, of: summary.apps[change.app].identifier)
          }
        }
        let explanations = why.explanations(of: line)
        if form == .json, !explanations.isEmpty {
          explained.add(ExplainedLine(line: line, explanations: explanations))
        }
        if telling.hasTimeline, let text = timeline.add(line, explanations) {
          try? console.show(text)
        }
      }
    }
    // The instant of the end in the trace.
    let end = ending.isWhole ? scenario.until ?? last : last
    let verdicts = Verdicts(
      all: isChecked ? expectations.verdicts(cutAt: ending.isWhole ? nil : simulation.now) : [])
    if telling.hasTimeline, let text = timeline.finish() { try? console.show(text) }
    recorder?.cut()
    if trace != "-" { try writer?.close() }
    if tellsFigures, trace != "-" {
      let figures = simulation.figures(until: max(end, simulation.now))
      let result = FigureResult(scenario, figures, isWhole: ending.isWhole)
      try result.show(as: form, on: console)
      if let hgrm { try result.writeDistributions(to: hgrm, on: console) }
    } else if telling.hasResult {
      let result = SimulationResult(
        scenario: scenario, summary: summary, ending: ending, end: end, explained: explained,
        verdicts: verdicts.all)
      try console.print(result.json)
    } else if telling.hasFrame {
      try console.show(lanes.text(until: end, names: timeline.shortNames, screen: console.screen))
      try console.show(
        SummaryText(scenario: scenario, summary: summary, end: end, screen: console.screen).text)
    }
    try judge(ending, scenario, at: simulation.now, mistakes, verdicts, console)
  }

  /// Refuses a timeline that begins after the end of the run. Only a preliminary run can determine
  /// the end.
  private func checkStart(_ start: Instant, of scenario: Scenario, _ console: Console) throws {
    var ahead = Simulation(scenario)
    let ending = try ahead.run(through: start, isInterrupted: { console.isStopped }) { _ in }
    let end = scenario.until ?? ahead.now
    guard let ending, ending.isWhole, start > end else { return }
    throw Refusal(
      "--from \(HumanTime.text(start)): the run ends at \(HumanTime.text(end)), and nothing is known after that"
    )
  }

  /// Expectations apply only under the scenario's own policy.
  private var isChecked: Bool { policy == nil }

  /// The parts of the result that are printed.
  private struct Telling {
    /// The JSON object.
    let hasResult: Bool
    let hasTimeline: Bool
    /// The heading, lanes and summary.
    let hasFrame: Bool

    init(json: Bool, isSilent: Bool, isPartial: Bool) {
      hasResult = json && !isSilent
      hasTimeline = !json && !isSilent
      hasFrame = hasTimeline && !isPartial
    }
  }

  /// Prints the verdict on standard error and throws the exit code.
  private func judge(
    _ ending: Simulation.Ending, _ scenario: Scenario, at now: Instant, _ mistakes: Mistakes,
    _ verdicts: Verdicts, _ console: Console
  ) throws {
    mistakes.tell(console)
    verdicts.tell(console)
    let isOtherwise = mistakes.count > 0 || !verdicts.failed.isEmpty
    switch ending {
    case .complete, .until: break
    case .interrupted:
      let undecided = verdicts.count(.undecided)
      let open = undecided > 0 ? ", \(HumanCount.text(undecided, "expectation")) undecided" : ""
      let interrupted = console.interrupted(
        "at \(HumanTime.text(now)); these are the results so far\(open)")
      if !isOtherwise { throw interrupted }
    case .standstill, .endOfTime:
      throw console.failure(Message(.error, ending.trouble(at: now) ?? "", file: scenario.file))
    }
    if isOtherwise { throw ExitCode.different }
  }

  private func trace(of scenario: Scenario, _ header: TraceHeader) -> PerfettoTrace {
    PerfettoTrace(
      header: header, policy: scenario.policy, names: names,
      explanations: TraceExplanations(scenario))
  }

  private func openTrace(_ inputs: [String], _ console: Console) throws -> LineWriter? {
    guard let trace else { return nil }
    let inputs = inputs + (scenario == "-" || policy == "-" ? ["/dev/stdin"] : [])
    return try console.open(trace, "--trace", besides: inputs.map { ($0, "this run reads") })
  }
}

/// The steps that make no sense, for `--strict`.
private struct Mistakes {
  private(set) var count = 0
  private var messages: [Message] = []

  mutating func add(_ line: TraceLine) {
    guard case .diagnostic(.illegalEvent, .step(let verb, let objection?, let place)) = line.body
    else { return }
    count += 1
    guard messages.count < Findings.limit else { return }
    let whose = line.app.map { " of '\($0)'" } ?? ""
    messages.append(
      Message(
        .error,
        "'\(verb)'\(whose) makes no sense at \(HumanTime.text(line.time)): \(objection.words)",
        place: place))
  }

  func tell(_ console: Console) {
    for message in messages { console.tell(message) }
    if count > messages.count {
      console.tell(
        .error, "and \(HumanCount.text(count - messages.count, "more step")) that made no sense")
    }
  }
}

extension Simulation.Ending {
  /// The reason why a run cannot finish, and the remedy; nil if it finished or was interrupted.
  func trouble(at now: Instant) -> String? {
    switch self {
    case .complete, .until, .interrupted: return nil
    case .standstill(let standstill): return "\(standstill)"
    case .endOfTime(let app):
      let cause = "'\(app)' causes an event later than 292 years"
      return "time ends: at \(HumanTime.text(now)) \(cause); give the run an 'until'"
    }
  }
}

extension CallbackNames: ExpressibleByArgument {}
