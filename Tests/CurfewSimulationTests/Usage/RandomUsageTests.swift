import CurfewEngine
import CurfewSimulation
import CurfewText
import TestRuns
import TestSupport
import Testing

/// Random logs, and random bytes.
@Suite(.inTurn) struct RandomUsageTests {
  /// The log, or its errors without their places.
  private func outcome(
    _ text: String, _ format: UsageFormat, _ file: UsageFormat.File, _ longest: Interval?
  ) -> Result<UsageLog, FileErrors> {
    var format = format
    format.file = file
    return Result { () throws(FileErrors) in
      try UsageLog.decode(Array(text.utf8), name: "log", format, longestVisit: longest)
    }
    .mapError { errors in
      FileErrors(errors.diagnostics.map { FileDiagnostic(file: "log", $0.message) })
    }
  }

  @Test func `the same rows give the same log in each format`() {
    var logs = 0
    for seed in UInt64(0)..<600 {
      let usage = RandomUsage(seed: seed)
      let longest: Interval? = seed % 2 == 0 ? nil : .seconds(30)
      let csv = outcome(usage.delimited(",", lineBreak: "\n"), usage.format, .csv, longest)
      #expect(
        csv == outcome(usage.delimited("\t", lineBreak: "\r\n"), usage.format, .tsv, longest),
        "seed \(seed)")
      #expect(csv == outcome(usage.json, usage.format, .jsonl, longest), "seed \(seed)")
      guard case .success(let log) = csv else { continue }
      logs += 1
      #expect(
        log.counts.badRows == 0 && log.warnings.isEmpty && log.counts.rows == usage.rows.count,
        "seed \(seed)")
      check(log, seed)
    }
    #expect(logs > 500)
  }

  /// Checks the properties of every log.
  private func check(_ log: UsageLog, _ seed: UInt64) {
    #expect(
      Set(log.apps).count == log.apps.count && Set(log.users.map(\.name)).count == log.users.count,
      "seed \(seed)")
    #expect(Set(log.users.flatMap(\.changes).map(\.app)) == Set(log.apps.indices), "seed \(seed)")
    for user in log.users {
      #expect(
        user.changes.first?.at == .zero && user.end >= user.changes.last?.left ?? .zero,
        "seed \(seed)")
      for (change, next) in zip(user.changes, user.changes.dropFirst()) {
        #expect(
          change.at < next.at && change.left.map { change.at < $0 && $0 <= next.at } ?? true,
          "seed \(seed)")
        // If two rows name the same app, it has left in between.
        #expect(change.app != next.app || change.left != nil, "seed \(seed)")
      }
    }
  }

  @Test func `after each time of a log the rows' app is in front`() throws {
    var count = 0
    for seed in UInt64(0)..<600 {
      let usage = RandomUsage(seed: seed)
      guard case .events = usage.format.columns.rows else { continue }
      guard let log = try? UsageLog.decode(Array(usage.json.utf8), name: "log.jsonl", usage.format)
      else { continue }
      for user in log.users {
        // Each row counts once; rows are ordered by time, then by their order in the file.
        var rows: [[String]] = []
        for row in usage.rows where row[1] == user.name && !rows.contains(row) { rows.append(row) }
        let times = Set(rows.map { nanoseconds($0[0]) }).sorted()
        var front: String?
        for time in times {
          for row in rows where nanoseconds(row[0]) == time {
            switch usage.format.events[row[3]] {
            case .front: front = row[2]
            case .back: if front == row[2] { front = nil }
            case .ignore, nil: break
            }
          }
          #expect(inFront(of: user, log, at: time) == front, "seed \(seed), at \(time)")
          count += 1
        }
      }
    }
    #expect(count > 2_000)
  }

  private func nanoseconds(_ time: String) -> Int64 {
    Int64((Double(time)! * 1_000).rounded()) * 1_000_000
  }

  /// The app in front just after `time`.
  private func inFront(of user: UsageLog.User, _ log: UsageLog, at time: Int64) -> String? {
    let change = user.changes.last { user.origin + $0.at.nanoseconds <= time }
    guard let change, change.left.map({ user.origin + $0.nanoseconds > time }) ?? true else {
      return nil
    }
    return log.apps[change.app]
  }

  @Test func `rows in another order give the same log if all times differ`() {
    for seed in UInt64(0)..<200 {
      let usage = RandomUsage(seed: seed)
      var random = SeededGenerator(seed: seed)
      var rows = Dictionary(usage.rows.map { ($0[0], $0) }) { first, _ in first }.sorted {
        $0.key < $1.key
      }.map(\.value)
      func told() -> [String]? {
        let lines = rows.map { row in
          row.map { "\"\($0.replacing("\"", with: "\"\""))\"" }.joined(separator: "\t")
        }
        let text = (["time\tuser\tapp\tmark"] + lines).joined(separator: "\n")
        return (try? UsageLog.decode(Array(text.utf8), name: "log.tsv", usage.format))?.told
          .sorted()
      }
      let sorted = told()
      rows.shuffle(using: &random)
      #expect(told() == sorted, "seed \(seed)")
    }
  }

  @Test func `a damaged log is read or refused, and all places in errors are in the file`() {
    for seed in UInt64(0)..<1_500 {
      var random = SeededGenerator(seed: seed)
      let usage = RandomUsage(seed: seed)
      let (text, file) = random.pick([
        (usage.delimited(",", lineBreak: "\n"), "log.csv"),
        (usage.delimited("\t", lineBreak: "\r\n"), "log.tsv"),
        (usage.json, "log.jsonl"),
      ])
      var bytes = Array(text.utf8)
      for _ in 0..<1 + random.below(8) { damage(&bytes, &random) }
      read(bytes, file, usage.format, seed)
    }
  }

  @Test func `garbage is read or refused`() {
    let signs =
      Array("\"\",,\t\n\n\r{}[]:\\u0e-.1time null".utf8) + [
        0xEF, 0xBB, 0xBF, 0x00, 0xFF, 0xC3, 0xA9,
      ]
    for seed in UInt64(0)..<3_000 {
      var random = SeededGenerator(seed: seed)
      let isWild = random.oneIn(3)
      var bytes = (0..<random.below(200)).map { _ in
        isWild ? UInt8(truncatingIfNeeded: random.next()) : random.pick(signs)
      }
      let file = random.pick(["log.csv", "log.tsv", "log.jsonl"])
      var format = RandomUsage(seed: seed).format
      if random.oneIn(2) {
        format.columns = UsageFormat.Columns(
          time: "1", user: nil, app: "2", rows: random.oneIn(2) ? .openings : .snapshots(rank: "3"))
      } else if file != "log.jsonl" {
        bytes =
          Array("time,user,app,mark\n".replacing(",", with: file == "log.csv" ? "," : "\t").utf8)
          + bytes
      }
      if random.oneIn(3) { format.time = .local }
      read(bytes, file, format, seed)
    }
  }

  private func read(_ bytes: [UInt8], _ file: String, _ format: UsageFormat, _ seed: UInt64) {
    let lines = bytes.count { $0 == 0x0A } + 1
    do throws(FileErrors) {
      let log = try UsageLog.decode(bytes, name: file, format)
      check(log, seed)
      #expect(
        log.warnings.count == min(100, log.counts.badRows) && log.counts.badRows < log.counts.rows,
        "seed \(seed)")
      #expect(
        log.warnings.allSatisfy {
          1...lines ~= $0.place?.line ?? 0 && 1...bytes.count + 1 ~= $0.place?.column ?? 0
        }, "seed \(seed)")
    } catch {
      #expect(
        error.diagnostics.allSatisfy {
          !$0.message.isEmpty && $0.place.map { 1...lines ~= $0.line } ?? true
        }, "seed \(seed)")
    }
  }
}
