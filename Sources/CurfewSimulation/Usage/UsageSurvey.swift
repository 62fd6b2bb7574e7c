/// Counts properties of the whole log, which no single row shows, for `UsageReview`.
struct UsageSurvey {
  private let format: UsageFormat
  /// The least rank of the log, which in most logs is the rank of the app in front.
  var lowestRank: Int64 = 0
  /// The recorded lengths of all visits, in nanoseconds.
  private(set) var durations: [Int64] = []
  /// The overlapping visits, for each unit that durations might be in. With durations in that unit,
  /// these visits end more than a minute after the next one begins.
  private(set) var overlaps: [UsageFormat.DurationUnit: Int] = [:]
  /// The numbers of snapshots, and of snapshots without a row of the least rank.
  private(set) var (snapshots, headlessSnapshots) = (0, 0)
  /// The numbers of events that enter or leave the foreground, and of events without a counterpart.
  private(set) var (events, unpairedEvents) = (0, 0)
  /// The rows that repeat an earlier row byte for byte.
  var duplicates: [UsageReader.Entry] = []

  /// The tolerated overlap of two visits: logs round times to minutes.
  private static let tolerance: Int64 = 60_000_000_000
  /// The pause after which an app in front counts as never left: a night's sleep is longer, and few
  /// visits are.
  private static let longPause: Int64 = 4 * 3_600_000_000_000

  /// The longest time from the entry of an app's next screen to the exit of the one before it.
  private static let screenChange: Int64 = 2_000_000_000

  init(_ format: UsageFormat) { self.format = format }

  /// The units that durations might be in: the declared one and smaller ones, greatest first.
  var units: [UsageFormat.DurationUnit] {
    guard case .visits(_, let declared) = format.columns.rows else { return [] }
    return UsageFormat.DurationUnit.allCases.filter { $0.nanoseconds <= declared.nanoseconds }
  }

  /// The greater units that durations might be in, least first.
  var greaterUnits: [UsageFormat.DurationUnit] {
    guard case .visits(_, let declared) = format.columns.rows else { return [] }
    return UsageFormat.DurationUnit.allCases.reversed().filter {
      $0.nanoseconds > declared.nanoseconds
    }
  }

  /// Returns a recorded length, reading its number in `unit` instead of the declared unit.
  func length(_ recorded: Int64, in unit: UsageFormat.DurationUnit) -> Int64 {
    guard case .visits(_, let declared) = format.columns.rows else { return recorded }
    guard unit.nanoseconds > declared.nanoseconds else {
      return recorded / (declared.nanoseconds / unit.nanoseconds)
    }
    let (length, overflow) = recorded.multipliedReportingOverflow(
      by: unit.nanoseconds / declared.nanoseconds)
    return overflow ? .max : length
  }

  /// Adds all rows of one user, sorted by time.
  mutating func add(_ entries: ArraySlice<UsageReader.Entry>) {
    switch format.columns.rows {
    case .visits: addVisits(entries)
    case .snapshots: addSnapshots(entries)
    case .events: addEvents(entries)
    case .openings: break
    }
  }

  private mutating func addVisits(_ entries: ArraySlice<UsageReader.Entry>) {
    let units = units + greaterUnits
    for (visit, next) in zip(entries, entries.dropFirst()) where next.time > visit.time {
      let gap = (next.time - visit.time).saturatingSum(UsageSurvey.tolerance)
      for unit in units where length(visit.mark, in: unit) > gap { overlaps[unit, default: 0] += 1 }
    }
    durations += entries.lazy.map(\.mark)
  }

  private mutating func addSnapshots(_ entries: ArraySlice<UsageReader.Entry>) {
    var start = entries.startIndex
    while start < entries.endIndex {
      let time = entries[start].time
      let end = entries[start...].firstIndex { $0.time != time } ?? entries.endIndex
      snapshots += 1
      if !entries[start..<end].contains(where: { $0.mark == lowestRank }) { headlessSnapshots += 1 }
      start = end
    }
  }

  private mutating func addEvents(_ entries: ArraySlice<UsageReader.Entry>) {
    // An app may enter twice before it leaves twice: Android records its screens, not the app.
    var open: [Int32: Int] = [:]
    var last = Int64.max
    for entry in entries {
      if entry.time.saturatingSum(-UsageSurvey.longPause) > last {
        // An app that is left after the pause was in front for all of it.
        let stays = entry.mark == UsageReader.Entry.went ? open[entry.app] : nil
        unpairedEvents += open.values.reduce(0, +) - (stays ?? 0)
        open = stays.map { [entry.app: $0] } ?? [:]
      }
      last = entry.time
      events += 1
      if entry.mark == UsageReader.Entry.came {
        open[entry.app, default: 0] += 1
      } else if let count = open[entry.app], count > 0 {
        open[entry.app] = count - 1
      } else {
        unpairedEvents += 1
      }
    }
    unpairedEvents += open.values.reduce(0, +) - (endsInFront(entries, open) ? 1 : 0)
  }

  /// Whether a user's log ends with an app in front: the last event is an entry, or it closes
  /// a screen just after the next screen of the app has opened.
  private func endsInFront(
    _ entries: ArraySlice<UsageReader.Entry>, _ open: [Int32: Int]
  ) -> Bool {
    guard let last = entries.last, let before = entries.dropLast().last else {
      return entries.last?.mark == UsageReader.Entry.came
    }
    if last.mark == UsageReader.Entry.came { return true }
    return open[last.app, default: 0] > 0 && before.app == last.app
      && before.mark == UsageReader.Entry.came
      && last.time.saturatingSum(-before.time) <= UsageSurvey.screenChange
  }
}
