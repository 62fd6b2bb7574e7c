import CurfewEngine
import CurfewPolicy
import CurfewSystem
import CurfewText
import CurfewTrace

/// A journal stays short: runs that no rule looks back at move into an older file.
extension Journal {
  /// Whether the line in the middle of a journal lies before everything that counts. This look
  /// answers most calls.
  func isLong(_ bytes: [UInt8], at now: Instant) -> Bool {
    let count = bytes.count { $0 == UInt8(ascii: "\n") }
    guard count > leastCut, let middle = Journal.time(ofLine: count / 2, in: bytes) else {
      return false
    }
    return middle + file.policy.reach < now
  }

  /// The trace from the first run that counts; nil if too few lines would go, or if `exec` has not
  /// written all lines.
  ///
  /// - Parameters:
  ///   - bytes: Whole lines of a trace that replays, in which no run continues.
  ///   - now: The instant at which the next run begins.
  func shortened(_ bytes: [UInt8], at now: Instant) throws -> [UInt8]? {
    let trace = try Trace.decode(try SourceFile(name: path, bytes: bytes, limit: .max))
    guard let first = Journal.firstLine(of: trace.lines, thatCounts: now, in: file.policy),
      first >= leastCut, first > trace.lines.count / 2, Journal.isOfExec(trace)
    else { return nil }
    return rerun(trace, from: first)
  }

  /// The time of a line, counted from 0, as it is written; nil if it has none.
  private static func time(ofLine number: Int, in bytes: [UInt8]) -> Instant? {
    let key = Array(#"{"t":"#.utf8)
    let line = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: number + 1).dropFirst(number)
      .first
    guard let line, line.starts(with: key) else { return nil }
    let digits = line.dropFirst(key.count).prefix {
      $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9")
    }
    return Int64(String(decoding: digits, as: UTF8.self)).map { Instant(nanoseconds: $0) }
  }

  /// The index of the newest line before which everything is over and forgotten. A run begins
  /// there: with its line `resumed`, or with the reboot that comes before it.
  static func firstLine(of lines: [TraceLine], thatCounts now: Instant, in policy: Policy) -> Int? {
    for index in lines.indices.dropFirst().reversed() {
      guard lines[index].isResumed || lines[index].verb == .reboot else { continue }
      let end = lines[index - 1].time
      // Runs that follow each other closely count as one session, from its beginning.
      if end + policy.reach < now, end + policy.longestCoalescing < lines[index].time {
        return index
      }
    }
    return nil
  }

  /// Whether the trace has only what `exec` says. Other events may leave traces in the state of the
  /// engine that a later part of the file does not have.
  private static func isOfExec(_ trace: Trace) -> Bool {
    trace.header.device == DeviceChange() && trace.header.facts == [:]
      && trace.lines.allSatisfy { line in
        switch line.verb {
        case nil, .addApp, .deliver, .begin, .return, .completeWake, .crash, .reboot, .unlock: true
        default: false
        }
      }
  }

  /// Enters the runs from the line `first` on into a new engine.
  /// - Returns: nil if they are not the same there.
  private func rerun(_ trace: Trace, from first: Int) -> [UInt8]? {
    let sink = MemorySink()
    var header = TraceHeader(
      name: trace.header.name, under: file, device: DeviceFacts(), clock: trace.header.clock,
      seed: trace.header.seed,
      apps: trace.header.apps.map { ($0, trace.header.manifests[$0] ?? AppManifest()) })
    header.continues =
      Journal.older(FileBytes.identity(of: path)).split(separator: "/").last.map(String.init)
    var runs = LaterRuns(header, under: file.policy, to: sink)
    var expected = RunLedger(file.policy)
    let lastReboot = trace.lines[..<first].lastIndex { $0.verb == .reboot } ?? first
    for (index, line) in trace.lines.enumerated() {
      if index >= first {
        expected.note(line)
        runs.enter(line, before: trace.lines[(index + 1)...])
      } else if line.verb == .addApp
        || index >= lastReboot && [.reboot, .unlock].contains(line.verb)
      {
        // These events have effects for ever.
        runs.enter(line, before: [])
      }
    }
    return runs.finish() == expected.uses ? sink.bytes : nil
  }
}

extension TraceLine {
  /// The verb of an event; nil for any other line.
  fileprivate var verb: InputVerb? { if case .event(let deed) = body { deed.verb } else { nil } }

  fileprivate var isResumed: Bool { if case .resumed = body { true } else { false } }
}

extension Policy {
  /// The longest time after which a run that is over may still matter: to a budget, to an interval,
  /// or to a group of apps.
  var reach: Interval {
    let budgets = sessions.values.flatMap(\.budgets) + wakes.values.flatMap(\.budgets)
    let windows = budgets.map(\.window) + wakes.values.compactMap { $0.budget?.window }
    let intervals = wakes.values.map(\.schedule.minimumInterval)
    return (windows + intervals + groups.map(\.unusedFor)).max() ?? .zero
  }

  /// The longest pause between two runs that count as one session.
  var longestCoalescing: Interval {
    (wakes.values.map(\.coalescing) + sessions.values.map(\.coalescing)).max() ?? .zero
  }
}
