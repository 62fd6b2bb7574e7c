package import CurfewEngine
import CurfewPolicy
import CurfewTrace

/// Which decisions and ends of a run another policy changes, and what runs out of time otherwise,
/// in clusters: the same kind, the same reasons, the same rule.
package struct RunDifference: Sendable {
  /// The clusters: decisions in the order in which they first differ, then what runs out of time,
  /// then ends.
  package let changes: [Change]

  /// What is compared of two runs, by the word that results have for it.
  package enum Sort: String, Hashable, Sendable, CaseIterable {
    /// An app was allowed or denied something.
    case decision
    /// A task's expiration handler was called; a session or a wake was warned, overran or used up
    /// its budget.
    case expiration
    /// A process ended.
    case end
  }

  /// Outcomes of a sort and a kind that change in the same way.
  package struct Change: Hashable, Sendable {
    /// What they are.
    package let sort: Sort
    /// What was decided or ran out, by its name in files; nothing for ends.
    package let kind: String
    /// What it was: the reasons of a denial, none for an admission, that of an expiration or an
    /// end; nil where there was nothing.
    package let before: [String]?
    /// What it is, likewise.
    package let after: [String]?
    /// The value of the policy behind the one that denies or ends; of two the second policy's. nil
    /// where no value says so.
    package let rule: String?
    /// How many.
    package internal(set) var count: Int
    /// The first: whose it is, nil for the whole device.
    package let firstApp: String?
    /// When the first came before, and when it comes now; nil where there is none.
    package let first: (before: Instant?, after: Instant?)

    /// Whether two changes are the same.
    package static func == (a: Change, b: Change) -> Bool {
      a.isLike(b) && (a.count, a.firstApp) == (b.count, b.firstApp) && a.first == b.first
    }

    /// Hashes what tells clusters apart.
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

  /// What a second run changes of a first one.
  ///
  /// The decisions of an app about a kind are compared instant by instant, then those that are
  /// alike in their order; what has no partner is told as gone or new. Its expirations and ends are
  /// compared in their order, first those for the same reason.
  /// - Complexity: O(n) in the number of outcomes where most are the same; at worst the square
  ///   of what one app has of a kind.
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

  /// Whether every decision, every expiration and every end is the same.
  package var isEmpty: Bool { changes.isEmpty }
}

extension RunDifference.Change {
  /// One of the two is there.
  fileprivate init(_ old: Outcome?, _ new: Outcome?) {
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

/// Finds for each outcome of a run its partner in the other.
private struct OutcomeMatching {
  /// Whose outcome it is, and of what: only those of the same are partners.
  private struct Subject: Hashable {
    let sort: RunDifference.Sort
    let app: String?
    let kind: String

    init(_ outcome: Outcome) { (sort, app, kind) = (outcome.sort, outcome.app, outcome.kind) }
  }

  private let old: [Outcome]
  private let new: [Outcome]
  /// What has no partner yet, by subject, in the order of time.
  private var open: [Subject: (old: [Int], new: [Int])] = [:]
  /// For each of the old ones its partner.
  private var partners: [Int: Int] = [:]

  init(_ old: [Outcome], _ new: [Outcome]) {
    (self.old, self.new) = (old, new)
    for (index, outcome) in old.enumerated() {
      open[Subject(outcome), default: ([], [])].old.append(index)
    }
    for (index, outcome) in new.enumerated() {
      open[Subject(outcome), default: ([], [])].new.append(index)
    }
  }

  /// Pairs what has no partner yet and fits, in order: both lists are gone through once, and of
  /// each the one that comes first gives way.
  mutating func match(_ fits: (Outcome, Outcome) -> Bool) {
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

  /// Each with its partner, or alone, in the order of time.
  var pairs: [(Outcome?, Outcome?)] {
    var taken = Set<Int>()
    var pairs: [(Outcome?, Outcome?)] = old.indices.map { index in
      if let partner = partners[index] { taken.insert(partner) }
      return (old[index], partners[index].map { new[$0] })
    }
    pairs += new.indices.filter { !taken.contains($0) }.map { (nil, new[$0]) }
    func time(_ pair: (Outcome?, Outcome?)) -> Instant {
      min(pair.0?.time ?? .distantFuture, pair.1?.time ?? .distantFuture)
    }
    return pairs.enumerated().sorted {
      (time($0.element), $0.offset) < (time($1.element), $1.offset)
    }.map(\.element)
  }
}
