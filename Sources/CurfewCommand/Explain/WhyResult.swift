import CurfewAnalysis
import CurfewConsole
import CurfewEngine
import CurfewPolicy
import CurfewText
import CurfewTrace

/// Why an app is in its state, for people and for programs.
struct WhyResult {
  let file: String
  let policy: PolicyFile
  let why: Why
  var times = WallTimes()

  // MARK: Text

  /// The lines to print, each with the margin of its continuation lines, in columns.
  var lines: [(text: String, margin: Int)] {
    let width =
      (why.chain + (why.outlook ?? [])).map { times.text($0.instant).count }.max() ?? 0
    let head = "\(why.app) at \(times.text(why.instant)): \(standing)".escapingControls
    return [(head, 0)] + steps(why.chain, width) + denials + holdings + steps(outlook, width)
  }

  private var standing: String {
    let state =
      switch why.state {
      case .notRunning: "not running"
      case .background: "in the background"
      case .inactive, .active, .suspended: why.state.fileName
      }
    return why.chain.isEmpty
      ? "\(state), and has never run" : "\(state) since \(times.text(why.since))"
  }

  private func steps(_ steps: [Why.Step], _ width: Int) -> [(text: String, margin: Int)] {
    steps.map {
      (
        "  \(pad(times.text($0.instant), width, .right))  \($0.words)\($0.source)"
          .escapingControls, width + 4
      )
    }
  }

  private var denials: [(text: String, margin: Int)] {
    why.denials.flatMap { denial -> [(text: String, margin: Int)] in
      let often =
        denial.count > 1
        ? ", \(HumanCount.text(denial.count, "time")) since \(times.text(denial.first))" : ""
      let until =
        denial.explanations.lazy.compactMap(\.possibleFrom).first.map {
          ", until \(times.text($0))"
        } ?? ""
      let line =
        "Denied at \(times.text(denial.last))\(often): \(denial.kind), \(denial.reasons)\(until)"
      return [(line.escapingControls, 4)]
        + ExplanationText.lines(denial.explanations).map { ("    \($0)".escapingControls, 4) }
    }
  }

  private var holdings: [(text: String, margin: Int)] {
    why.holdings.map { held in
      let name =
        held.kind == .finiteTask ? "task \(held.number ?? 0) '\(held.name ?? "")'" : words(of: held)
      return ("It holds \(name), since \(times.text(held.since)).".escapingControls, 4)
    } + comment.map { ($0, 4) }
  }

  private func words(of held: Why.Holding) -> String {
    guard let number = held.number else { return "session \(held.kind)" }
    return "wake \(number), \(held.kind)\(held.name.map { " of request '\($0)'" } ?? "")"
  }

  /// The line above the outlook.
  private var comment: [String] {
    guard let outlook = why.outlook, why.state == .background || why.state == .inactive else {
      return []
    }
    return [outlook.isEmpty ? "This does not end by itself." : "If nobody does anything more:"]
  }

  private var outlook: [Why.Step] { why.outlook ?? [] }

  // MARK: JSON

  /// `why/1`.
  static let form = ResultForm<WhyResult>(
    "Why an app is in its state at an instant of a run: one object on one line.",
    [
      .format("why/1"), .text("file", "The scenario or the trace.") { $0.file },
      .object("policy", ResultForm("", PolicyFile.keysOfResults)) { $0.policy },
      .text("app") { $0.why.app },
      .time("at", "The instant, after all of its steps") {
        $0.why.instant.nanoseconds
      },
      .text("state", words: AppState.allCases.map(\.fileName)) { $0.why.state.fileName },
      .time("since", "The start") { $0.why.since.nanoseconds },
      .objects(
        "chain", step,
        "The steps that led to the state, from the last external event on; empty for an app that has never run."
      ) {
        $0.why.chain
      },
      .objects(
        "denials", denial,
        "The denials since its last launch or wake: the last one for each kind and set of reasons."
      ) {
        $0.why.denials
      },
      .objects("holdings", holding, "The assertions that keep it running.") { $0.why.holdings },
      .objects(
        "outlook", step,
        "The steps that follow if nobody does anything more, up to the next change of its state; empty if it stays there. Absent if no engine could be asked.",
        optional: true
      ) { $0.why.outlook },
    ])

  private static let step = ResultForm<Why.Step>(
    "",
    [
      .time("t", "The instant") { $0.instant.nanoseconds },
      .count(
        "line", "The number of the step's line in the trace, from 1 without the header.",
        optional: true
      ) { $0.line },
      .text("owner", "The party that caused it.", words: Why.Owner.allCases.map(\.rawValue)) {
        $0.owner.rawValue
      },
      .text("words", "A clause in which the app is called 'it'.") { $0.words },
      .text("rule", "The number of the rule in the rule book.", optional: true) { $0.rule },
      .objects("facts", Explanation.factForm, "The policy values behind the step.") { $0.facts },
    ])

  private static let denial = ResultForm<Why.Denial>(
    "",
    [
      .name("kind", known: KindName.standard.map(\.rawValue)) { $0.kind.rawValue },
      .count("count") { $0.count },
      .time("first", "The first denial") { $0.first.nanoseconds },
      .time("last", "The last denial") { $0.last.nanoseconds },
      .time("next", "The next possible admission", optional: true) {
        $0.explanations.lazy.compactMap(\.possibleFrom).first?.nanoseconds
      },
      .objects("reasons", Explanation.reasonForm, "Each fact that denied it.") { $0.explanations },
    ])

  private static let holding = ResultForm<Why.Holding>(
    "",
    [
      .name("kind", known: KindName.standard.map(\.rawValue)) { $0.kind.rawValue },
      .text(
        "name", "The name of a task, or the identifier of the request behind a wake.",
        optional: true
      ) { $0.name },
      .count("number", "The number of a task or a wake.", optional: true) { $0.number },
      .time("since", "The start") { $0.since.nanoseconds },
    ])
}
