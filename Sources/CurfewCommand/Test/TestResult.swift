import CurfewPolicy
import CurfewSimulation
import CurfewText

extension TestRun {
  var json: String { TestRun.form.json(self).closed }

  /// `test/1`.
  static let form = ResultForm<TestRun>(
    "The results of scenarios with expectations: one object on one line.",
    [
      .format("test/1"), .count("seed") { _ in 0 },
      .text("ending", "Whether all files were run.", words: ["complete", "interrupted"]) {
        $0.isInterrupted ? "interrupted" : "complete"
      },
      .count("passed", "Files whose expectations were all met.") { $0.count(.passed) },
      .count("failed") { $0.count(.failed) },
      .count("invalid", "Files that cannot be read.") { $0.count(.invalid) },
      .count("silent", "Scenarios in the folders without expectations; they are not run.") {
        $0.silent
      },
      .object("expectations", expectations, "The expectations of all files.") { $0 },
      .number("seconds", "The time that the tests took.") { $0.length.inSeconds },
      .objects("files", file, "Each file, in order.") { $0.files },
      .objects("coverage", coverage, "The coverage of each policy.") { $0.coverage },
    ])

  private static let expectations = ResultForm<TestRun>(
    "",
    [
      .count("met") { $0.expectations(.met) }, .count("failed") { $0.expectations(.failed) },
      .count("undecided") { $0.expectations(.undecided) },
    ])

  private static let file = ResultForm<TestedFile>(
    "",
    [
      .text("file") { $0.path }, .text("name", optional: true) { $0.scenario?.name },
      .text("policy", optional: true) { $0.scenario?.policy.name },
      .text("policyDigest", optional: true) { $0.scenario?.policy.digest },
      .text("outcome", words: TestedFile.Outcome.allCases.map(\.rawValue)) { $0.outcome.rawValue },
      .texts(
        "troubles", "The reasons why the file cannot be read or its run does not finish.",
        optional: true
      ) { file in
        file.troubles.isEmpty ? nil : file.troubles.map(\.description)
      },
      .objects("expectations", ExpectationVerdict.form, "In file order.") { $0.verdicts },
      .number("seconds", "The time that the run took.") { $0.length.inSeconds },
    ])

  private static let coverage = ResultForm<PolicyCoverage>(
    "",
    [
      .text("policy") { $0.policy.name }, .text("policyDigest") { $0.policy.digest },
      .object("rows", share, "Its mappings and rows.") { $0.rowShare },
      .object("reasons", share, "The reasons that the policy may give.") { $0.reasonShare },
    ])

  private static let share = ResultForm<PolicyCoverage.Share>(
    "",
    [
      .number("percent") { $0.fraction * 100 }, .texts("reached") { $0.reached },
      .texts("missed") { $0.missed },
    ])
}
