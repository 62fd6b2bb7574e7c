import CurfewAnalysis
import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewText
import CurfewTrace

/// A scenario's run or a trace, examined for one app at one instant.
struct ExplainedRun {
  /// The question that the command line asks.
  struct Inquiry {
    let file: String
    let policy: String?
    let settings: PolicySettings
    /// The app as given; nil means the only app of the file.
    let app: String?
    let time: AskedTime?
    /// The instant of that time.
    var instant: Instant?
    /// The kind to ask the engine about; nil if the question is why.
    let kind: KindName?
  }

  let file: String
  let policy: PolicyFile
  let why: Why
  /// The engine at that instant; nil if the question names no kind.
  let engine: AskedEngine?
  let times: WallTimes

  /// Treats a file that begins with a brace as a trace; a scenario begins with a key.
  init(_ inquiry: Inquiry, _ console: Console) throws {
    var inquiry = inquiry
    file = inquiry.file
    let source = try SourceFile.argument(file, limit: SourceFile.traceLimit)
    let trace = source.text.hasPrefix("{") ? try Trace.decode(source) : nil
    times = WallTimes(trace)
    inquiry.instant = try inquiry.time.map(times.instant)
    (policy, why, engine) =
      try trace.map { try ExplainedRun.look(at: $0, source.name, inquiry, console) }
      ?? ExplainedRun.look(atScenarioIn: source, inquiry, console)
  }

  private typealias Look = (PolicyFile, Why, AskedEngine?)

  // MARK: A scenario

  private static func look(atScenarioIn source: SourceFile, _ inquiry: Inquiry, _ console: Console)
    throws -> Look
  {
    let scenario = try Scenario.decode(
      source, policy: try inquiry.settings.policy(inquiry.policy, insteadOfThatIn: source))
    let place = FileDiagnostic(file: scenario.file, "")
    let app = try identifier(inquiry, among: scenario.apps.map(\.identifier), place)
    guard let number = scenario.app(app) else {
      preconditionFailure("The scenario has no '\(app)'")
    }
    try ExplainCommand.check(inquiry.kind, scenario.policy)
    let instant = try inquiry.instant ?? lastInstant(of: app, in: scenario, console)

    if let until = scenario.until, instant > until {
      throw unknown(Why.Unknown.instant(instant, end: until, isCut: false), place)
    }

    var simulation = Simulation(scenario)
    var reading = WhyReading(app, scenario.policy, TraceExplanations(scenario))
    let ending = try simulation.run(through: instant, isInterrupted: { console.isStopped }) {
      reading.add($0)
    }
    switch ending {
    case nil: break
    case .complete?, .until?:
      let end = scenario.until ?? simulation.now
      if instant > end {
        throw unknown(Why.Unknown.instant(instant, end: end, isCut: false), place)
      }
    case .interrupted?:
      throw console.interrupted("at \(HumanTime.text(simulation.now)); nothing is printed")
    case .standstill?, .endOfTime?:
      throw console.failure(
        Message(.error, ending?.trouble(at: simulation.now) ?? "", file: scenario.file))
    }
    return (
      scenario.policy, reading.why(at: simulation.now, in: simulation.driver, simulation.coder),
      inquiry.kind.map { simulation.asked($0, for: number) }
    )
  }

  /// The instant of the app's last event; the end of the run if it has none.
  private static func lastInstant(of app: String, in scenario: Scenario, _ console: Console) throws
    -> Instant
  {
    var simulation = Simulation(scenario)
    var (last, end) = (Instant?.none, Instant.zero)
    let ending = try simulation.run(isInterrupted: { console.isStopped }) { line in
      if line.app == app { last = line.time }
      end = line.time
    }
    if let trouble = ending.trouble(at: simulation.now) {
      throw console.failure(Message(.error, trouble, file: scenario.file))
    }
    return last ?? end
  }

  // MARK: A trace

  private static func look(at trace: Trace, _ file: String, _ inquiry: Inquiry, _ console: Console)
    throws -> Look
  {
    let policy = try trace.header.policy(
      named: inquiry.policy, inquiry.settings, in: file, "examined", console)
    let app = try identifier(
      inquiry, among: trace.appNames,
      FileDiagnostic(at: SourcePlace(file: file, line: 1, column: 1), ""))
    try ExplainCommand.check(inquiry.kind, policy)
    let instant: Instant
    do { instant = try trace.instant(inquiry.instant, toAskOf: app) } catch {
      throw unknown(
        error,
        FileDiagnostic(at: SourcePlace(file: file, line: trace.lines.count + 1, column: 1), ""),
        WallTimes(trace))
    }
    var reading = WhyReading(app, policy, TraceExplanations(policy: policy, header: trace.header))
    var replay = ReplayRun(trace.header, policy.policy)
    var divergence: Replay.Divergence?
    for line in trace.lines where line.time <= instant {
      if console.isStopped {
        throw console.interrupted("at \(HumanTime.text(line.time)); nothing is printed")
      }
      reading.add(line)
      if divergence == nil, line.body != .end { divergence = replay.take(line) }
    }
    if divergence == nil, inquiry.instant == nil || instant == trace.lines.last?.time,
      let standstill = replay.foundStandstill
    {
      throw console.failure(Message(.error, "\(standstill)", file: file))
    }
    // A line that is due before that instant under this policy but missing from the trace is also
    // a difference.
    let differing = divergence?.line ?? (replay.move(to: instant) ? nil : replay.line + 1)
    if let differing {
      let place = SourcePlace(file: file, line: differing, column: 1)
      if inquiry.kind != nil {
        let message =
          "--kind: under '\(policy.name)' the engine differs from the trace from here on, so it cannot be asked; 'curfew replay' shows the difference"
        throw SettingErrors(diagnostics: [FileDiagnostic(at: place, message)])
      }
      return (policy, reading.why(at: instant), nil)
    }
    return (
      policy, reading.why(at: instant, in: replay.driver, replay.coder),
      inquiry.kind.flatMap { replay.asked($0, for: app, under: policy) }
    )
  }

  // MARK: Errors

  /// The identifier of the app that the question names. It may be left out if the file has only
  /// one app.
  private static func identifier(_ inquiry: Inquiry, among all: [String], _ place: FileDiagnostic)
    throws -> String
  {
    do throws(Refusal) {
      if let name = inquiry.app { return try AppName.identifier(name, among: all, in: place.file) }
      guard let only = all.first, all.count == 1 else {
        throw Refusal(
          "--app is needed; the file has \(all.isEmpty ? "no apps" : all.joined(separator: ", "))")
      }
      return only
    } catch {
      throw located(error.message, place)
    }
  }

  private static func unknown(
    _ unknown: Why.Unknown, _ place: FileDiagnostic, _ times: WallTimes = WallTimes()
  ) -> SettingErrors {
    switch unknown {
    case .app(let app, _): located("there is no '\(app)'", place)
    case .instant(let instant, let end, let isCut):
      located(
        "--at \(times.text(instant)): \(isCut ? "the trace was cut" : "the run ends") at \(times.text(end)), and nothing is known after that",
        place)
    }
  }

  private static func located(_ message: String, _ place: FileDiagnostic) -> SettingErrors {
    var diagnostic = place
    diagnostic.message = message
    return SettingErrors(diagnostics: [diagnostic])
  }
}
