import CurfewEngine
package import CurfewPolicy
import CurfewText
import CurfewTrace

/// The differences between two policies: values, rows, and answers with the situations in which
/// they differ.
///
///     let difference = PolicyDifference(from: try PolicyFile.load("ios7"), to: try PolicyFile.load("mine.yaml"))
///     for sentence in difference.sentences { print(sentence) }
///
/// To compare answers, an engine under each policy is asked about every situation that the rows
/// of either policy test.
package struct PolicyDifference: Sendable {
  /// The values that both policies have and that differ, in the language's order.
  package let values: [Value]
  /// The kinds of session and wake, and the app groups, that only one policy has a row for.
  package let rows: [Row]
  /// The kinds that one policy allows and the other denies in the same situation.
  package let answers: [Answer]

  /// A value that changes.
  package struct Value: Hashable, Sendable {
    /// The path of the value: `tasks.grant`.
    package let path: String
    /// The value in the first policy.
    package let before: PolicyEntry
    /// The value in the second policy.
    package let after: PolicyEntry
  }

  /// A row that only one of the policies has.
  package struct Row: Hashable, Sendable {
    /// `sessions`, `wakes`, or `groups` of apps.
    package let group: String
    /// The name of the kind or group in files.
    package let kind: String
    /// Whether the second policy has the row; false if the first has it.
    package let isNew: Bool
    /// The length of a wake of this kind, or the time for which an app of this group has not been
    /// used. Nil for a session, and for a group without this time.
    package let length: String?
  }

  /// Kinds whose admission changes, and the situation in which it changes.
  package struct Answer: Hashable, Sendable {
    /// The names of the kinds in files.
    package internal(set) var kinds: [String]
    /// Whether the kinds are denied now and were allowed before; false for the reverse.
    package let isDenied: Bool
    /// The reasons of the denial, which define the situation: `lowPowerMode`.
    package let reasons: [String]
    /// The situation, in words: `while Low Power Mode is on`.
    package internal(set) var situation: String
    /// The values that deny: `wakes.fetch.blockedBy`.
    package internal(set) var paths: [String]
  }

  /// Whether the two policies have the same values, so that they decide alike.
  ///
  /// A value that differs counts even if it seems to have no effect, such as `unhandledWarning` in
  /// a row without a `warning`. An event may name a warning of its own, and a comparison
  /// of policies knows no events.
  package var isEmpty: Bool { values.isEmpty && rows.isEmpty }

  /// Compares two policies: the changes are those from `before` to `after`.
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
