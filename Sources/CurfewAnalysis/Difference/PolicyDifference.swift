import CurfewEngine
package import CurfewPolicy
import CurfewText
import CurfewTrace

/// What another policy changes: which values, which rows there are, and what is answered otherwise
/// in which situations.
///
///     let difference = PolicyDifference(from: try PolicyFile.load("ios7"), to: try PolicyFile.load("mine.yaml"))
///     for sentence in difference.sentences { print(sentence) }
///
/// What is answered is asked of an engine under each of the two, in every situation that rows
/// of a policy look at.
package struct PolicyDifference: Sendable {
  /// The values that both have, and that are not the same, in the language's order.
  package let values: [Value]
  /// Kinds of session and wake that only one of them has a row for, and groups that only one
  /// of them tells apart.
  package let rows: [Row]
  /// What is allowed under the one and denied under the other.
  package let answers: [Answer]

  /// A value that changes.
  package struct Value: Hashable, Sendable {
    /// Its keys: `tasks.grant`.
    package let path: String
    /// What it was.
    package let before: PolicyEntry
    /// What it is.
    package let after: PolicyEntry
  }

  /// A row that only one of the policies has.
  package struct Row: Hashable, Sendable {
    /// `sessions`, `wakes`, or `groups` of apps.
    package let group: String
    /// The kind, or the group, by its name in files.
    package let kind: String
    /// Whether the second policy has it; else the first.
    package let isNew: Bool
    /// How long such a wake may run, or such an app has not been used; nil for a session,
    /// and a group that does not look at that.
    package let length: String?
  }

  /// What is answered otherwise: kinds, and in which situation.
  package struct Answer: Hashable, Sendable {
    /// The kinds, by their names in files.
    package internal(set) var kinds: [String]
    /// Whether they are denied now, and were allowed; else the other way round.
    package let isDenied: Bool
    /// The reasons of the denial, which say what the situation is: `lowPowerMode`.
    package let reasons: [String]
    /// The situation, in words: `while Low Power Mode is on`.
    package internal(set) var situation: String
    /// The values that deny: `wakes.fetch.blockedBy`.
    package internal(set) var paths: [String]
  }

  /// Whether the two decide alike.
  package var isEmpty: Bool { values.isEmpty && rows.isEmpty }

  /// What `after` changes of `before`.
  package init(from before: PolicyFile, to after: PolicyFile) {
    values = before.entries.compactMap { entry in
      guard let other = after.entry(entry.path), other.text != entry.text else { return nil }
      return Value(path: entry.path, before: entry, after: other)
    }
    rows = ["sessions", "wakes", "groups"].flatMap { group in
      let (old, new) = (before.rows(of: group), after.rows(of: group))
      return new.filter { !old.contains($0) }.map { Row($0, of: group, in: after, isNew: true) }
        + old.filter { !new.contains($0) }.map { Row($0, of: group, in: before, isNew: false) }
    }
    answers = before.digest == after.digest ? [] : AnswerComparison(before, after).answers
  }
}

extension PolicyDifference.Row {
  fileprivate init(_ kind: String, of group: String, in policy: PolicyFile, isNew: Bool) {
    (self.kind, self.group, self.isNew) = (kind, group, isNew)
    let length = policy.entry("\(group).\(kind).\(group == "groups" ? "unusedFor" : "length")")?
      .written
    self.length = length == "none" ? nil : length
  }
}
