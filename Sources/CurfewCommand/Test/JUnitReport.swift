import CurfewSimulation
import CurfewText

/// A test run in JUnit's XML, for continuous integration servers: a suite for each file, a case for
/// each expectation.
struct JUnitReport {
  let run: TestRun

  var lines: [String] {
    let failures = run.expectations(.failed)
    let errors = run.files.count { !$0.troubles.isEmpty }
    let cases = run.files.map { $0.verdicts.count + ($0.troubles.isEmpty ? 0 : 1) }.reduce(0, +)
    let head = tag(
      "testsuites",
      [
        ("name", "curfew test"), ("tests", "\(cases)"), ("failures", "\(failures)"),
        ("errors", "\(errors)"),
        ("skipped", "\(run.expectations(.undecided))"), ("time", seconds(run.length)),
      ])
    return [#"<?xml version="1.0" encoding="UTF-8"?>"#, "<\(head)>"] + run.files.flatMap(suite) + [
      "</testsuites>"
    ]
  }

  private func suite(_ file: TestedFile) -> [String] {
    let head = tag(
      "testsuite",
      [
        ("name", file.path), ("tests", "\(file.verdicts.count + (file.troubles.isEmpty ? 0 : 1))"),
        ("failures", "\(file.count(.failed))"),
        ("errors", file.troubles.isEmpty ? "0" : "1"), ("skipped", "\(file.count(.undecided))"),
        ("time", seconds(file.length)),
      ])
    let trouble = file.troubles.map(\.description).joined(separator: "\n")
    let error =
      file.troubles.isEmpty
      ? []
      : testCase(
        file, "the run", line: nil,
        "<error message=\"\(xml(file.troubles[0].message))\">\(xml(trouble))</error>")
    return ["  <\(head)>"] + file.verdicts.flatMap { testCase(file, $0) } + error + [
      "  </testsuite>"
    ]
  }

  private func testCase(_ file: TestedFile, _ verdict: ExpectationVerdict) -> [String] {
    let found = verdict.found.map { "found \($0)" } ?? ""
    let content: String? =
      switch verdict.outcome {
      case .met: nil
      case .failed:
        "<failure message=\"\(xml(found))\">\(xml("\(verdict.place): \(verdict)"))</failure>"
      case .undecided: "<skipped message=\"the run was cut\"/>"
      }
    return testCase(file, verdict.expectation.text, line: verdict.place.line, content)
  }

  private func testCase(_ file: TestedFile, _ name: String, line: Int?, _ content: String?)
    -> [String]
  {
    let place = [("file", file.path)] + (line.map { [("line", "\($0)")] } ?? [])
    let head = tag(
      "testcase", [("classname", file.scenario?.name ?? file.path), ("name", name)] + place)
    guard let content else { return ["    <\(head)/>"] }
    return ["    <\(head)>", "      \(content)", "    </testcase>"]
  }

  private func tag(_ name: String, _ attributes: [(String, String)]) -> String {
    name + attributes.map { " \($0.0)=\"\(xml($0.1))\"" }.joined()
  }

  private func seconds(_ length: Duration) -> String {
    HumanNumber.decimal(length.inSeconds, places: 3)
  }

  /// Escapes control characters first, because XML cannot represent most of them.
  private func xml(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map {
      String($0).escapingControls
    }.joined(separator: "\n")
      .replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;")
  }
}
