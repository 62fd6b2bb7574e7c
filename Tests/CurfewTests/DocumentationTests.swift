import Curfew
import Foundation
import TestRuns
import Testing

/// Code in the catalogue and the README is compiled, here, in CurfewUVTests or in
/// CurfewMetricsTests: each block of Swift stands in an example, indented or not.
@Suite(.inTurn) struct CurfewDocumentationTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  @Test(arguments: [
    "Test-your-background-tasks", "Embed-Curfew", "Test-your-BGTaskScheduler-code",
    "Replace-your-fake", "On-a-server",
  ])
  func `every block of an article compiles`(article: String) throws {
    let blocks = try CurfewDocumentationTests.blocks(of: "Sources/Curfew/Curfew.docc/\(article).md")
    #expect(blocks.count >= 6)
    for block in blocks { try CurfewDocumentationTests.check(block) }
  }

  @Test func `the code of the article on processes compiles`() throws {
    let blocks = try CurfewDocumentationTests.blocks(
      of: "Sources/Curfew/Curfew.docc/Govern-processes.md")
    #expect(blocks.count == 2)
    for block in blocks { try CurfewDocumentationTests.check(block) }
  }

  @Test func `the code of the article on async code compiles`() throws {
    let blocks = try CurfewDocumentationTests.blocks(
      of: "Sources/CurfewTesting/CurfewTesting.docc/Async-code.md")
    #expect(blocks.count == 9)
    for block in blocks { try CurfewDocumentationTests.checkInside(block) }
  }

  @Test func `the code of the metrics' page compiles`() throws {
    let blocks = try CurfewDocumentationTests.blocks(
      of: "Sources/CurfewMetrics/CurfewMetrics.docc/CurfewMetrics.md")
    #expect(blocks.count == 2)
    for block in blocks { try CurfewDocumentationTests.check(block) }
  }

  @Test func `the README's code is the first example, and it prints what the README shows`() throws
  {
    let code = try #require(CurfewDocumentationTests.blocks(of: "README.md").first)
    #expect(try CurfewDocumentationTests.examples().contains(code))
    let device = Device(policy: .ios13, clock: .virtual)
    let mail = device.register("com.example.mail")
    mail.launch()
    nonisolated(unsafe) var output = ""
    try mail.run {
      _ = mail.beginBackgroundTask(withName: "upload") { output += "time is up\n" }
    }
    device.home()
    device.advance(by: .seconds(30))
    output += "\(mail.processEnds[0])\n"
    let readme = try String(
      contentsOf: CurfewDocumentationTests.root.appendingPathComponent("README.md"), encoding: .utf8
    )
    #expect(readme.contains("```\n\(output)```"), "\(output)")
  }

  /// A program's paragraphs may be apart: its top-level code is in the body of a test.
  private static func check(_ block: String) throws {
    let code = unindented(block)
    #expect(block.first?.isWhitespace == false, "indented:\n\(block)")
    let parts = code.hasPrefix("import ") ? code.components(separatedBy: "\n\n") : [code]
    let examples = try examples().map(unindented)
    for part in parts {
      #expect(examples.contains { "\n\($0)\n".contains("\n\(part)\n") }, "no example has:\n\(part)")
    }
  }

  /// Checks a block that stands in an example unchanged except for indentation.
  private static func checkInside(_ block: String) throws {
    #expect(try examples().contains { $0.contains(block) }, "no example has:\n\(block)")
  }

  private static func blocks(of page: String) throws -> [String] {
    let text = try String(contentsOf: root.appendingPathComponent(page), encoding: .utf8)
    return text.components(separatedBy: "```swift\n").dropFirst().map {
      $0.components(separatedBy: "```")[0]
    }
  }

  private static func unindented(_ code: String) -> String {
    code.components(separatedBy: "\n").map { String($0.drop { $0 == " " }) }.joined(separator: "\n")
      .trimmingCharacters(in: .newlines)
  }

  private static func examples() throws -> [String] {
    try [
      "Tests/CurfewTests/Examples", "Tests/CurfewUVTests/Examples",
      "Tests/CurfewMetricsTests/Examples",
      "Tests/CurfewTestingTests/Examples",
    ].map(root.appendingPathComponent)
      .flatMap { folder in
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map {
          try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8)
        }
      }
  }
}
