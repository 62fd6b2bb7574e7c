import CurfewEngine

/// Sorts the rows of a log by user and time, and computes each user's history.
struct UsageHistories {
  private let bytes: [UInt8]
  private let rows: UsageFormat.Rows
  private let longest: Int64?
  private(set) var counts: UsageLog.Counts
  private(set) var users: [UsageLog.User] = []
  private(set) var apps: [String] = []
  /// The counts about the log as a whole.
  private(set) var survey: UsageSurvey

  /// - Complexity: O(n log n) in the rows; O(n) if they are already sorted by user and time.
  init(_ reader: inout UsageReader, _ bytes: [UInt8], longestVisit: Interval?) {
    (self.bytes, rows, counts, longest) = (
      bytes, reader.format.columns.rows, reader.counts, longestVisit?.nanoseconds
    )
    survey = UsageSurvey(reader.format)
    let (names, appNames) = (reader.users.texts, reader.apps.texts)
    var entries = reader.takeEntries()
    // Rows with the same time stay in the order of the file.
    entries.sort { ($0.user, $0.time, $0.start) < ($1.user, $1.time, $1.start) }
    survey.lowestRank = entries.lazy.map(\.mark).min() ?? 0
    var histories: [(user: Int32, end: Int64, visits: [FrontHistory.Visit])] = []
    var start = 0
    while start < entries.count {
      let user = entries[start].user
      let end = entries[start...].firstIndex { $0.user != user } ?? entries.count
      let visits = history(entries[start..<end])
      survey.add(entries[start..<end])
      if !visits.isEmpty {
        histories.append(
          (user, max(entries[end - 1].time, visits[visits.count - 1].left ?? .min), visits))
      }
      start = end
    }
    entries = []
    var numbers = [Int](repeating: -1, count: appNames.count)
    for (_, _, visits) in histories { for visit in visits { numbers[Int(visit.app)] = 0 } }
    for (app, name) in appNames.enumerated() where numbers[app] == 0 {
      numbers[app] = apps.count
      apps.append(name)
    }
    for index in histories.indices {
      let (user, end, visits) = histories[index]
      histories[index].visits = []
      let origin = visits[0].at
      let changes = visits.map { visit in
        UsageLog.FrontChange(
          at: UsageHistories.instant(visit.at, origin), app: numbers[Int(visit.app)],
          left: visit.left.map { UsageHistories.instant($0, origin) })
      }
      users.append(
        UsageLog.User(
          name: names[Int(user)], origin: origin, changes: changes,
          end: UsageHistories.instant(end, origin)))
    }
  }

  /// The instant of `time`, which is not before `origin`.
  private static func instant(_ time: Int64, _ origin: Int64) -> Instant {
    Instant(nanoseconds: time - origin)
  }

  /// The visits of the user whose rows these are.
  private mutating func history(_ entries: ArraySlice<UsageReader.Entry>) -> [FrontHistory.Visit] {
    var history = FrontHistory(longest: longest)
    var start = entries.startIndex
    while start < entries.endIndex {
      let time = entries[start].time
      let end = entries[start...].firstIndex { $0.time != time } ?? entries.endIndex
      let group = withoutDuplicates(entries[start..<end])
      switch rows {
      case .snapshots:
        // Among rows with the smallest rank, the first one counts.
        let front = group.min { $0.mark < $1.mark }?.app ?? UsageReader.Entry.noApp
        if front == UsageReader.Entry.noApp {
          counts.emptySnapshots += 1
        } else {
          history.open(front, at: time)
        }
      case .events, .openings:
        for entry in group {
          if entry.mark == UsageReader.Entry.came {
            history.open(entry.app, at: time)
          } else {
            history.close(entry.app, at: time)
          }
        }
      case .visits:
        for entry in group {
          history.open(entry.app, at: time, until: time.saturatingSum(entry.mark))
        }
      }
      start = end
    }
    history.finish()
    counts.zeroLengthVisits += history.zeroLengthVisits
    return history.visits
  }

  /// Removes byte-for-byte repetitions from these rows, which have the same time.
  private mutating func withoutDuplicates(_ entries: ArraySlice<UsageReader.Entry>) -> ArraySlice<
    UsageReader.Entry
  > {
    guard entries.count > 1 else { return entries }
    var seen: Set<ArraySlice<UInt8>> = []
    let kept = entries.filter {
      seen.insert(bytes[Int($0.start)..<Int($0.start + $0.length)]).inserted
    }
    counts.duplicates += entries.count - kept.count
    if kept.count < entries.count {
      seen = []
      for entry in entries
      where !seen.insert(bytes[Int(entry.start)..<Int(entry.start + entry.length)]).inserted {
        survey.duplicates.append(entry)
      }
    }
    return kept[...]
  }
}
