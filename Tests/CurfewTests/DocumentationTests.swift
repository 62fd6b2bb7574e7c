import Foundation
import Testing

/// What the catalogue and the README show is compiled here: each block of Swift stands in an example, line by line.
@Suite struct CurfewDocumentationTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  private static let root = folder.deletingLastPathComponent().deletingLastPathComponent()

  @Test(arguments: ["Sources/Curfew/Curfew.docc/Test-your-background-tasks.md", "Sources/Curfew/Curfew.docc/Embed-Curfew.md"])
  func `every block of an article compiles`(article: String) throws {
    let text = try String(contentsOf: CurfewDocumentationTests.root.appendingPathComponent(article), encoding: .utf8)
    let blocks = text.components(separatedBy: "```swift\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
    #expect(blocks.count >= 4)
    let examples = try CurfewDocumentationTests.examples()
    for block in blocks { #expect(examples.contains { $0.contains(block) }, "no example has:\n\(block)") }
  }

  @Test func `the README's first code is the first example`() throws {
    let readme = try String(contentsOf: CurfewDocumentationTests.root.appendingPathComponent("README.md"), encoding: .utf8)
    let first = readme.components(separatedBy: "```swift\n").dropFirst().first?.components(separatedBy: "```").first ?? ""
    #expect(try CurfewDocumentationTests.examples().contains(first))
  }

  private static func examples() throws -> [String] {
    let examples = folder.appendingPathComponent("Examples")
    return try FileManager.default.contentsOfDirectory(atPath: examples.path).sorted().map {
      try String(contentsOf: examples.appendingPathComponent($0), encoding: .utf8)
    }
  }
}
