import CurfewEngine
import CurfewSimulation
import CurfewText

/// The log in `text`; the file's name gives the format.
func usageLog(
  _ text: String, _ format: UsageFormat, file: String = "log.csv", longestVisit: Interval? = nil
) throws -> UsageLog {
  try UsageLog.decode(Array(text.utf8), name: file, format, longestVisit: longestVisit)
}

/// The errors of an invalid log, as a person reads them.
func usageErrors(_ text: String, _ format: UsageFormat, file: String = "log.csv") -> [String] {
  do throws(FileErrors) {
    _ = try UsageLog.decode(Array(text.utf8), name: file, format)
    return []
  } catch {
    return error.diagnostics.map(\.description)
  }
}

extension UsageLog {
  /// A line for each user: `anna from 1000: mail 0s, maps 5s to 9s, end 12s`.
  var told: [String] {
    users.map { user in
      let changes = user.changes.map { change in
        "\(apps[change.app]) \(change.at)" + (change.left.map { " to \($0)" } ?? "")
      }
      let origin = Interval(nanoseconds: user.origin).description.dropLast()
      return "\(user.name) from \(origin): \(changes.joined(separator: ", ")), end \(user.end)"
    }
  }
}

extension UsageFormat {
  /// Events in the columns `time`, `user`, `app` and `event`, in Unix seconds; the words are
  /// `open`, `close` and `touch`.
  static let plainEvents = UsageFormat(
    columns: Columns(time: "time", user: "user", app: "app", rows: .events(event: "event")),
    time: .unixSeconds,
    events: ["open": .front, "close": .back, "touch": .ignore])

  /// Snapshots in the columns `time`, `user`, `app` and `rank`, in Unix seconds.
  static let plainSnapshots = UsageFormat(
    columns: Columns(time: "time", user: "user", app: "app", rows: .snapshots(rank: "rank")),
    time: .unixSeconds)

  /// Visits in the columns `time`, `user`, `app` and `duration`, in Unix seconds.
  static let plainVisits = UsageFormat(
    columns: Columns(time: "time", user: "user", app: "app", rows: .visits(duration: "duration")),
    time: .unixSeconds)
}
