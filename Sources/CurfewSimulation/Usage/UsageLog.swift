package import CurfewEngine
package import CurfewText

/// A log of real users: the apps that each of them had in the foreground, with times.
///
/// Each user has at least one change, so there is at least one user and one app.
package struct UsageLog: Hashable, Sendable {
  /// The apps that were in the foreground, in the order of their first rows in the file.
  package let apps: [String]
  /// The users who had an app in the foreground, in the order of their first rows in the file.
  package let users: [User]
  /// The counts of rows and of their outcomes.
  package let counts: Counts
  /// The first hundred bad rows, each with its place, in the order of the file.
  package let warnings: [FileDiagnostic]
  /// Warnings about the log as a whole: times and lengths that are implausible for a person.
  package let overallWarnings: [FileDiagnostic]

  /// A person, or a phone.
  package struct User: Hashable, Sendable {
    /// The user's name in the log.
    package let name: String
    /// The time of the user's first change, in nanoseconds since 1970, UTC. All of the user's
    /// instants are counted from this time.
    package let origin: Int64
    /// The changes of the app in the foreground, in time order. The first is at instant zero,
    /// and no two are at the same instant.
    package let changes: [FrontChange]
    /// The time of the user's last row, or of the last visit's end if that is later.
    package let end: Instant
  }

  /// A change of the app in the foreground.
  package struct FrontChange: Hashable, Sendable {
    /// The instant, from the user's origin.
    package let at: Instant
    /// The index of the app in `UsageLog.apps`.
    package let app: Int
    /// The instant at which the app left the foreground; nil if it left at the next change. For
    /// a user's last change, nil means that the log ends with the app in the foreground.
    package let left: Instant?
  }

  /// The counts of rows and of their outcomes.
  package struct Counts: Hashable, Sendable {
    /// All rows except for the header, including bad ones. Empty lines are not rows.
    package internal(set) var rows = 0
    /// Rows with a word whose meaning in `UsageFormat.events` is `ignore`.
    package internal(set) var ignored = 0
    /// Rows that repeat an earlier row byte for byte. Ignored and bad rows are not compared.
    package internal(set) var duplicates = 0
    /// Visits of length 0, which were left out.
    package internal(set) var zeroLengthVisits = 0
    /// Snapshots whose first app has no name; they were left out.
    package internal(set) var emptySnapshots = 0
    /// The bad rows by reason, in the order of `BadRow`. Reasons that did not occur are left out.
    package internal(set) var bad: [Bad] = []

    /// The number of bad rows.
    package var badRows: Int { bad.reduce(0) { $0 + $1.rows } }
  }

  /// The number of rows that are bad for one reason.
  package struct Bad: Hashable, Sendable {
    /// The reason.
    package let reason: BadRow
    /// The number of rows.
    package let rows: Int
  }

  /// A reason for which a row is bad. A row with several reasons counts under the first only.
  package enum BadRow: String, CaseIterable, Hashable, Sendable {
    /// The row is not UTF-8.
    case notText
    /// A quote is not closed, or text follows a closing quote.
    case quoting
    /// The row is not a JSON object.
    case json
    /// The number of fields differs from that of the first row, or a key that the format names
    /// is missing.
    case fields
    /// The time is not in the notation of the format, or not in the years 1970 to 2262.
    case time
    /// The app has no name. A snapshot may have such rows.
    case app
    /// The format does not define the word of the event.
    case event
    /// The rank is not a number.
    case rank
    /// The duration is not a number, or is negative.
    case duration
  }
}
