import CurfewEngine
import CurfewPolicy
import CurfewText

/// Time ends after 292 years. A step that would take effect at or after the last instant that 64
/// bits can count is refused, because the engine takes that instant for "never" and the effect
/// would be lost silently.
///
/// Effects that only last for a time (`useCPU`) or recur (fetches, keep-alives) do not keep a run
/// going, and lose nothing when time ends.
extension ScenarioReader {
  /// The key that delays the effect of a step, by the step's verb.
  private static let waits = [
    "beginTask": "for", "scheduleNotification": "in", "submitTask": "earliest",
  ]

  /// The time that `node` names; nil, with an error, if it is past the end of time.
  mutating func instant(_ node: SourceNode) -> Instant? {
    guard let instant = node.instant else { return nil }
    guard instant < .distantFuture else {
      let last = DurationText.write(Interval(nanoseconds: Instant.distantFuture.nanoseconds - 1))
      findings.error(
        at: node.place,
        "'\(node.text ?? "")' is past the end of time; the last instant is \(last), in 292 years")
      return nil
    }
    return instant
  }

  /// Reports effects of a step at `at` that would come too late to happen.
  mutating func checkReach(of step: SourceNode, at: Instant) {
    if let key = step["do"]?.text.flatMap({ ScenarioReader.waits[$0] }), let wait = step[key] {
      checkReach(of: key, wait, after: at)
    }
    checkReach(ofCalls: step["handler"], after: at)
  }

  /// Reports effects of the apps' own calls and of their times to return that would come too late,
  /// even if they began at `last`, the end of the timeline.
  mutating func checkReach(of apps: SourceNode?, after last: Instant) {
    for app in apps?.pairs ?? [] {
      for pair in app.value["returns"]?.pairs ?? [] {
        checkReach(of: pair.key, pair.value, after: last)
      }
      for pair in app.value["on"]?.pairs ?? [] { checkReach(ofCalls: pair.value, after: last) }
    }
  }

  private mutating func checkReach(ofCalls calls: SourceNode?, after at: Instant) {
    for call in calls?.elements ?? [] { checkReach(of: call, at: at) }
  }

  private mutating func checkReach(of key: String, _ node: SourceNode, after at: Instant) {
    guard let interval = node.interval, at + interval == .distantFuture else { return }
    let start = DurationText.write(at - Instant.zero)
    findings.error(
      at: node.place,
      "'\(key)' reaches past the end of time: '\(node.text ?? "")' from \(start) on is over 292 years"
    )
  }
}
