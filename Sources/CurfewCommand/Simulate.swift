public import ArgumentParser
import CurfewEngine
import CurfewManifest
import CurfewPolicy
import CurfewSimulation
import CurfewText
import CurfewTrace

/// `curfew simulate`: a scenario in virtual time, told to a person or as JSON.
struct Simulate: ConsoleCommand {
  static let configuration = CommandConfiguration(
    abstract: "Runs a scenario in virtual time.",
    discussion: """
      Without a scenario it runs a phone's day. What happened goes to standard output: a timeline, then a summary, with the reason \
      and the policy's line for every kill and every denial. Nothing in it is random: the seed is always 0.

      Exit codes: 0 fine, 1 failed, 4 a file is invalid, 64 usage, 130 interrupted and 143 terminated, 141 whoever read the output or the trace has gone away \
      (what was done so far is kept).
      """)

  @Argument(help: "The scenario's file; - for standard input. Without it, a phone's day.")
  var scenario: String?

  @Option(help: "The policy to run under instead of the scenario's: ios3, ios4, ios7, ios13 or a file.")
  var policy: String?

  @Option(help: ArgumentHelp("Write the trace to this file, as JSON Lines.", valueName: "file"))
  var trace: String?

  @Option(help: "What callbacks are called: uikit or xamarin.")
  var names: CallbackNames = .uikit

  @Flag(help: "Print the summary as JSON instead of the timeline.")
  var json = false

  func validate() throws {
    if trace == "-" { throw ValidationError("--trace takes a file; /dev/stdout is one.") }
  }

  func run(on console: Console) throws {
    let scenario = try load()
    for warning in scenario.warnings { console.tell(warning.description) }

    var simulation = Simulation(scenario)
    let header = simulation.header
    let writer = try openTrace(header, scenario.files, console)
    var summary = RunSummary(apps: header.apps)
    var why = TraceExplanations(scenario)
    var explained: [ExplainedLine] = []
    var timeline = Timeline(scenario, names: names, style: console.style)
    var lanes = Lanes(scenario.apps.map(\.identifier))
    let ending = try console.watch { progress in
      if !json { try console.print(timeline.heading) }
      return try simulation.run(isInterrupted: { console.isStopped }) { line in
        summary.add(line)
        let explanations = why.explanations(of: line)
        if json, !explanations.isEmpty { explained.append(ExplainedLine(line: line, explanations: explanations)) }
        lanes.add(line)
        // Where one of them is lost the other gets the whole step, so that the trace is one of a run that ended sooner.
        try? writer?.write(line.json(names))
        if !json, timeline.tells(line) { try? console.print(timeline.text(for: line, explanations)) }
        progress.at(line.time)
      }
    }
    try writer?.close()

    let end = ending == .until ? scenario.until ?? simulation.now : summary.end
    if json {
      try console.print(SummaryJSON(scenario: scenario, summary: summary, ending: ending, end: end, explained: explained).text)
    } else {
      try console.print(lanes.text(until: end, names: timeline.shortNames, style: console.style))
      try console.print(SummaryText(scenario: scenario, summary: summary, end: end, style: console.style).text)
    }
    switch ending {
    case .complete, .until: break
    case .interrupted:
      throw console.interrupted(" at \(HumanTime.text(simulation.now)); this is what was done so far")
    case .standstill(let app, let identifier):
      let cause = "'\(app)' submits a request whenever '\(identifier)' starts, and it may start at once"
      throw console.failure(
        "\(scenario.file): error: time stands still at \(HumanTime.text(simulation.now)): \(cause); give it an 'earliest'")
    case .endOfTime(let app):
      let cause = "'\(app)' sets off what would come after 292 years"
      throw console.failure("\(scenario.file): error: time ends: at \(HumanTime.text(simulation.now)) \(cause); give the run an 'until'")
    }
  }

  private func load() throws -> Scenario {
    let policy = try policy.map { try PolicyFile.load($0) }
    guard let scenario else { return try Scenario.shippedDay(policy: policy) }
    if scenario == "-" { return try Scenario.decode(try SourceFile.readStandardInput(), policy: policy) }
    return try Scenario.load(scenario, policy: policy)
  }

  private func openTrace(_ header: TraceHeader, _ inputs: [String], _ console: Console) throws -> LineWriter? {
    guard let trace else { return nil }
    let inputs = inputs + (scenario == "-" ? ["/dev/stdin"] : [])
    let writer = try console.open(trace, "--trace", besides: inputs.map { ($0, "this run reads") })
    try writer.write(header.json)
    return writer
  }
}

extension CallbackNames: ExpressibleByArgument {}
