import CurfewText

/// The place of a contestant in its workload. The table, the JSON and the page take it from here.
package enum Standing: Sendable, Hashable {
  /// The floor does the least work that any contestant could do, so it has no rank.
  case floor
  /// The rank in the contestant's own division, from 1.
  case ranked(Int)
  /// It has figures but no rank, for a reason that is no fault of its own: too few repetitions,
  /// or it is from another checkout.
  case unranked
  /// It is listed below the line, with this sentence.
  case belowTheLine(String)

  package var rank: Int? { if case .ranked(let rank) = self { rank } else { nil } }

  package var sentence: String? {
    if case .belowTheLine(let sentence) = self { sentence } else { nil }
  }
}

/// The standings of a workload's contestants.
///
/// The first main figure ranks; a smaller one is better. Contestants with an early timer, a wrong
/// answer or no answer have no rank. In the closed division, the contestants of that division are
/// ranked. In the open division, every contestant takes part with its best options: a closed one is
/// ranked among the open ones unless the run has an open contestant of its name with `-open` behind
/// it, with or without a rank.
package struct Standings: Sendable, Hashable {
  /// The contestant's standing, by name.
  private let standings: [String: Standing]
  /// The ranked contestants of each division, the best first.
  package let ranking: [ContestantRecord.Division: [String]]

  package init(_ workload: WorkloadRecord, _ figures: WorkloadFigures) {
    let sentences = Dictionary(
      uniqueKeysWithValues: workload.contestants.compactMap { contestant in
        Standings.sentence(about: contestant, in: workload).map { (contestant.name, $0) }
      })
    let figure = workload.mainFigures.first?.name ?? ""
    let ranked = workload.contestants.filter { contestant in
      sentences[contestant.name] == nil && contestant.role != .floor && !workload.isDisturbed
        && !contestant.isOfOtherCheckout
        && figures.values(of: contestant.name, figure).count >= WorkloadFigures.fewestRepetitions
    }
    let ordered = ranked.map { ($0, figures.middle(of: $0.name, figure) ?? .infinity) }
      .sorted { ($0.1, $0.0.name) < ($1.1, $1.0.name) }.map(\.0)
    let open = Set(workload.contestants.filter { $0.division == .open }.map(\.name))
    let ranking: [ContestantRecord.Division: [String]] = [
      .closed: ordered.filter { $0.division == .closed }.map(\.name),
      .open: ordered.map(\.name).filter { open.contains($0) || !open.contains($0 + "-open") },
    ]
    self.ranking = ranking
    standings = Dictionary(
      uniqueKeysWithValues: workload.contestants.map { contestant in
        let name = contestant.name
        if let sentence = sentences[name] { return (name, .belowTheLine(sentence)) }
        if contestant.role == .floor { return (name, .floor) }
        let rank = ranking[contestant.division]?.firstIndex(of: name)
        return (name, rank.map { .ranked($0 + 1) } ?? .unranked)
      })
  }

  package subscript(contestant: ContestantRecord) -> Standing {
    standings[contestant.name] ?? .unranked
  }

  /// The reason why a contestant is below the line; nil if it is not.
  private static func sentence(about contestant: ContestantRecord, in workload: WorkloadRecord)
    -> String?
  {
    switch contestant.outcome {
    case .measured, .interrupted:
      guard let early = workload.earlyTimers(of: contestant.name) else {
        return contestant.outcome == .measured ? nil : "interrupted"
      }
      return early.sentence(rounding: contestant.rounding)
    case .missing(let need, let install): return "needs \(need), which is missing: \(install)"
    case .cannot(let reason): return "cannot take part: \(reason)"
    case .tooSlow(let reason): return "too slow for this size: \(reason)"
    case .wrong(let answer): return "wrong answer: \(answer)"
    case .failed(let reason): return "failed: \(reason)"
    case .disturbed(let reason): return ContestantRecord.Outcome.disturbance(reason, of: 1)
    }
  }
}

extension ContestantRecord.Outcome {
  /// The outcome without its reason.
  package var words: String {
    switch self {
    case .measured: "measured"
    case .missing: "missing"
    case .cannot: "cannot take part"
    case .tooSlow: "too slow"
    case .wrong: "wrong"
    case .failed: "failed"
    case .disturbed: "disturbed"
    case .interrupted: "interrupted"
    }
  }

  /// The sentence about so many disturbed contestants, with the reason of the first. Their reasons
  /// differ only in numbers.
  static func disturbance(_ reason: String, of count: Int) -> String {
    "disturbed by other processes\(count > 1 ? "; the first" : ""): \(reason)"
  }
}

extension Sequence {
  /// The elements in groups that have one key, in the order of their first elements.
  func grouped<Key: Hashable>(by key: (Element) -> Key) -> [[Element]] {
    Dictionary(grouping: enumerated()) { key($0.element) }.values
      .sorted { $0[0].offset < $1[0].offset }.map { $0.map(\.element) }
  }
}

extension EarlyTimers {
  /// `3 timers early, at most 1ms; rounding: none`.
  package func sentence(rounding: String?) -> String {
    "\(HumanCount.text(count, "timer")) early, at most \(HumanTime.rounded(nanoseconds))"
      + (rounding.map { "; rounding: \($0)" } ?? "")
  }
}
