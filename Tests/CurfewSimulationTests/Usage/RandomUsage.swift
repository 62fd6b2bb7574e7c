import CurfewSimulation
import TestSupport

/// Random rows of a log, written in each format.
struct RandomUsage {
  /// The time, the user, the app, and the event, rank or duration of a row.
  let rows: [[String]]
  let format: UsageFormat

  private static let names = [
    "mail", "maps", "a b", "x,y", "tab\there", "say \"hi\"", "\"", "two\nlines", "crlf\r\nend",
    "žluť", "📧", " edge ",
    "back\\slash", "\u{1}", "1",
  ]
  private static let columns = ["time", "user", "app", "mark"]

  init(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let kinds: [UsageFormat.Rows] = [
      .events(event: "mark"), .snapshots(rank: "mark"), .visits(duration: "mark"),
    ]
    let kind = random.pick(kinds)
    let names = (0..<1 + random.below(5)).map { _ in random.pick(RandomUsage.names) }
    var (time, rows) = (1_000, [[String]]())
    for _ in 0..<1 + random.below(40) {
      // Time mostly moves forward, and often not at all.
      time = max(0, time + (random.oneIn(3) ? 0 : random.below(40) - 5))
      let decimals = random.oneIn(4) ? ".\(random.below(1_000))" : ""
      let mark =
        switch kind {
        case .events: random.pick(["open", "open", "close", "touch", "sit, \"down\""])
        case .snapshots, .visits, .openings: "\(random.below(6))\(random.oneIn(5) ? ".5" : "")"
        }
      let isEmpty = if case .snapshots = kind { random.oneIn(8) } else { false }
      rows.append([
        "\(time)\(decimals)", random.pick(["a", "b", "ç"]), isEmpty ? "" : random.pick(names), mark,
      ])
      if random.oneIn(6) { rows.append(random.pick(rows)) }
    }
    self.rows = rows
    format = UsageFormat(
      columns: UsageFormat.Columns(time: "time", user: "user", app: "app", rows: kind),
      time: .unixSeconds,
      events: ["open": .front, "close": .back, "touch": .ignore, "sit, \"down\"": .front])
  }

  /// Values with separators and quotes. Some fields that need no quotes have them, always the
  /// same fields.
  func delimited(_ separator: String, lineBreak: String) -> String {
    ([RandomUsage.columns] + rows).map { row in
      row.map { field in
        let isPlain =
          !field.utf8.contains { "\"\r\n\(separator)".utf8.contains($0) }
          && field.utf8.count % 3 != 0
        return isPlain ? field : "\"\(field.replacing("\"", with: "\"\""))\""
      }.joined(separator: separator)
    }.joined(separator: lineBreak)
  }

  /// The columns as keys in another order, and numbers as numbers.
  var json: String {
    rows.map { row in
      let time = row[0].contains(".") ? "\"\(row[0])\"" : row[0]
      return
        "{\"user\": \(RandomUsage.text(row[1])), \"x\": [{\"app\": 1}, null], \"app\":\(RandomUsage.text(row[2])),"
        + "\"mark\":\(RandomUsage.text(row[3])),\"time\":\(time)}"
    }.joined(separator: "\n")
  }

  /// A text in JSON with the required escapes, and with needless ones in every other text.
  private static func text(_ text: String) -> String {
    var json = "\""
    for unit in text.utf16 {
      let isPlain =
        unit >= 0x20 && unit < 0x7F && unit != 0x22 && unit != 0x5C && text.utf8.count % 2 == 0
      if isPlain {
        json.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
      } else {
        let digits = String(unit, radix: 16)
        json += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
    return json + "\""
  }
}
