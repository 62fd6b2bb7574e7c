import CurfewConsole
import CurfewPolicy
import CurfewSimulation
import CurfewText

/// A test run as text for a person.
struct TestText {
  let screen: Screen

  private var style: TextStyle { screen.style }

  /// The line of a file, and one line for each failure or error.
  func text(of file: TestedFile) -> String {
    let (met, all) = (file.count(.met), file.verdicts.count)
    let count =
      switch file.outcome {
      case .passed: "  (\(HumanCount.text(all)))"
      case .failed, .interrupted: "  (\(HumanCount.text(met)) of \(HumanCount.text(all)))"
      case .invalid: ""
      }
    let word = pad(file.outcome.rawValue, TestText.wordWidth, .left)
    let mark =
      switch file.outcome {
      case .passed: word
      case .failed, .invalid: style.red(word)
      case .interrupted: style.yellow(word)
      }
    let failed = Verdicts(all: file.verdicts).failed.map { "\($0.place): \($0)" }
    let details = failed + file.troubles.map(\.description)
    let indent = String(repeating: " ", count: TestText.wordWidth + 2)
    return
      ([mark + "  " + screen.plain(file.path) + style.dim(count)]
      + details.map { indent + screen.plain($0) }).joined(separator: "\n")
  }

  private static let wordWidth = TestedFile.Outcome.allCases.map(\.rawValue.count).max() ?? 0

  /// The numbers of files and of expectations per outcome.
  func summary(of run: TestRun) -> String {
    let outcomes = TestedFile.Outcome.allCases.compactMap { outcome in
      let count = run.count(outcome)
      return count == 0 ? nil : "\(HumanCount.text(count)) \(outcome.rawValue)"
    }
    let (met, failed, undecided) = (
      run.expectations(.met), run.expectations(.failed), run.expectations(.undecided)
    )
    let rest = [(failed, "failed"), (undecided, "undecided")].compactMap {
      $0.0 == 0 ? nil : ", \(HumanCount.text($0.0)) \($0.1)"
    }
    let expectations = "\(HumanCount.text(met, "expectation")) met" + rest.joined()
    let lines = [
      "\(HumanCount.text(run.files.count, "file")): \(outcomes.joined(separator: ", ")); \(expectations); \(HumanTime.rounded(run.length.inNanoseconds))",
      run.silent == 0
        ? nil : "\(HumanCount.text(run.silent, "scenario")) without 'expect:' not run",
    ]
    return "\n" + lines.compactMap(\.self).map(style.bold).joined(separator: "\n")
  }

  /// The coverage of each policy: the shares reached, and the rows and reasons missed.
  func coverage(of run: TestRun) -> String {
    let width = run.coverage.map(\.policy.name.displayWidth).max() ?? 0
    return run.coverage.map { coverage in
      let parts = [("rows", coverage.rowShare), ("reasons", coverage.reasonShare)]
      let shares = parts.map {
        "\($0.1.reached.count) of \($0.1.reached.count + $0.1.missed.count) \($0.0)"
      }
      let first =
        pad(screen.plain(coverage.policy.name), width, .left) + "  "
        + shares.joined(separator: ", ") + " reached"
      let indent = String(repeating: " ", count: width + 2)
      let missed = parts.flatMap { name, share in
        share.missed.isEmpty
          ? []
          : Screen.wrapped(
            "no test reached the \(name) \(share.missed.joined(separator: ", "))",
            to: screen.textWidth.map { $0 - indent.count })
      }
      return ([first] + missed.map { indent + style.dim(screen.plain($0)) }).joined(separator: "\n")
    }.joined(separator: "\n")
  }
}
