package import CurfewEngine
import CurfewPolicy
import CurfewTrace

/// The decisions, expirations and ends that differ between two runs, in clusters of the same kind,
/// reasons and rule.
package struct RunDifference: Sendable {
  /// The clusters: decisions in the order in which they first differ, then expirations, then ends.
  package let changes: [Change]

  /// A sort of outcome, by the word that results use for it.
  package enum Sort: String, Hashable, Sendable, CaseIterable {
    /// An app was allowed or denied something.
    case decision
    /// A task's expiration handler was called; or a session or a wake was warned, overran or used
    /// up its budget.
    case expiration
    /// A process ended.
    case end
  }

  /// Outcomes of the same sort and kind that change in the same way.
  package struct Change: Hashable, Sendable {
    /// The sort of the outcomes.
    package let sort: Sort
    /// The kind that was decided or expired, by its name in files; empty for ends.
    package let kind: String
    /// The reasons in the first run: all reasons of a denial, none for an admission, the one reason
    /// of an expiration or an end. Nil if the first run has no such outcome.
    package let before: [String]?
    /// The reasons in the second run, likewise.
    package let after: [String]?
    /// The policy value behind the denial or end, from the second run if both have one. Nil if
    /// there is no such value.
    package let rule: String?
    /// The number of outcomes.
    package internal(set) var count: Int
    /// The app of the first outcome; nil for the whole device.
    package let firstApp: String?
    /// The time of the first outcome in each run; nil if that run has none.
    package let first: (before: Instant?, after: Instant?)

    /// Whether two changes are equal.
    package static func == (a: Change, b: Change) -> Bool {
      a.isLike(b) && (a.count, a.firstApp) == (b.count, b.firstApp) && a.first == b.first
    }

    /// Hashes the properties that distinguish clusters.
    package func hash(into hasher: inout Hasher) {
      hasher.combine(kind)
      hasher.combine(before)
      hasher.combine(after)
    }

    func isLike(_ other: Change) -> Bool {
      (sort, kind, rule) == (other.sort, other.kind, other.rule) && before == other.before
        && after == other.after
    }
  }

  /// Compares two runs.
  ///
  /// An app's decisions about a kind are paired by instant; then equal decisions among the rest are
  /// paired in order. A decision without a partner is reported as gone or new. Expirations and ends
  /// are paired in order, first with outcomes for the same reason.
  /// - Complexity: O(n) in the number of outcomes if most are the same in both runs; at worst
  ///   quadratic in the number of one app's outcomes of one kind.
  package init(from before: Outcomes, to after: Outcomes) {
    var matching = OutcomeMatching(before.all, after.all)
    matching.match { $0.time == $1.time && $0.reasons == $1.reasons }
    matching.match { $0.time == $1.time && $0.sort == .decision }
    matching.match { $0.reasons == $1.reasons }
    matching.match { old, _ in old.sort != .decision }
    var clusters: [Change] = []
    for (old, new) in matching.pairs where old?.reasons != new?.reasons || old?.time != new?.time {
      let change = Change(old, new)
      if let same = clusters.firstIndex(where: { $0.isLike(change) }) {
        clusters[same].count += 1
      } else {
        clusters.append(change)
      }
    }
    changes = Sort.allCases.flatMap { sort in clusters.filter { $0.sort == sort } }
  }

  /// Whether all decisions, expirations and ends are the same.
  package var isEmpty: Bool { changes.isEmpty }
}

extension RunDifference.Change {
  /// At least one of the two is not nil.
  fileprivate init(_ old: RunOutcome?, _ new: RunOutcome?) {
    let one = new ?? old
    sort = one?.sort ?? .end
    kind = one?.kind ?? ""
    (before, after) = (old?.reasons, new?.reasons)
    rule = new?.rule ?? old?.rule
    count = 1
    firstApp = one?.app
    first = (old?.time, new?.time)
  }
}

/// Pairs each outcome of a run with its partner in the other run.
private struct OutcomeMatching {
  /// The app, sort and kind of an outcome: only outcomes with the same subject are partners.
  private struct Subject: Hashable {
    let sort: RunDifference.Sort
    let app: String?
    let kind: String

    init(_ outcome: RunOutcome) { (sort, app, kind) = (outcome.sort, outcome.app, outcome.kind) }
  }

  private let old: [RunOutcome]
  private let new: [RunOutcome]
  /// The outcomes without a partner, by subject, in time order.
  private var open: [Subject: (old: [Int], new: [Int])] = [:]
  /// The partner of each old outcome.
  private var partners: [Int: Int] = [:]

  init(_ old: [RunOutcome], _ new: [RunOutcome]) {
    (self.old, self.new) = (old, new)
    for (index, outcome) in old.enumerated() {
      open[Subject(outcome), default: ([], [])].old.append(index)
    }
    for (index, outcome) in new.enumerated() {
      open[Subject(outcome), default: ([], [])].new.append(index)
    }
  }

  /// Pairs the outcomes that fit and have no partner yet, in order: each old outcome takes
  /// the first free new outcome that fits.
  mutating func match(_ fits: (RunOutcome, RunOutcome) -> Bool) {
    for (subject, lists) in open {
      var rest = (old: [Int](), new: lists.new[...])
      for index in lists.old {
        guard let place = rest.new.firstIndex(where: { fits(old[index], new[$0]) }) else {
          rest.old.append(index)
          continue
        }
        partners[index] = rest.new[place]
        rest.new.remove(at: place)
      }
      open[subject] = (rest.old, Array(rest.new))
    }
  }

  /// All outcomes in time order, each with its partner if it has one.
  var pairs: [(RunOutcome?, RunOutcome?)] {
    var taken = Set<Int>()
    var pairs: [(RunOutcome?, RunOutcome?)] = old.indices.map { index in
      if let partner = partners[index] { taken.insert(partner) }
      return (old[index], partners[index].map { new[$0] })
    }
    pairs += new.indices.filter { !taken.contains($0) }.map { (nil, new[$0]) }
    func time(_ pair: (RunOutcome?, RunOutcome?)) -> Instant {
      min(pair.0?.time ?? .distantFuture, pair.1?.time ?? .distantFuture)
    }
    return pairs.enumerated().sorted {
      (time($0.element), $0.offset) < (time($1.element), $1.offset)
    }.map(\.element)
  }
}
