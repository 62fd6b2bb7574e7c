import CurfewEngine
import CurfewPolicy
import CurfewText
import CurfewTrace

/// What came of a replay, for a person and for a program.
struct ReplayResult {
  /// The trace's name.
  let file: String
  let trace: Trace
  /// What it was replayed under.
  let policy: PolicyFile
  let ending: Replay.Ending

  /// nil where there is nothing to say but how far it got.
  var text: String? {
    switch ending {
    case .same: "replayed \(counts) under \(policy.name): the same"
    case .different(let difference):
      """
      \(file):\(difference.line): different under \(policy.name)
        trace   \(difference.expected ?? "no more lines")
        engine  \(difference.found ?? "nothing")
      """
    case .cut: "replayed \(counts) under \(policy.name): the same as far as it goes, and it has no end: the run was cut, or the trace"
    case .interrupted: nil
    }
  }

  /// One object on one line.
  var json: String {
    var object = JSONLine()
    object.add("curfew", "replay/1")
    object.add("name", trace.header.name)
    object.add("policy", policy.name)
    object.add("policyDigest", policy.digest)
    object.add("seed", trace.header.seed)
    object.add("clock", trace.header.clock)
    object.add("lines", trace.lines.count)
    object.add("events", events)
    object.add("advances", advances)
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

  private var counts: String {
    // With the header, as the file's lines are numbered.
    let lines = HumanCount.text(trace.lines.count + 1, "line")
    return "\(lines) (\(HumanCount.text(events, "event")), \(HumanCount.text(advances, "advance")))"
  }

  private var events: Int { trace.lines.count { if case .event = $0.body { true } else { false } } }

  private var advances: Int { trace.lines.count { $0.body == .advance } }
}
