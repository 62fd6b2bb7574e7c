import CurfewEngine
import CurfewPolicy
import CurfewText

/// Time ends after 292 years: what would happen at the last instant that 64 bits count, or after
/// it, is refused. The engine takes that instant for never, so it would be left out without a word.
///
/// What only goes on for so long (`useCPU`), or comes again and again (fetches, keep-alives), keeps
/// no run going, and loses nothing at that end.
extension ScenarioReader {
  /// The keys that say how long after a step something happens, by its verb.
  private static let waits = [
    "beginTask": "for", "scheduleNotification": "in", "submitTask": "earliest",
  ]

  /// The time that `node` names; nil, with an error, where that does not come.
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

  /// Reports what a step at `at` sets off and what would come too late to happen.
  mutating func checkReach(of step: SourceNode, at: Instant) {
    if let key = step["do"]?.text.flatMap({ ScenarioReader.waits[$0] }), let wait = step[key] {
      checkReach(of: key, wait, after: at)
    }
    checkReach(ofCalls: step["handler"], after: at)
  }

  /// Reports what apps set off by themselves, inside callbacks or by being slow, and what would
  /// come too late to happen even if `last`, where the timeline ends, were when they do.
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
