import CurfewConsole
import CurfewPolicy
import CurfewText
import Foundation
import TestRuns
import Testing

@testable import CurfewCommand

/// The line of a file that is quoted under a message, for people at a terminal.
@Suite(.inTurn) struct ExcerptTests {
  private func excerpt(_ text: String, columns: Int = 80, isUnicode: Bool = true) throws -> [String]
  {
    do throws(FileErrors) {
      _ = try PolicyFile.decode(
        "curfew: policy/1\nname: x\nextends: ios13\n" + text, name: "mine.yaml")
      return []
    } catch {
      let (diagnostic, screen) = (error.diagnostics[0], Screen(columns: nil, isUnicode: isUnicode))
      return try Excerpt.lines(
        #require(diagnostic.quote), line: diagnostic.place?.line ?? 0, columns: columns, screen)
    }
  }

  @Test func `the mark is under the token`() throws {
    #expect(
      try excerpt("tasks: {grant: 40s, warning: 45}") == [
        "  4 | tasks: {grant: 40s, warning: 45}", "    |                              ^^",
      ])
  }

  @Test func `wide characters count twice, and control characters are written as numbers`()
    throws
  {
    let wide = try excerpt("tasks: {\"寿司\": 1s}")
    #expect(wide == ["  4 | tasks: {\"寿司\": 1s}", "    |         ^^^^^^"])
    let turned = try excerpt("about: \"\u{202E}x\"\nmultitasking: \u{202E}maybe")
    #expect(turned == ["  5 | multitasking: \\u{202e}maybe", "    |               ^^^^^^^^^^^^^"])
  }

  @Test func `without UTF-8 everything is ASCII, and widths are those of the ASCII text`() throws {
    let lines = try excerpt("multitasking: žž", isUnicode: false)
    #expect(
      lines == ["  4 | multitasking: \\u{17e}\\u{17e}", "    |               ^^^^^^^^^^^^^^"])
  }

  @Test(arguments: [40, 41, 60, 79])
  func `a line is no wider than the terminal, and its mark is visible`(_ columns: Int) throws {
    let key = String(repeating: "k", count: 100)
    for text in [
      "tasks: {grant: 40s, warning: 5s, strict: true, seedStrict: false, limit: 3, \(key): 1}",
      "about: x\nmultitasking: \(key)",
    ] {
      let lines = try excerpt(text, columns: columns)
      #expect(lines.count == 2 && lines.allSatisfy { $0.displayWidth <= columns }, "\(lines)")
      let marked = zip(lines[0], lines[1]).filter { $0.1 == "^" }.map(\.0)
      #expect(marked.count > 10 && marked.allSatisfy { $0 == "k" }, "\(lines)")
    }
  }

  #if os(Linux)
    @Test func `the excerpt is printed to a terminal, not to a pipe`() throws {
      let folder = try TemporaryFolder()
      try folder.write(
        "curfew: policy/1\nname: x\nextends: ios13\ntasks: {grant: 40}\n", to: "bad.yaml")
      let script = #"script -qec "stty cols 60; \"$0\" policy check bad.yaml" /dev/null"#
      let seen = try CurfewProcess.shell(script, in: folder).output.replacing("\r\n", with: "\n")
      #expect(
        seen.hasSuffix("30s, 250ms\n  4 | tasks: {grant: 40}\n    |                ^^\n"), "\(seen)"
      )
      let piped = try CurfewProcess.run("policy", "check", "bad.yaml", in: folder)
      #expect(
        piped.messages.split(separator: "\n").count == 1
          && piped.messages.hasPrefix("bad.yaml:4:16: error: '40' has no unit"))
    }
  #endif
}
