import CurfewText

/// Reads the rows of a log: keeps each good row as numbers, and counts the others.
struct UsageReader {
  /// The content of a good row.
  struct Entry {
    /// The time, in Unix nanoseconds.
    var time: Int64
    /// The rank of a snapshot, the length of a visit in nanoseconds, or, for an event, `came`
    /// or `went`.
    var mark: Int64
    /// The offset of the row in the file.
    var start: UInt32
    var length: UInt32
    var user: Int32
    /// The number of the app; -1 if the snapshot has no app here.
    var app: Int32

    static let came: Int64 = 1
    static let went: Int64 = 0
    static let noApp: Int32 = -1
  }

  /// The limit on warnings. A longer list would not be read.
  private static let greatestWarnings = Findings.limit
  /// The user's name in a log without a column for users.
  private static let onlyUser = "user"
  /// The unit of ranks and durations is a billionth: for a duration, a nanosecond.
  private static let billion: Int64 = 1_000_000_000

  let file: String
  let format: UsageFormat
  private(set) var entries: [Entry] = []
  private(set) var users: TextIndex
  private(set) var apps = TextIndex()
  private(set) var counts = UsageLog.Counts()
  private(set) var warnings: [FileDiagnostic] = []
  private var bad = [Int](repeating: 0, count: UsageLog.BadRow.allCases.count)
  /// The rows whose local time occurs twice, because clocks were set back.
  private(set) var ambiguousTimes = 0
  /// The place of the first such row.
  private(set) var firstAmbiguousPlace: SourcePlace?
  /// The time of each user's latest row, which decides between two instants.
  private var latest: [Int64] = []
  private var clock: UsageClock
  private let words: TextIndex
  private let meanings: [UsageFormat.EventMeaning]
  private let wordList: [String]

  init(_ format: UsageFormat, file: String) {
    (self.format, self.file) = (format, file)
    clock = UsageClock(format.time, format.zone)
    wordList = format.events.keys.sorted()
    words = TextIndex(wordList)
    meanings = wordList.map { format.events[$0] ?? .ignore }
    users = TextIndex(format.columns.user == nil ? [UsageReader.onlyUser] : [])
  }

  /// Reads all rows.
  mutating func read(_ rows: inout some UsageRows) {
    var row = UsageRow()
    while true {
      switch rows.next(into: &row) {
      case .end:
        counts.bad = zip(UsageLog.BadRow.allCases, bad).filter { $0.1 > 0 }.map {
          UsageLog.Bad(reason: $0, rows: $1)
        }
        return
      case .bad(let fault): count(fault, row, rows.bytes)
      case .row: if let fault = take(row) { count(fault, row, rows.bytes) }
      }
      counts.rows += 1
    }
  }

  /// Returns the good rows and removes them from the reader, so that millions of rows can be sorted
  /// without a second copy.
  mutating func takeEntries() -> [Entry] {
    defer { entries = [] }
    return entries
  }

  /// Whether a row is bad for this reason.
  func isBad(_ reason: UsageLog.BadRow) -> Bool {
    bad[UsageLog.BadRow.allCases.firstIndex(of: reason)!] > 0
  }

  private mutating func count(_ fault: UsageFault, _ row: UsageRow, _ bytes: [UInt8]) {
    bad[UsageLog.BadRow.allCases.firstIndex(of: fault.reason)!] += 1
    guard warnings.count < UsageReader.greatestWarnings else { return }
    let place = row.sourcePlace(of: fault.place, in: bytes, file: file)
    warnings.append(FileDiagnostic(.warning, at: place, "this row is left out: \(fault.message())"))
  }

  // MARK: Fields

