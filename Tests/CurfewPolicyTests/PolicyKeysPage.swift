import CurfewText

@testable import CurfewPolicy

/// The page of all policy keys, from the table that checks, reads and writes them.
enum PolicyKeysPage {
  static var text: String {
    let groups = PolicyTable.all(OwnNames(facts: [fact], groups: [group])).reduce(
      into: [(name: String, tables: [PolicyTable])]()
    ) {
      groups, table in
      let name = table.path.split(separator: ".").first.map(String.init) ?? ""
      if groups.last?.name == name {
        groups[groups.count - 1].tables.append(table)
      } else {
        groups.append((name, [table]))
      }
    }
    return ([heading] + groups.map(section)).joined(separator: "\n\n") + "\n"
  }

  /// Stands for any fact that a policy declares.
  private static let fact = "parked"

  /// Stands for any group.
  private static let group = "rare"

  private static let heading = """
    # Every key of a policy

    This page is written from the table that checks, reads and writes policies:
    `CURFEW_WRITE_KEYS=1 swift test --filter PolicyKeysPageTests`.
    [The format](policy.md) describes the structure of a file. Any value may be written as a mapping,
    `{value: 30s, confidence: documented, source: QN}`.

    If the *absent* column of a key is empty, a file or one of its parents must write the key. A key
    that only some kinds have is an error in the rows of other kinds. Any other name of a row in
    `sessions` or `wakes` defines a kind of the policy's own. `none` in place of a row removes the row
    that a parent has. Another key at the top is `modes`, which has one sentence for each background
    mode of the policy's own.
    """

  /// The text in lines of at most 100 columns.
  private static func lines(_ text: String) -> String {
    text.split(separator: " ").reduce(into: [""]) { lines, word in
      let line = lines[lines.count - 1]
      if line.isEmpty {
        lines = [String(word)]
      } else if line.count + word.count < 100 {
        lines[lines.count - 1] = "\(line) \(word)"
      } else {
        lines.append(String(word))
      }
    }.joined(separator: "\n")
  }

  private static func section(_ name: String, _ tables: [PolicyTable]) -> String {
    var parts = ["## " + (name.isEmpty ? "At the top" : "`\(name)`")]
    let rows = tables.filter { $0.kind != nil }.map {
      "`\($0.path.split(separator: ".").dropFirst().joined(separator: "."))`"
    }
    if !rows.isEmpty {
      parts.append(
        lines("A row for each kind: \(rows.joined(separator: " ")). Every row has these keys:"))
    }
    if name == "groups" { parts.append("A mapping for each group of apps, under its name:") }
    if name == "facts" {
      parts.append("A mapping for each fact of the policy's own, under its name:")
    }
    let lines = tables[0].keys.indices.map { index in
      let (key, isOne) = (
        tables[0].keys[index], Set(tables.map { $0.keys[index].absent }).count == 1
      )
      let absent =
        isOne ? key.absent.map { "`\($0.isEmpty ? "none" : $0)`" } ?? "" : "the kind's own"
      let cells = ["`\(key.name)`", words(key.shape), absent, key.about]
      return "| \(cells.joined(separator: " | ")) |"
    }
    parts.append(
      (["| key | value | absent | means |", "|---|---|---|---|"] + lines).joined(separator: "\n"))
    return parts.joined(separator: "\n\n")
  }

  /// The possible values of a shape, as text for a table cell.
  private static func words(_ shape: Shape) -> String {
    switch shape {
    case .duration: "duration: `30s`"
    case .size, .sizeUpTo: "size: `120MiB`"
    case .percentage, .share: "percentage: `80%`"
    case .boolean: "`true` or `false`"
    case .code: "code: `0x8badf00d`"
    case .wholeNumber(let range): "whole number, \(range.lowerBound) to \(range.upperBound)"
    case .decimal(let range): "number, \(range.lowerBound) to \(range.upperBound): `1.2`"
    case .text: "text"
    case .name([], let what): "a \(what)'s name"
    case .name(let names, let what):
      names.map { "`\($0)`" }.joined(separator: " ") + ", or a \(what) of the policy's own"
    case .phrase(let phrase): phrase.examples.map { "`\($0)`" }.joined(separator: " ")
    case .span(let bound): "\(words(bound)), or a span of them"
    case .word(let all, _): all.map { "`\($0)`" }.joined(separator: " ")
    case .list(let element): "list of \(words(element))"
    case .either(let shapes): shapes.map(words).joined(separator: "; or ")
    case .sourced(let value, _): words(value)
    case .record, .dictionary, .variants, .forms, .named: shape.expected
    }
  }
}
