/// What a log of real users looks like: which of its columns is what, and what its words mean.
package struct UsageFormat: Hashable, Sendable {
  /// How the rows are written; nil: as the ending of the file's name says.
  package var file: File?
  /// Where in a row each thing stands.
  package var columns: Columns
  /// How the log writes times.
  package var time: TimeNotation
  /// The zone of local times that have no `Z` and no offset.
  package var zone: UsageZone
  /// What the words of the event column mean. A row with another word is a bad row. Only
  /// `Rows.events` looks at them.
  package var events: [String: EventMeaning]

  /// A format of these parts.
  package init(
    file: File? = nil, columns: Columns, time: TimeNotation, zone: UsageZone = .utc,
    events: [String: EventMeaning] = [:]
  ) {
    (self.file, self.columns, self.time, self.zone, self.events) = (
      file, columns, time, zone, events
    )
  }

  /// How rows are written.
  package enum File: String, CaseIterable, Hashable, Sendable {
    /// Fields between commas, in quotes where needed (RFC 4180), a header row first.
    case csv
    /// The same with tabs in place of the commas.
    case tsv
    /// A JSON object on each line.
    case jsonl

    /// The format that files with such a name have; nil where the ending says nothing.
    package init?(endingOf name: String) {
      let file = name.split(separator: "/").last ?? ""
      guard let dot = file.lastIndex(of: ".") else { return nil }
      switch file[dot...].dropFirst().lowercased() {
      case "csv": self = .csv
      case "tsv", "tab": self = .tsv
      case "jsonl", "ndjson": self = .jsonl
      default: return nil
      }
    }
  }

  /// Where in a row each thing stands.
  ///
  /// A column is called as in the header row. Where no header has the name and the name is a
  /// number, it is the number of the column, counted from 1; where all of them are such numbers
  /// the file has no header row. In JSON Lines a column is a key, with dots for the keys of objects
  /// in objects: `data.app`.
  package struct Columns: Hashable, Sendable {
    /// When.
    package var time: String
    /// Who; nil: the whole log is one user's.
    package var user: String?
    /// Which app.
    package var app: String
    /// What a row is.
    package var rows: Rows

    /// Columns of these names.
    package init(time: String, user: String?, app: String, rows: Rows) {
      (self.time, self.user, self.app, self.rows) = (time, user, app, rows)
    }
  }

  /// What a row of the log is, and the name of the column that only such rows have.
  package enum Rows: Hashable, Sendable {
    /// A place in a stack of recent apps that was looked at from time to time: of the rows of one
    /// user and time, the one with the smallest rank is the app in front.
    case snapshots(rank: String)
    /// Something happened to an app; `UsageFormat.events` says what each word means.
    case events(event: String)
    /// An app was in front for so many seconds, which may have decimals.
    case visits(duration: String)
    /// An app came to the front; when it left is not in the log.
    case openings

    /// The column that only such rows have.
    package var column: String? {
      switch self {
      case .snapshots(let column), .events(let column), .visits(let column): column
      case .openings: nil
      }
    }
  }

  /// How a log writes times.
  package enum TimeNotation: String, CaseIterable, Hashable, Sendable {
    /// Seconds since 1970 in UTC, with or without decimals.
    case unixSeconds
    /// Milliseconds since 1970 in UTC, with or without decimals.
    case unixMilliseconds
    /// Seconds since 2001 in UTC, with or without decimals: what Apple's systems write.
    case secondsSince2001
    /// `2018-03-25 01:59:59`, also with a `T` in place of the space, with decimals, and with `Z`
    /// or an offset such as `+01:00` at the end.
    case local
  }

  /// What a word of the event column says of the row's app.
  package enum EventMeaning: String, CaseIterable, Hashable, Sendable {
    /// The app came to the front.
    case front
    /// The app left the front.
    case back
    /// Nothing about the front.
    case ignore
  }
}
