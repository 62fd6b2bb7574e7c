/// The format of a log of real users: the meanings of its columns and of its event words.
package struct UsageFormat: Hashable, Sendable {
  /// The file format; nil to derive it from the file name's extension.
  package var file: File?
  /// The columns of the fields.
  package var columns: Columns
  /// The notation of times.
  package var time: TimeNotation
  /// The zone of local times that have no `Z` and no offset.
  package var zone: UsageZone
  /// The meanings of the words in the event column; a row with another word is a bad row. Only
  /// `Rows.events` uses them.
  package var events: [String: EventMeaning]

  /// A format with these properties.
  package init(
    file: File? = nil, columns: Columns, time: TimeNotation, zone: UsageZone = .utc,
    events: [String: EventMeaning] = [:]
  ) {
    (self.file, self.columns, self.time, self.zone, self.events) = (
      file, columns, time, zone, events
    )
  }

  /// The file format of the rows.
  package enum File: String, CaseIterable, Hashable, Sendable {
    /// Fields between commas, quoted if needed (RFC 4180), after a header row.
    case csv
    /// The same, with tabs instead of commas.
    case tsv
    /// A JSON object on each line.
    case jsonl

    /// The format of files with this name; nil if the extension does not determine one.
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

  /// The columns of the fields.
  ///
  /// A name refers to the header row. If no header text equals the name and the name is a number,
  /// the number is the index of the column, counted from 1. If all columns are given by index, the
  /// file has no header row. In JSON Lines a name is a key, with dots between the keys of nested
  /// objects: `data.app`.
  package struct Columns: Hashable, Sendable {
    /// The time.
    package var time: String
    /// The user; nil if the whole log is one user's.
    package var user: String?
    /// The app.
    package var app: String
    /// The type of the rows.
    package var rows: Rows

    /// Columns of these names.
    package init(time: String, user: String?, app: String, rows: Rows) {
      (self.time, self.user, self.app, self.rows) = (time, user, app, rows)
    }
  }

  /// The type of the rows, and the name of the column that only rows of this type have.
  package enum Rows: Hashable, Sendable {
    /// An app's rank in the stack of recent apps, sampled from time to time. Among the rows with
    /// the same user and time, the row with the smallest rank has the app in the foreground.
    case snapshots(rank: String)
    /// An event of an app; `UsageFormat.events` has the meaning of each word.
    case events(event: String)
    /// A visit of an app, with its length in the unit, which may have decimals.
    case visits(duration: String, unit: DurationUnit = .seconds)
    /// An app's entry into the foreground; the log does not say when it left.
    case openings

    /// The column that only rows of this type have.
    package var column: String? {
      switch self {
      case .snapshots(let column), .events(let column), .visits(let column, _): column
      case .openings: nil
      }
    }
  }

  /// The unit of recorded lengths.
  package enum DurationUnit: String, CaseIterable, Hashable, Sendable {
    case minutes = "min"
    case seconds = "s"
    case milliseconds = "ms"
    case microseconds = "us"

    /// The length of one unit, in nanoseconds.
    package var nanoseconds: Int64 {
      switch self {
      case .minutes: 60_000_000_000
      case .seconds: 1_000_000_000
      case .milliseconds: 1_000_000
      case .microseconds: 1_000
      }
    }

    /// The unit in messages: `milliseconds`.
    package var words: String {
      switch self {
      case .minutes: "minutes"
      case .seconds: "seconds"
      case .milliseconds: "milliseconds"
      case .microseconds: "microseconds"
      }
    }
  }

  /// The notation of times in a log.
  package enum TimeNotation: String, CaseIterable, Hashable, Sendable {
    /// Seconds since 1970 in UTC, with or without decimals.
    case unixSeconds
    /// Milliseconds since 1970 in UTC, with or without decimals.
    case unixMilliseconds
    /// Seconds since 2001 in UTC, with or without decimals, as Apple's systems write them.
    case secondsSince2001
    /// `2018-03-25 01:59:59`, optionally with a `T` instead of the space, with decimals, and with
    /// `Z` or an offset such as `+01:00` at the end.
    case local
  }

  /// The meaning of a word in the event column.
  package enum EventMeaning: String, CaseIterable, Hashable, Sendable {
    /// The app entered the foreground.
    case front
    /// The app left the foreground.
    case back
    /// The event does not concern the foreground.
    case ignore
  }
}
