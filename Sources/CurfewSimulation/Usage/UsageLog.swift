package import CurfewEngine
package import CurfewText

/// What real users did: which app each of them had in front, and since when.
///
/// Each user has one change at least, and so there is one user and one app at least.
package struct UsageLog: Hashable, Sendable {
  /// The apps that were in front, in the order of their first rows in the file.
  package let apps: [String]
  /// Those who had an app in front, in the order of their first rows in the file.
  package let users: [User]
  /// How many rows there were, and what became of them.
  package let counts: Counts
  /// The first hundred bad rows, each with its place, in the order of the file.
  package let warnings: [FileDiagnostic]

  /// One person, or one phone.
  package struct User: Hashable, Sendable {
    /// The name that the log has for this user.
    package let name: String
    /// When the user's first change was, in nanoseconds since 1970, UTC: the zero of all instants
    /// of this user's.
    package let origin: Int64
    /// Which app came to the front and when, in the order of time. The first is at zero, no two are
    /// at one instant.
    package let changes: [FrontChange]
    /// The time of the user's last row, or of the last visit's end if that is later.
    package let end: Instant
  }

  /// An app that came to the front.
  package struct FrontChange: Hashable, Sendable {
    /// When, since the user's origin.
    package let at: Instant
    /// Which: its place in `UsageLog.apps`.
    package let app: Int
    /// When it left the front; nil: when the next change is. Of a user's last change nil says that
    /// the log ends with the app in front.
    package let left: Instant?
  }

  /// How many rows there were, and what became of them.
  package struct Counts: Hashable, Sendable {
    /// All rows but the header, bad ones too. Empty lines are no rows.
    package internal(set) var rows = 0
    /// Rows with a word that `UsageFormat.events` calls `ignore`.
    package internal(set) var ignored = 0
    /// Rows that were there before, byte for byte. Rows that are ignored or bad are not compared.
    package internal(set) var duplicates = 0
    /// Visits that ended when they began and were left out.
    package internal(set) var zeroLengthVisits = 0
    /// Snapshots whose first app has no name; they were left out.
    package internal(set) var emptySnapshots = 0
    /// What was wrong with bad rows, and with how many. Reasons that were not found are left out;
    /// the order is that of `BadRow`.
    package internal(set) var bad: [Bad] = []

    /// How many rows were bad.
    package var badRows: Int { bad.reduce(0) { $0 + $1.rows } }
  }

  /// How many rows were bad in one way.
  package struct Bad: Hashable, Sendable {
    /// What was wrong.
    package let reason: BadRow
    /// With how many rows.
    package let rows: Int
  }

  /// What can be wrong with a row. Only the first thing is counted.
  package enum BadRow: String, CaseIterable, Hashable, Sendable {
    /// It is not UTF-8.
    case notText
    /// A quote is not closed, or something follows a closed one.
    case quoting
    /// It is no JSON object.
    case json
    /// It has not as many fields as the first row, or not a key that the format names.
    case fields
    /// Its time is none in the notation of the format, or not one from 1970 to 2262.
    case time
    /// Its app has no name. A snapshot may have none.
    case app
    /// The format does not say what its event means.
    case event
    /// Its rank is no number.
    case rank
    /// Its duration is no number, or negative.
    case duration
  }
}