  /// Keeps the content of a row, or returns its fault.
  private mutating func take(_ row: UsageRow) -> UsageFault? {
    let columns = format.columns
    for (slot, column) in [
      (UsageRow.Slot.time, columns.time), (.user, columns.user), (.app, columns.app),
      (.mark, columns.rows.column),
    ] {
      guard let column, row.place(slot) == nil else { continue }
      return UsageFault(reason: .fields, place: row.range.lowerBound) {
        "the row has no '\(column)'"
      }
    }
    let reading = clock.read(row[.time])
    switch reading {
    case .one, .two: break
    case .skipped:
      return fault(.time, .time, row) { [zone = format.zone.name] in
        "\($0) does not exist in \(zone), where clocks were set forward past it"
      }
    case .invalid:
      return fault(.time, .time, row) { [rule = clock.rule] in "\($0) is not a time; \(rule)" }
    }
    let mark: Int64
    switch meaning(row) {
    case .ignored:
      counts.ignored += 1
      return nil
    case .bad(let fault): return fault
    case .mark(let number): mark = number
    }
    let user = columns.user == nil ? 0 : users.insert(row[.user])
    let app = row[.app].isEmpty ? -1 : apps.insert(row[.app])
    entries.append(
      Entry(
        time: instant(reading, of: user, row), mark: mark, start: UInt32(row.range.lowerBound),
        length: UInt32(row.range.count), user: Int32(user), app: Int32(app)))
    return nil
  }

  /// The instant of a row. If a local time occurs twice, it is the first instant, unless the user's
  /// previous row is later than the first and not later than the second.
  private mutating func instant(_ reading: UsageClock.Reading, of user: Int, _ row: UsageRow)
    -> Int64
  {
    if user >= latest.count {
      latest += [Int64](repeating: .min, count: user + 1 - latest.count)
    }
    switch reading {
    case .one(let time): latest[user] = time
    case .two(let first, let second):
      if ambiguousTimes == 0 {
        firstAmbiguousPlace = SourcePlace(file: file, line: row.line, column: 1)
      }
      ambiguousTimes += 1
      latest[user] = latest[user] > first && latest[user] <= second ? second : first
    case .skipped, .invalid: preconditionFailure("A row without a time was kept")
    }
    return latest[user]
  }

  private enum Meaning {
    case mark(Int64)
    case ignored
    case bad(UsageFault)
  }

  private func meaning(_ row: UsageRow) -> Meaning {
    var mark = Entry.came
    switch format.columns.rows {
    case .snapshots:
      // A snapshot without an app has no rank either.
      if row[.app].isEmpty, row[.mark].isEmpty { return .mark(0) }
      guard let rank = UsageNumber.scaled(row[.mark], by: UsageReader.billion) else {
        return .bad(
          fault(.rank, .mark, row) {
            "\($0) is not a rank; ranks are numbers, and the app with the smallest is in front"
          })
      }
      return .mark(rank)
    case .events:
      guard let number = words.number(of: row[.mark]) else {
        return .bad(
          fault(.event, .mark, row) { [wordList] in
            "\($0) is not an event of 'events'" + UsageReader.hint($0, wordList)
          })
      }
      if meanings[number] == .ignore { return .ignored }
      mark = meanings[number] == .front ? Entry.came : Entry.went
    case .visits(_, let unit):
      guard let length = UsageNumber.duration(row[.mark], in: unit) else {
        return .bad(
          fault(.duration, .mark, row) { "\($0) is not a duration in \(unit.words)" })
      }
      mark = length
    case .openings: break
    }
    if row[.app].isEmpty { return .bad(fault(.app, .app, row) { _ in "the app has no name" }) }
    return .mark(mark)
  }

  private static func hint(_ quoted: String, _ words: [String]) -> String {
    NearestName.hint(for: String(quoted.dropFirst().dropLast()), among: words, "the events are")
  }

  /// The limit on the characters of a field that a message quotes.
  private static let greatestShown = 80

  /// - Parameter message: Makes the message from the field's text, which is given in single quotes.
  private func fault(
    _ reason: UsageLog.BadRow, _ slot: UsageRow.Slot, _ row: UsageRow,
    _ message: @escaping @Sendable (String) -> String
  ) -> UsageFault {
    let text = row[slot]
    return UsageFault(reason: reason, place: row.place(slot) ?? row.range.lowerBound) {
      let shown = String(decoding: text.prefix(4 * UsageReader.greatestShown), as: UTF8.self)
      return message(
        shown.count > UsageReader.greatestShown
          ? "'\(shown.prefix(UsageReader.greatestShown))…'" : "'\(shown)'")
    }
  }
}
