public import ArgumentParser
import CurfewEngine
import CurfewPolicy
import CurfewReports
import CurfewSimulation
import CurfewSystem
import CurfewText
import CurfewTrace

/// `curfew simulate`: a scenario in virtual time, told to a person or as JSON.
struct Simulate: ConsoleCommand {
  static let configuration = CommandConfiguration(
    abstract: "Runs a scenario in virtual time.",
    discussion: """
      Without a scenario it runs a phone's day. What happened goes to standard output: a timeline, then a summary, with the reason \
      and the policy's line for every kill and every denial. On a terminal the timeline is a table; in a pipe each of its lines has its time and its app, \
      for grep and the like. Nothing in a scenario is random: its seed is always 0.

      --stats, --csv and --format openmetrics tell figures instead, as `curfew fleet` does for a workload on many devices.

      --format perfetto writes the run as a trace for https://ui.perfetto.dev: `curfew simulate --format perfetto > day.pftrace`.

      What a scenario expects is checked, but not under --policy: see `curfew test`.

      Exit codes: 0 fine, 1 failed, 4 a file is invalid, 5 where the scenario expects otherwise, or with --strict where a step made no sense, \
      64 usage, 130 interrupted and 143 terminated, 141 whoever read the output or the trace has gone away (what was done so far is kept).
      """)

  @Argument(help: "A scenario's file; - for standard input. Without it, a phone's day.")
  var scenario: String?

  @Option(
    help: ArgumentHelp("Run under this policy instead of the scenario's: \(PolicyFile.choices)."))
  var policy: String?

  @OptionGroup var settings: PolicySettings

  @Option(
    help: ArgumentHelp(
      "Write the trace to this file, as JSON Lines; - for standard output, with everything else left out.",
      valueName: "file"))
  var trace: String?

  @Option(help: "What callbacks are called: uikit or xamarin.")
  var names: CallbackNames = .uikit

  @Flag(help: "Print the result as JSON instead of the timeline, and messages as JSON too.")
  var json = false

  @Option(
    help: ArgumentHelp(
      "How the run is told: text, json as --json, csv as --csv, perfetto (a trace for ui.perfetto.dev, on standard output, with everything else left out), or openmetrics (figures for Prometheus and its like).",
      valueName: "format"))
  var format: Format?

  enum Format: String, FormatOption { case text, json, csv, perfetto, openmetrics }

  @Flag(help: "Exit with 5 where a step makes no sense, and say which and why.")
  var strict = false

  @Flag(help: "Print figures, as a workload's, instead of the timeline.")
  var stats = false

  @Flag(help: "Print figures as comma-separated values.")
  var csv = false

  @Option(
    help: ArgumentHelp(
      "Write every distribution of the figures to a file of its own in this folder, as HdrHistogram's tools plot them (.hgrm).",
      valueName: "folder"))
  var hgrm: String?

  @OptionGroup(title: "Timeline") var view: TimelineOptions

  func run(on console: Console) throws {
    if scenario == "-", policy == "-" {
      throw Refusal("the scenario and --policy cannot both be standard input")
    }
    let form = try Format.chosen(format, json: json, csv: csv)
    // A file may be a pipe, whose writer takes its time.
    console.interrupt.listen()
    let source = try Scenario.source(scenario)
    let filter = try view.filter()
    let tellsFigures = stats || form.tellsFigures
    if hgrm != nil, !tellsFigures {
      throw Refusal("--hgrm writes distributions of figures: it goes with --stats")
    }
    if form == .perfetto, stats {
      throw Refusal(
        "--format perfetto is a trace, which has no figures: --stats says nothing there")
    }
    if form == .perfetto, view.isAboutTimeline || !view.appNames.isEmpty {
      throw Refusal(
        "--format perfetto has the whole run: --app, --from, --until, --only, --lines and --repeats say nothing there"
      )
    }
    if tellsFigures, view.isAboutTimeline || !view.appNames.isEmpty {
      throw Refusal(
        "figures have no timeline: --app, --from, --until, --only, --lines and --repeats say nothing there"
      )
    }
    if form == .json, view.isAboutTimeline {
      throw Refusal(
        "--json prints no timeline: --from, --until, --only, --lines and --repeats say nothing there"
      )
    }
    let scenario = try Scenario.decode(
      source, policy: try settings.policy(policy, insteadOfThatIn: source))
    let apps = try view.apps(of: scenario)
    for warning in scenario.warnings { console.tell(Message(warning)) }

    var simulation = Simulation(scenario)
    var perfetto =
      try form == .perfetto
      ? PerfettoOutput(trace(of: scenario, simulation.header), besides: trace, on: console) : nil
    let writer = try openTrace(simulation.header, scenario.files, console)
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
    var lanes = Lanes(summary.apps.map(\.identifier))
    let telling = Telling(
      json: form == .json, isSilent: trace == "-" || tellsFigures || form == .perfetto,
      isPartial: filter.topics != nil)

    let ending = try console.watch { progress in
      if telling.hasFrame { try console.show(timeline.heading) }
      return try simulation.run(isInterrupted: { console.isStopped }) { line in
        // Where one of them is lost the other gets the whole step, so that the trace is one
        // of a run that ended sooner.
        try? writer?.write(line.json(names))
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
    // As the trace's own end says.
    let end = ending.isWhole ? scenario.until ?? last : last
    let verdicts = Verdicts(
      all: isChecked ? expectations.verdicts(cutAt: ending.isWhole ? nil : simulation.now) : [])
    if telling.hasTimeline, let text = timeline.finish() { try? console.show(text) }
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

  /// Under another policy a scenario's expectations say nothing about this run.
  private var isChecked: Bool { policy == nil }

  /// Which parts of its result a run tells.
  private struct Telling {
    /// The JSON object.
    let hasResult: Bool
    let hasTimeline: Bool
    /// What stands around the timeline.
    let hasFrame: Bool

    init(json: Bool, isSilent: Bool, isPartial: Bool) {
      hasResult = json && !isSilent
      hasTimeline = !json && !isSilent
      hasFrame = hasTimeline && !isPartial
    }
  }

  /// What the run's end means, on standard error, and the exit code.
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
        "at \(HumanTime.text(now)); this is what was done so far\(open)")
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

  private func openTrace(_ header: TraceHeader, _ inputs: [String], _ console: Console) throws
    -> LineWriter?
  {
    guard let trace else { return nil }
    let inputs = inputs + (scenario == "-" || policy == "-" ? ["/dev/stdin"] : [])
    let writer = try console.open(trace, "--trace", besides: inputs.map { ($0, "this run reads") })
    try writer.write(header.json)
    return writer
  }
}

/// The steps that made no sense.
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
  /// Why a run cannot come to its end, and what helps; nil where it can.
  func trouble(at now: Instant) -> String? {
    switch self {
    case .complete, .until, .interrupted: return nil
    case .standstill(let standstill): return "\(standstill)"
    case .endOfTime(let app):
      let cause = "'\(app)' sets off what would come after 292 years"
      return "time ends: at \(HumanTime.text(now)) \(cause); give the run an 'until'"
    }
  }
}

extension CallbackNames: ExpressibleByArgument {}
