import CurfewEngine
import CurfewPolicy
import CurfewText
import CurfewTrace

/// What came of a replay, for a person and for a program.
struct ReplayResult {
  /// The trace's name.
  let file: String
  let header: TraceHeader
  /// How many lines went in.
  let counts: Replay.Counts
  /// What it was replayed under.
  let policy: PolicyFile
  let ending: Replay.Ending

  /// nil where there is nothing to say but how far it got.
  var text: String? {
    switch ending {
    case .same: "replayed \(replayed) under \(policy.name): the same"
    case .different(let difference):
      """
      \(file):\(difference.line): different under \(policy.name)
        trace   \(difference.expected ?? "no more lines")
        engine  \(difference.found ?? "nothing")
      """
    case .cut: "replayed \(replayed) under \(policy.name): the same as far as it goes, and it has no end: the run was cut, or the trace"
    case .interrupted: nil
    }
  }

  /// One object on one line.
  var json: String {
    var object = JSONLine()
    object.add("curfew", "replay/1")
    object.add("name", header.name)
    object.add("policy", policy.name)
    object.add("policyDigest", policy.digest)
    object.add("seed", header.seed)
    object.add("clock", header.clock)
    object.add("lines", counts.lines)
    object.add("events", counts.events)
    object.add("advances", counts.advances)
    switch ending {
    case .same: object.add("ending", "same")
    case .different(let difference):
      object.add("ending", "different")
      var place = JSONLine()
      place.add("line", difference.line)
      place.add("trace", difference.expected)
      place.add("engine", difference.found)
      object.add("difference", json: place.closed)
    case .cut(let line):
      object.add("ending", "cut")
      object.add("line", line)
    case .interrupted(let line):
      object.add("ending", "interrupted")
      object.add("line", line)
    }
    return object.closed
  }

  private var replayed: String {
    // With the header, as the file's lines are numbered.
    let lines = HumanCount.text(counts.lines + 1, "line")
    return "\(lines) (\(HumanCount.text(counts.events, "event")), \(HumanCount.text(counts.advances, "advance")))"
  }
}
