import Foundation
import TestRuns
import Testing

/// Compares `Documentation/rules.md` with the texts that cite it and the files that it links to.
/// `RuleTests` checks the scenarios.
@Suite(.inTurn) struct RuleBookTests {
  @Test func `the book has each rule once, in the order of its numbers`() throws {
    let rules = try RuleBook.load().rules
    #expect(rules.count >= 58)
    #expect(Set(rules).count == rules.count)
    for letter in Set(rules.map { $0.prefix(1) }) {
      let numbers = rules.filter { $0.hasPrefix(letter) }.map { Int($0.dropFirst())! }
      #expect(numbers == numbers.sorted(), "\(letter)")
    }
  }

  @Test func `every rule has a scenario or a test named after it, and says where`() throws {
    let book = try RuleBook.load()
    let tests = try RuleBook.texts("Tests", ["swift"])
    let named = Set(tests.flatMap { RuleBook.rulesOfTests(in: $0.text) }).union(
      RuleTests.cases.map(\.rule))
    for section in book.sections {
      for rule in section.rules {
        let isNamed = named.contains(rule)
        #expect(isNamed, "nothing is named after \(rule)")
        let isLinked = RuleBook.links(in: section.text).contains {
          RuleBookTests.leads($0, to: rule, tests)
        }
        #expect(isLinked, "\(rule) leads neither to its scenarios nor to a test named after it")
      }
    }
  }

  @Test
  func
    `each link below a rule leads to something named after it, and every folder of scenarios is linked`()
    throws
  {
    let book = try RuleBook.load()
    let tests = try RuleBook.texts("Tests", ["swift"])
    var folders: Set<String> = []
    for section in book.sections {
      for link in RuleBook.links(in: section.text) where link.hasPrefix("../Tests/") {
        #expect(
          section.rules.contains { RuleBookTests.leads(link, to: $0, tests) },
          "\(section.title): \(link)")
        folders.insert((link as NSString).lastPathComponent)
      }
    }
    #expect(Set(RuleTests.cases.map(\.rule)).subtracting(folders) == ["example"])
  }

  private static var pages: [String] {
    let documents = (try? RuleBook.texts("Documentation", ["md"]).map(\.path)) ?? []
    return ["README.md", "CHANGELOG.md", "Policies/README.md"] + documents
  }

  @Test(arguments: pages) func `a page's links lead somewhere`(_ page: String) throws {
    let text = try #require(try RuleBook.texts(page).first).text
    let links = RuleBook.links(in: text)
    for link in links {
      let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(
        String.init)
      let folder = RuleBook.repository.appendingPathComponent(page).deletingLastPathComponent()
      let file =
        parts[0].isEmpty
        ? RuleBook.repository.appendingPathComponent(page) : folder.appendingPathComponent(parts[0])
      #expect(FileManager.default.fileExists(atPath: file.path), "\(link)")
      guard parts.count == 2 else { continue }
      #expect(
        RuleBook(try String(contentsOf: file, encoding: .utf8)).anchors.contains(parts[1]),
        "\(link)")
    }
  }

  @Test(arguments: [
    "Sources", "Policies", "Benchmarks", "Documentation", "Tests", "README.md", "CHANGELOG.md",
  ])
  func `every rule that is cited is in the book`(_ folder: String) throws {
    let rules = Set(try RuleBook.load().rules)
    var count = 0
    for (path, text) in try RuleBook.texts(folder) where !path.hasSuffix("RuleBookTests.swift") {
      let cited =
        RuleBook.citations(in: text)
        + (path.hasSuffix(".swift") ? RuleBook.rulesOfTests(in: text) : [])
      for rule in Set(cited).subtracting(rules).sorted() {
        Issue.record("\(path) cites \(rule), which is not in \(RuleBook.page.path)")
      }
      count += cited.count
    }
    if folder == "Sources" { #expect(count > 100) }
  }

  /// Whether a link leads to the rule's folder of scenarios, or to a file with a test that bears
  /// the rule's number.
  private static func leads(
    _ link: String, to rule: String, _ tests: [(path: String, text: String)]
  ) -> Bool {
    if link == "../Tests/CurfewSimulationTests/Rules/\(rule)" {
      return RuleTests.cases.contains { $0.rule == rule }
    }
    return tests.contains {
      "../" + $0.path == link && RuleBook.rulesOfTests(in: $0.text).contains(rule)
    }
  }

  // MARK: Tests of the reader

  @Test func `citations are found however they are written`() {
    let text = """
      /// The row of a wake (rules W1–W3, A4); see rule Z9 and rules M1 and M2. No rule of A5's. (Rule
        /// C2: order.) [the warning](rules.md#f5)
      """
    #expect(RuleBook.citations(in: text) == ["W1", "W2", "W3", "A4", "Z9", "M1", "M2", "C2", "F5"])
    #expect(
      RuleBook.rulesOfTests(
        in: "@Test func `A7, A8 a reboot`() {}\n  func `F5 a handler`(limit: Int)") == [
          "A7", "A8", "F5",
        ])
  }

  @Test func `rules are read only from headings`() {
    let book = RuleBook(
      "# The book\n\n### A1\n\nSee [A2](#a2).\n### T1–T3\n## C and D\n### M4\n| | a | b |\n|-|-|-|\n| x | – | denied |\n"
    )
    #expect(book.rules == ["A1", "T1", "T2", "T3", "M4"])
    #expect(book.anchors == ["the-book", "a1", "t1t3", "c-and-d", "m4"])
    #expect(RuleBook.links(in: book.sections[1].text) == ["#a2"])
    #expect(
      book.matrix == [
        .init(kind: "a", fact: "x", effect: "–"), .init(kind: "b", fact: "x", effect: "denied"),
      ])
  }
}
