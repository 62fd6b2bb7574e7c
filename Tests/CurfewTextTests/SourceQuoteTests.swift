import CurfewPolicy
import CurfewText
import ScenarioSupport
import TestRuns
import TestSupport
import Testing

/// The part of a line that an error is about.
@Suite(.inTurn) struct SourceQuoteTests {
  /// The marked text in the first error of a policy's text.
  private func marked(_ text: String) -> String? {
    do throws(FileErrors) {
      _ = try PolicyTextReader.read(text)
      return nil
    } catch {
      return error.diagnostics[0].quote.map { quote in
        let scalars = Array(quote.text.unicodeScalars)[quote.start..<quote.start + quote.length]
        return String(String.UnicodeScalarView(scalars))
      }
    }
  }

  @Test(arguments: [
    ("suspendDelay: 40", "40"), ("suspendDelay: 40   # a remark", "40"),
    ("tasks: {grant: 40, warning: 5s}", "40"),
    ("tasks: {grant: \"4 0\", warning: 5s}", "\"4 0\""), ("susspendDelay: 5s", "susspendDelay"),
    ("tasks: {grant: [5s, 6s]}", "["),
    ("tasks:\n  grant: five # no\n", "five"), ("tasks:\r\n  grant: 'a b'\r\n", "'a b'"),
    ("sessions: {audioo: {linger: 0s}}", "audioo"),
    ("multitasking: no way", "no way"), ("tasks: {grant: 40}", "40"),
    ("wakes: {fetch: {mode: [fetsch]}}", "fetsch"),
  ]) func `a mark is under the value or the key, and under nothing else`(
    _ text: String, _ token: String
  ) {
    #expect(marked(text) == token)
  }

  @Test func `a quote of a long line is no longer than a terminal can show`() throws {
    let text =
      "about: " + String(repeating: "x", count: 100_000) + "\nsuspendDelay: "
      + String(repeating: "y", count: 100_000)
    let errors = #expect(throws: FileErrors.self) { _ = try PolicyTextReader.read(text) }
    let quote = try #require(errors?.diagnostics[0].quote)
    #expect(
      quote.text.hasPrefix("suspendDelay: yyy") && quote.text.count == 514 && quote.start == 14
        && quote.length == 500)
  }

  @Test func `an error in a parent quotes the parent's line; without a line, nothing is quoted`()
    throws
  {
    let files = [
      "mine.yaml": "curfew: policy/1\nname: x\nextends: base.yaml\n",
      "base.yaml": "curfew: policy/1\nname: y\nfoo: 1\n",
    ]
    try withFolder(files) { folder in
      let errors = #expect(throws: FileErrors.self) {
        _ = try PolicyTextReader.load(folder + "/mine.yaml")
      }
      #expect(errors?.diagnostics.compactMap(\.quote?.text) == ["foo: 1"])
      let missing = #expect(throws: FileErrors.self) {
        _ = try PolicyTextReader.load(folder + "/none.yaml")
      }
      #expect(missing?.diagnostics.map(\.quote) == [nil])
    }
  }

  @Test func `errors in a scenario quote their lines too`() {
    let errors = #expect(throws: FileErrors.self) {
      _ = try scenario(timeline("{at: 5, do: lock}"))
    }
    #expect(
      errors?.diagnostics.first?.quote?.text == "  - {at: 5, do: lock}"
        && errors?.diagnostics.first?.endColumn == 11)
  }
}

/// Reads policies, which are the simplest files.
private enum PolicyTextReader {
  static func read(_ text: String) throws(FileErrors) -> PolicyFile {
    try PolicyFile.decode("curfew: policy/1\nname: x\nextends: ios13\n" + text, name: "mine.yaml")
  }

  static func load(_ path: String) throws(FileErrors) -> PolicyFile { try PolicyFile.load(path) }
}
