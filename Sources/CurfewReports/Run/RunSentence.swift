import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewText
import CurfewTrace

/// The run in one sentence: the outcome of its tasks, and the most serious end of a process or, if
/// no process ended, the denials.
struct RunSentence {
  let run: RunRecord

  var text: String {
    let all = [tasks, ends ?? denials].compactMap(\.self)
    let words =
      all.isEmpty
      ? "no background task was begun, and nothing was denied or terminated"
      : all.joined(separator: "; ")
    guard run.isCut else { return words.capitalized + "." }
    return "Up to \(time(run.end)), where the trace was cut, \(words)."
  }

  private var tasks: String? {
    let all = run.tasks.count
    let ended = run.figures[.tasksEnded]
    switch (all, ended) {
    case (0, _): return nil
    case (1, 1): return "the only background task ended in time"
    case (1, _):
      return open == 1
        ? "the only background task was still open at the end"
        : "the only background task did not end in time"
    case _ where ended == all: return "all \(HumanCount.text(all)) background tasks ended in time"
    default:
      let left =
        open > 0
        ? ", and \(HumanCount.text(open)) \(open == 1 ? "was" : "were") still open at the end" : ""
      return
        "\(HumanCount.text(ended)) of \(HumanCount.text(all)) background tasks ended in time\(left)"
    }
  }

  /// The number of tasks that were open at the end of the trace.
  private var open: Int { run.tasks.count { $0.span.ending == .run } }

  private var ends: String? {
    guard
      let worst = run.ends.enumerated().min(by: {
        ($0.element.gravity, $0.offset) < ($1.element.gravity, $1.offset)
      })?.element
    else {
      return run.tasks.isEmpty || run.decided.denied > 0 ? nil : "no process was terminated"
    }
    let (name, instant) = (run.apps[worst.app].name, time(worst.time))
    if run.ends.count == 1 { return "\(name) was terminated at \(instant): \(cause(of: worst))" }
    let purged = run.ends.count { $0.process.reason == .memoryPressure }
    let others =
      purged > 0 && worst.process.reason != .memoryPressure
      ? "\(HumanCount.text(purged)) of them to make room in memory, and" : "among them"
    return
      "\(HumanCount.text(run.ends.count)) processes ended, \(others) \(name) at \(instant) because \(cause(of: worst))"
  }

  private var denials: String? {
    guard run.decided.denied > 0 else { return nil }
    let count =
      "\(HumanCount.text(run.decided.denied)) of \(HumanCount.text(run.decided.all, "decision"))"
    let reasons = run.denials
    guard let first = reasons.first else { return nil }
    let word = run.decided.denied == 1 ? "was a denial" : "were denials"
    return reasons.count == 1
      ? "\(count) \(word): \(first.reason)"
      : "\(count) \(word); the most frequent reason, \(first.reason), has \(HumanCount.text(first.count))"
  }

  /// The cause of an end. If the handler of a task was called, the cause says how long the app had
  /// after that.
  private func cause(of end: EndRecord) -> String {
    guard end.process.reason == .backgroundTaskAssertionTimeout, let names = end.process.tasks,
      let name = names.first,
      let task = run.tasks.last(where: {
        $0.app == end.app && $0.span.end == end.time && $0.name == name
      }),
      let expired = task.handlerCalled
    else { return end.cause }
    let time = time(Instant(nanoseconds: end.time.nanoseconds - expired.nanoseconds))
    return names.count == 1
      ? "it did not end its task '\(name)' within \(time) of its expiration handler"
      : "it did not end its \(names.count) tasks within \(time) of the expiration handler of '\(name)'"
  }
}

extension RunSentence {
  /// A time with non-breaking spaces.
  private func time(_ instant: Instant) -> String {
    run.words(instant).replacing(" ", with: "\u{A0}")
  }
}

extension RunRecord {
  /// The reasons of denials with their counts, the most frequent first.
  var denials: [(reason: String, count: Int)] {
    var counts: [String: Int] = [:]
    for (key, count) in decisions {
      if let reason = key.reason { counts[reason, default: 0] += count.count }
    }
    return counts.map { (reason: $0.key, count: $0.value) }.sorted {
      ($1.count, $0.reason) < ($0.count, $1.reason)
    }
  }
}

extension EndRecord {
  /// The rank of the end; 0 is the most serious. Mistakes of an app come first, then its failures,
  /// then ends that may happen to any app.
  fileprivate var gravity: Int {
    switch process.reason {
    case .backgroundTaskAssertionTimeout, .tooManyBackgroundTasks: 0
    case .appWatchdog, .cpuResourceLimit, .memoryResourceLimit, .suspendedWithLockedFile: 1
    case .abnormalExit, .badAccess, .illegalInstruction, .signal, .spawnFailed: 2
    case .memoryPressure, .oomKill: 3
    case .normalAppExit: 4
    case .userForceQuit, .reboot, .hostFailure: 5
    }
  }
}

extension String {
  /// The text with a capital first letter, unless its first word is a name.
  fileprivate var capitalized: String {
    guard let word = split(separator: " ").first, !word.contains(".") else { return self }
    return prefix(1).uppercased() + dropFirst()
  }
}
