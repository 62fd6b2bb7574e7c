package import CurfewEngine
import CurfewSystem
package import CurfewText

extension UsageLog {
  /// Reads the log at `path`.
  ///
  /// An app that enters the foreground replaces the one before it. If both rows have the same time,
  /// the later row counts, and the visit without a length is left out. A row changes nothing if
  /// its app enters the foreground while it is there already, or leaves while it is not there. Rows
  /// need not be sorted by time; rows with the same time are taken in the order of the file. Rows
  /// that cannot be read are left out and counted.
  ///
  /// - Parameter longestVisit: The limit on a visit whose end no row records, counted from
  ///   the last row with its app in the foreground; the app's next row begins another visit.
  ///   The limit exists because logs have gaps of days. If it is nil, such a visit lasts until
  ///   the next change.
  /// - Throws: An error if the file cannot be read or is over 1 GiB, if it lacks a column that
  ///   the format names, or if no app in it ever enters the foreground.
  /// - Complexity: O(bytes), and O(n log n) in the rows if they are not sorted. Memory: the file,
  ///   32 bytes for each good row, and 32 bytes for each change.
  package static func read(_ path: String, _ format: UsageFormat, longestVisit: Interval? = nil)
    throws(FileErrors) -> UsageLog
  {
    let bytes: [UInt8]
    do { bytes = try FileBytes.read(path, limit: SourceFile.traceLimit) } catch {
      throw SourceFile.refusal(of: path, error, SourceFile.traceLimit)
    }
    return try decode(bytes, name: path, format, longestVisit: longestVisit)
  }

  /// Reads the log in `bytes`, like `read(_:_:longestVisit:)`. `name` is the name of the file
  /// in errors.
  package static func decode(
    _ bytes: [UInt8], name: String, _ format: UsageFormat, longestVisit: Interval? = nil
  ) throws(FileErrors) -> UsageLog {
    if let longestVisit {
      precondition(
        longestVisit > .zero, "longestVisit is \(longestVisit); it must be above zero, or nil")
    }
    guard bytes.count <= SourceFile.traceLimit else {
      throw SourceFile.refusal(of: name, .overLimit, SourceFile.traceLimit)
    }
    if let encoding = ForeignEncoding(beginning: bytes[...]) {
      throw error(name, encoding.explanation(of: name))
    }
    guard let file = format.file ?? UsageFormat.File(endingOf: name) else {
      let words = UsageFormat.File.allCases.map(\.rawValue).joined(separator: ", ")
      throw error(
        name,
        "the file's name does not determine the format of its rows; state it as one of: \(words)")
    }
    let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    guard bytes[start...].contains(where: { !" \t\r\n".utf8.contains($0) }) else {
      throw error(name, "the file is empty")
    }
    var reader = UsageReader(format, file: name)
    switch file {
    case .csv, .tsv:
      var rows = DelimitedRows(
        bytes, from: start, separator: UInt8(ascii: file == .csv ? "," : "\t"))
      try rows.findColumns(format.columns, file: name)
      reader.read(&rows)
    case .jsonl:
      var rows = JSONRows(bytes, from: start, keys: format.columns.named)
      let keys = rows.keysOfNextRow()
      reader.read(&rows)
      if reader.entries.isEmpty, reader.counts.ignored == 0 {
        try format.columns.requireAll(in: keys, file: name)
      }
    }
    return try UsageLog(&reader, bytes, longestVisit)
  }

  private init(_ reader: inout UsageReader, _ bytes: [UInt8], _ longestVisit: Interval?)
    throws(FileErrors)
  {
    let (name, warnings, hasEntries) = (reader.file, reader.warnings, !reader.entries.isEmpty)
    let encoding =
      reader.isBad(.notText)
      ? ForeignEncoding(ofInvalid: bytes[...])?.explanation(of: name) : nil
    let histories = UsageHistories(&reader, bytes, longestVisit: longestVisit)
    guard !histories.users.isEmpty else {
      let counts = histories.counts
      guard counts.rows > 0 else { throw UsageLog.error(name, "there is no row in the file") }
      let rows = HumanCount.text(counts.rows, "row")
      if hasEntries || counts.ignored > 0 {
        throw UsageLog.error(name, "no app enters the foreground in \(rows)")
      }
      let first =
        warnings.first.map { warning in
          warning.place.map { [FileDiagnostic(at: $0, warning.message)] } ?? []
        } ?? []
      throw FileErrors(
        [FileDiagnostic(file: name, "none of \(rows) can be read")] + first
          + (encoding.map { [FileDiagnostic(file: name, $0)] } ?? []))
    }
    (users, apps, counts, self.warnings) = (
      histories.users, histories.apps, histories.counts, warnings
    )
    var review = UsageReview(file: name, reader.format, endsVisits: longestVisit != nil)
    if let encoding { review.warn(encoding) }
    review.look(at: counts)
    review.look(at: histories.survey, in: bytes)
    if let first = reader.firstAmbiguousPlace { review.warn(reader.ambiguousTimes, first) }
    review.look(at: histories.users, histories.apps)
    overallWarnings = review.warnings
  }

  private static func error(_ name: String, _ message: String) -> FileErrors {
    FileErrors([FileDiagnostic(file: name, message)])
  }
}
