import CurfewEngine
import CurfewText

/// Checks a log as a whole, and warns of times and lengths that are implausible for a person. Such
/// a log is usually read with a wrong unit, or lacks rows.
struct UsageReview {
  private let file: String
  private let format: UsageFormat
  /// Whether `longestVisit` ends visits whose end is not recorded.
  private let endsVisits: Bool
  private(set) var warnings: [FileDiagnostic] = []

  private static let hour: Int64 = 3_600_000_000_000
  private static let day = 24 * hour
  /// The longest time of a day for which a person can have apps in front; the rest is sleep.
  private static let longestDay = 20 * hour
  /// The least median of visits whose unit is right: in published logs the median is over 10 s.
  private static let leastMedian: Int64 = 3_000_000_000
  /// The shortest time in which a person opens an app, on average over `leastOpenings`.
  private static let second: Int64 = 1_000_000_000
  /// The least number of openings in quick succession that is reported.
  private static let leastOpenings = 20

  init(file: String, _ format: UsageFormat, endsVisits: Bool) {
    (self.file, self.format, self.endsVisits) = (file, format, endsVisits)
  }

  mutating func warn(_ message: String) {
    warnings.append(FileDiagnostic(.warning, file: file, message))
  }

  /// Warns of local times that occur twice.
  mutating func warn(_ ambiguousTimes: Int, _ first: SourcePlace) {
    let rows = "\(HumanCount.text(ambiguousTimes, "row")) \(ambiguousTimes == 1 ? "has" : "have")"
    warnings.append(
      FileDiagnostic(
        .warning, at: first,
        "\(rows) a time that the clocks of \(format.zone.name) show twice; the file's order decides which is meant"
      ))
  }

  // MARK: Rows

  /// Warns if more than 5 % of the rows cannot be read.
  mutating func look(at counts: UsageLog.Counts) {
    guard UsageReview.isMany(counts.badRows, of: counts.rows) else { return }
    warn("\(UsageReview.share(counts.badRows, of: counts.rows, "row")) cannot be read")
  }

  /// Warns of snapshots and events for which rows seem to be missing.
  mutating func look(at survey: UsageSurvey, in bytes: [UInt8]) {
    lookAtDuplicates(survey.duplicates, in: bytes)
    lookAtDurations(survey)
    if UsageReview.isMany(survey.headlessSnapshots, of: survey.snapshots) {
      warn(
        "\(UsageReview.share(survey.headlessSnapshots, of: survey.snapshots, "snapshot")) have no row with the least rank; are rows missing?"
      )
    }
    let meanings = Set(format.events.values)
    if meanings.isSuperset(of: [.front, .back]),
      UsageReview.isMany(survey.unpairedEvents, of: survey.events)
    {
      warn(
        "\(UsageReview.share(survey.unpairedEvents, of: survey.events, "event")) have no counterpart: an app enters and never leaves, or leaves and never entered; are rows missing?"
      )
    }
  }

  /// The least number of consecutive repeated rows that is reported.
  private static let leastRepeated = 10

  /// Warns of a block of the file that repeats earlier rows.
  private mutating func lookAtDuplicates(
    _ duplicates: [UsageReader.Entry], in bytes: [UInt8]
  ) {
    // The longest run of repeated rows with nothing but line breaks between them.
    var longest = (start: 0, count: 0)
    var run = (start: 0, count: 0, end: -1)
    for entry in duplicates.sorted(by: { $0.start < $1.start }) {
      let start = Int(entry.start)
      let isNext =
        run.end >= 0 && start - run.end <= 2 && bytes[run.end..<start].allSatisfy { $0 < 0x20 }
      run = (isNext ? run.start : start, isNext ? run.count + 1 : 1, start + Int(entry.length))
      if run.count > longest.count { longest = (run.start, run.count) }
    }
    guard longest.count >= UsageReview.leastRepeated else { return }
    let line = bytes[..<longest.start].count { $0 == 0x0A } + 1
    warnings.append(
      FileDiagnostic(
        .warning, at: SourcePlace(file: file, line: line, column: 1),
        "from here on, \(HumanCount.text(longest.count, "row")) repeat earlier rows and are left out; does the file contain a part of the log twice?"
      ))
  }

  // MARK: Lengths

  private mutating func lookAtDurations(_ survey: UsageSurvey) {
    guard case .visits(_, let declared) = format.columns.rows, !survey.durations.isEmpty else {
      return
    }
    let lengths = survey.durations.sorted()
    let (median, longest) = (lengths[lengths.count / 2], lengths[lengths.count - 1])
    let overlaps = survey.overlaps[declared, default: 0]
    var flaws: [String] = []
    if overlaps * 10 > lengths.count {
      flaws.append(
        "\(HumanCount.text(overlaps)) of \(HumanCount.text(lengths.count, "visit")) \(overlaps == 1 ? "lasts" : "last") beyond the beginning of the next one"
      )
    }
    if median > UsageReview.hour {
      flaws.append("half of the visits last \(UsageReview.span(median)) or longer")
    } else if longest > UsageReview.day {
      flaws.append("a visit lasts \(UsageReview.span(longest))")
    }
    let isShort = flaws.isEmpty && median > 0 && median < UsageReview.second
    if isShort { flaws.append("half of the visits are shorter than 1s") }
    guard !flaws.isEmpty else { return }
    let units = isShort ? survey.greaterUnits[...] : survey.units.dropFirst()
    let likely = units.first { unit in
      survey.overlaps[unit, default: 0] * 10 <= lengths.count
        && survey.length(median, in: unit) >= UsageReview.leastMedian
        && survey.length(longest, in: unit) <= UsageReview.day
    }
    let conclusion =
      likely.map { unit in
        "these look like \(unit.words): 'duration: {column: \(format.columns.rows.column ?? ""), unit: \(unit.rawValue)}'"
      } ?? "is the unit of 'duration' right?"
    warn("as \(declared.words), \(flaws.joined(separator: ", and ")); \(conclusion)")
  }

