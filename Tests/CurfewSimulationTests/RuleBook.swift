import Foundation

/// The parts of `Documentation/rules.md` that tests read: its rules, and the links of each.
struct RuleBook {
  /// A heading and the text below it, up to the next heading.
  struct Section {
    let title: String
    /// The rules in the title: one, a range such as `T1–T13`, or none.
    let rules: [String]
    var text = ""
  }

  let sections: [Section]

  init(_ text: String) {
    var sections: [Section] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("#") {
        let title = line.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces)
        sections.append(
          Section(
            title: title,
            rules: title.wholeMatch(of: RuleBook.citedRules) == nil
              ? [] : RuleBook.numbers(in: title)))
      } else if !sections.isEmpty {
        sections[sections.count - 1].text += line + "\n"
      }
    }
    self.sections = sections
  }

  static func load() throws -> RuleBook { RuleBook(try String(contentsOf: page, encoding: .utf8)) }

  /// The rules in the order of the page.
  var rules: [String] { sections.flatMap(\.rules) }

  /// The anchors of a page: its headings, in GitHub's form, and the anchors that it names.
  var anchors: Set<String> {
    let headings = sections.map {
      $0.title.lowercased().filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" }
        .replacingOccurrences(of: " ", with: "-")
    }
    let named = sections.flatMap { section in
      section.text.matches(of: /<a id="([^"]+)">/).map { String($0.1) }
    }
    return Set(headings + named)
  }

  // MARK: Citations

  private static var citedRules: Regex<Substring> {
    /[A-Z]\d+(?:[–-][A-Z]\d+)?(?:(?:, | and )[A-Z]\d+(?:[–-][A-Z]\d+)?)*/
  }
  private static var citation: Regex<(Substring, Substring)> {
    /\b[Rr]ules? ([A-Z]\d+(?:[–-][A-Z]\d+)?(?:(?:, | and )[A-Z]\d+(?:[–-][A-Z]\d+)?)*)/
  }
  private static var anchor: Regex<(Substring, Substring)> { /rules\.md#([a-z]\d+)\b/ }
  private static var lineBreak: Regex<Substring> { /\n[ \t]*(?:\/\/\/?|#)?[ \t]*/ }
  private static var testName: Regex<(Substring, Substring)> { #/func\s+`((?:[A-Z]\d+(?:, )?)+) /# }

  /// The rules that a text cites: `rule A10`, `rules M1, M2`, `rules L1–L3`, `rules.md#f5`, even
  /// across a line break.
  static func citations(in text: String) -> [String] {
    let line = text.replacing(lineBreak, with: " ")
    return line.matches(of: citation).flatMap { numbers(in: $0.1) }
      + line.matches(of: anchor).map { $0.1.uppercased() }
  }

  /// The rules that the names of a file's tests begin with.
  static func rulesOfTests(in text: String) -> [String] {
    text.matches(of: testName).flatMap { numbers(in: $0.1) }
  }

  /// Expands ranges: `B1–B3, D1` gives four numbers.
  private static func numbers(in text: some StringProtocol) -> [String] {
    text.replacingOccurrences(of: " and ", with: ", ").components(separatedBy: ", ").flatMap {
      part -> [String] in
      let ends = part.components(separatedBy: CharacterSet(charactersIn: "–-"))
      guard ends.count == 2, let first = Int(ends[0].dropFirst()),
        let last = Int(ends[1].dropFirst()), first <= last
      else { return ends }
      return (first...last).map { "\(part.prefix(1))\($0)" }
    }
  }

  // MARK: Links of a page

  private static var link: Regex<(Substring, Substring)> { /\]\(([^)\s]+)\)/ }

  /// The links of a text within the repository.
  static func links(in text: String) -> [String] {
    text.matches(of: link).map { String($0.1) }.filter { !$0.contains("://") }
  }

  // MARK: The matrix

  /// A cell of M4's table.
  struct Cell: Equatable {
    let kind: String
    let fact: String
    let effect: String

    var scenario: String { "M4-\(kind)-\(fact)" }
  }

  var matrix: [Cell] {
    let text = sections.first { $0.rules == ["M4"] }?.text ?? ""
    let rows = text.split(separator: "\n").filter { $0.hasPrefix("|") }.map { row in
      row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    guard let kinds = rows.first?.dropFirst() else { return [] }
    return rows.dropFirst(2).flatMap { row in
      zip(kinds, row.dropFirst()).map { Cell(kind: $0, fact: row[0], effect: $1) }
    }
  }

  // MARK: Files

  static let repository = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  static let page = repository.appendingPathComponent("Documentation/rules.md")

  /// The texts below a folder of the repository, or of one file, each with its path.
  static func texts(_ path: String, _ endings: [String] = ["swift", "md", "yaml", "json"]) throws
    -> [(path: String, text: String)]
  {
    var files: [String] = []
    let all = FileManager.default.enumerator(atPath: repository.appendingPathComponent(path).path)
    while let file = all?.nextObject() as? String {
      if file == ".build" { all?.skipDescendants() }
      if endings.contains((file as NSString).pathExtension) { files.append("\(path)/\(file)") }
    }
    return try (files.isEmpty ? [path] : files.sorted()).map { path in
      (path, try String(contentsOf: repository.appendingPathComponent(path), encoding: .utf8))
    }
  }
}
