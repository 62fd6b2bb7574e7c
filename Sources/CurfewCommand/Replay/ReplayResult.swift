import CurfewEngine
import CurfewPolicy
import CurfewText
import CurfewTrace

/// The result of a replay, for a person and for a program.
struct ReplayResult {
  /// The name of the trace's file.
  let file: String
  let header: TraceHeader
  /// The numbers of replayed lines.
  let counts: Replay.Counts
  /// The policy of the replay.
  let policy: PolicyFile
  let ending: Replay.Ending

  /// The text for a person; nil for an interrupted replay, whose message says how far it got.
  var text: String? {
    switch ending {
    case .same: "replayed \(replayed) under \(policy.name): the same"
    case .different(let difference):
      """
      \(file.escapingControls):\(difference.line): different under \(policy.name)
        trace   \(difference.expected ?? "no more lines")
        engine  \(difference.found ?? "nothing")
      """
    case .cut:
      "replayed \(replayed) under \(policy.name): the same up to its last line, but it has no end: the run or the trace was cut"
    case .standstill:
      "replayed \(replayed) under \(policy.name): the same up to the instant at which time stands still"
    case .interrupted: nil
    }
  }

  var json: String { ReplayResult.form.json(self).closed }

  /// `replay/2`.
  static let form = ResultForm<ReplayResult>(
    "The result of a replay: one object on one line.",
    [
      .format("replay/2"), .text("name") { $0.header.name }, .text("policy") { $0.policy.name },
      .text("policyDigest") { $0.policy.digest },
      .text(
        "seed", "As text, because many parsers round integers of more than 53 bits."
      ) { String($0.header.seed) },
      .text("clock", "The clock of a trace in real time.", optional: true) { $0.header.clock },
      .count("lines", "The number of lines replayed, without the header.") { $0.counts.lines },
      .count("events") { $0.counts.events },
      .count("advances") { $0.counts.advances },
      .text("ending", words: ["same", "different", "cut", "standstill", "interrupted"]) {
        $0.endingName
      },
      .object(
        "difference", difference, "The first line that differs from the engine's.", optional: true
      ) { $0.difference },
      .count(
        "line",
        "The last line, if the trace was cut, the replay interrupted, or time stands still.",
        optional: true
      ) { $0.lastLine },
    ])

  private static let difference = ResultForm<Replay.Divergence>(
    "",
    [
      .count("line") { $0.line },
      .text("trace", "The trace's line.", optional: true) { $0.expected },
      .text("engine", "The engine's line.", optional: true) { $0.found },
    ])

  private var endingName: String {
    switch ending {
    case .same: "same"
    case .different: "different"
    case .cut: "cut"
    case .standstill: "standstill"
    case .interrupted: "interrupted"
    }
  }

  private var difference: Replay.Divergence? {
    if case .different(let difference) = ending { difference } else { nil }
  }

  private var lastLine: Int? {
    switch ending {
    case .cut(let line), .standstill(_, let line), .interrupted(let line): line
    case .same, .different: nil
    }
  }

  private var replayed: String {
    // Also counts the header, as the file's line numbers do.
    let lines = HumanCount.text(counts.lines + 1, "line")
    return
      "\(lines) (\(HumanCount.text(counts.events, "event")), \(HumanCount.text(counts.advances, "advance")))"
  }
}