  // MARK: Users

  /// Warns of users whose behavior is implausible for a person.
  mutating func look(at users: [UsageLog.User], _ apps: [String]) {
    var (longDays, longVisits, idle, unended) = (Worst(), Worst(), Worst(), Worst())
    var hasty = Worst()
    for user in users {
      var front = DayTotals(startingAt: format.zone.nanosecondsOfDay(atUnix: user.origin))
      for (index, change) in user.changes.enumerated() {
        let next = index + 1 < user.changes.count ? user.changes[index + 1].at : user.end
        let end = change.left ?? next
        front.add(change.at, end)
        let length = (end - change.at).nanoseconds
        if length > UsageReview.day { longVisits.add(length, user.name, apps[change.app]) }
      }
      for total in front.finish() where total > UsageReview.longestDay {
        longDays.add(total, user.name)
      }
      let days = user.end.nanoseconds / UsageReview.day
      if let first = user.changes.first, let last = user.changes.last,
        user.changes.count >= UsageReview.leastOpenings,
        case let span = (last.at - first.at).nanoseconds,
        span / Int64(user.changes.count) < UsageReview.second
      {
        hasty.add(Int64(user.changes.count), user.name, HumanTime.text(ofNanoseconds: span))
      }
      if user.changes.count < days { idle.add(days, user.name) }
      if case .events = format.columns.rows, let last = user.changes.last, last.left == nil {
        unended.add(user.end.nanoseconds - last.at.nanoseconds, user.name, apps[last.app])
      }
    }
    // A row of a visit records its end.
    let isEndRecorded = if case .visits = format.columns.rows { true } else { false }
    let remedy =
      endsVisits || isEndRecorded
      ? "" : "; 'longestVisit' ends visits whose end is not recorded"
    if longDays.count > 0 {
      warn(
        "on \(HumanCount.text(longDays.count, "day")) apps are in front for more than 20h, such as \(UsageReview.span(longDays.worst)) on a day of '\(longDays.user)'\(remedy)"
      )
    }
    if longVisits.count > 0 {
      warn(
        "\(HumanCount.text(longVisits.count, "visit")) \(longVisits.count == 1 ? "is" : "are") longer than a day: '\(longVisits.user)' has '\(longVisits.app)' in front for \(UsageReview.span(longVisits.worst))\(remedy)"
      )
    }
    if idle.count > 0 {
      warn(
        "\(HumanCount.text(idle.count, "user")) \(idle.count == 1 ? "has" : "have") fewer than one visit a day, such as '\(idle.user)' in \(HumanCount.text(idle.worst, "day")); do the times match the notation in 'time'?"
      )
    }
    if hasty.count > 0 {
      warn(
        "\(HumanCount.text(hasty.count, "user")) \(hasty.count == 1 ? "has" : "have") more than one visit a second, such as '\(hasty.user)' with \(HumanCount.text(hasty.worst, "visit")) within \(hasty.app); do the times match the notation in 'time'?"
      )
    }
    if unended.count > 0 {
      warn(
        "'\(unended.user)' never leaves '\(unended.app)', which stays in front until the end of the run\(unended.count > 1 ? ", as do the last apps of \(HumanCount.text(unended.count - 1, "other user"))" : "")\(remedy)"
      )
    }
  }

  /// The number of findings of one sort, and the worst of them.
  private struct Worst {
    var (count, worst) = (0, Int64.min)
    var (user, app) = ("", "")

    mutating func add(_ value: Int64, _ user: String, _ app: String = "") {
      count += 1
      if value > worst { (worst, self.user, self.app) = (value, user, app) }
    }
  }

  // MARK: Words

  /// Whether a part is more than 5 % of a whole.
  private static func isMany(_ part: Int, of whole: Int) -> Bool { part * 20 > whole }

  private static func share(_ part: Int, of whole: Int, _ word: String) -> String {
    let percent = HumanNumber.decimal(100 * Double(part) / Double(whole), places: 1)
    return
      "\(percent) % of the \(word)s (\(HumanCount.text(part)) of \(HumanCount.text(whole)))"
  }

  /// A length to the minute, or to the hour if it is over a day.
  private static func span(_ nanoseconds: Int64) -> String {
    let unit = nanoseconds > day ? hour : hour / 60
    return HumanTime.text(ofNanoseconds: nanoseconds / unit * unit)
  }
}

/// Adds up times day by day. They are added in order and do not overlap.
private struct DayTotals {
  private static let day: Int64 = 86_400_000_000_000
  private let start: Int64
  private var totals: [Int64] = []
  private var current = (day: Int64(-1), total: Int64(0))

  /// Days begin at midnight; `start` is the time of day of instant zero.
  init(startingAt start: Int64) { self.start = start }

  mutating func add(_ from: Instant, _ to: Instant) {
    var at = from.nanoseconds.saturatingSum(start)
    let end = to.nanoseconds.saturatingSum(start)
    while at < end {
      let day = at / DayTotals.day
      let stop = min(end, (day * DayTotals.day).saturatingSum(DayTotals.day))
      if day != current.day {
        totals.append(current.total)
        current = (day, 0)
      }
      current.total += stop - at
      at = stop
    }
  }

  /// The totals of all days on which something was added.
  func finish() -> [Int64] { totals + [current.total] }
}
