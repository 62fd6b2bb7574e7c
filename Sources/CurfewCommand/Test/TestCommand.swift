import ArgumentParser
import CurfewConsole
import CurfewLoadTest
import CurfewPolicy
import CurfewSimulation
import CurfewSystem
import CurfewText

/// `curfew test`: runs scenarios and checks their expectations.
struct TestCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Runs scenarios and checks their expectations.",
    discussion: """
      Folders are searched for .yaml files that are scenarios with an 'expect:'; the default is the current folder. Each scenario runs under its own \
      policy, or the one that --policy names, and its expectations are compared with the run. An invalid file is reported, and the others still run.

      Exit codes: 0 everything is as expected; 1 failed, a run does not finish, or nothing to test; 4 a file is invalid; 5 an expectation failed; 64 usage; \
      99 a threshold was crossed; 130 interrupted; 141 the reader of the output is gone; 143 terminated. If several apply: the first of 4, 1, 99, 5 and 130.
      """)

  @Argument(
    help: "Scenarios, and folders of scenarios; - for a scenario on standard input.",
    completion: .yaml)
  var paths: [String] = ["."]

  @Option(
    help: ArgumentHelp(
      "Run all scenarios under this policy instead of their own: \(PolicyFile.choices)."),
    completion: .policies)
  var policy: String?

  @OptionGroup var settings: PolicySettings

  @Option(
    help: ArgumentHelp(
      "Test only files whose path contains this text. May be repeated; one match is enough.",
      valueName: "text"), completion: .unlisted)
  var filter: [String] = []

  @Option(
    help: ArgumentHelp(
      "Write the result to this file as JUnit XML; - for standard output, without any other output.",
      valueName: "file"), completion: .file())
  var junit: String?

  @Flag(help: "Print which rows and reasons of each policy were reached, and which were not.")
  var coverage = false

  @Option(
    name: .customLong("threshold"),
    help: ArgumentHelp(
      """
      Conditions on the coverage, comma-separated: 'rows>=80%,ios13.reasons>=70%'. May be repeated. rows and reasons are shares of all policies together; \
      NAME.rows and NAME.reasons are shares of one policy.
      """, valueName: "conditions"), completion: .list(CoverageMetric.examples))
  var conditions: [String] = []

  @Flag(help: "Print the result as JSON, and messages also as JSON.")
  var json = false

  func run(on console: Console) throws {
    // The file may be a pipe with a slow writer.
    console.interrupt.listen()
    if paths.contains("-"), policy == "-" {
      throw Refusal("a scenario and --policy cannot both be standard input")
    }
    if policy == nil, !settings.texts.isEmpty {
      throw Refusal("--policy-set needs --policy: it sets values of the policy that --policy names")
    }
    let policy = try policy.map { try settings.applied(to: PolicyFile.named($0)) }
    let (run, demands, number) = try console.watch { progress in try test(policy, console, progress)
    }
    let text = TestText(screen: console.screen)
    if json, junit != "-" { try console.print(run.json) }
    if hasText, !run.files.isEmpty {
      try console.show(text.summary(of: run))
      if coverage, !run.coverage.isEmpty { try console.show("\n" + text.coverage(of: run)) }
    }
    try judge(run, of: number, demands, console)
  }

  private var hasText: Bool { !json && junit != "-" }

  /// Reads all files, runs them, and writes the JUnit report. Also returns the thresholds and the
  /// number of files.
  private func test(_ policy: PolicyFile?, _ console: Console, _ progress: Progress) throws -> (
    TestRun, [Demand], Int
  ) {
    let search = ScenarioSearch(paths, filters: filter)
    let found = try read(search.paths, policy, console, progress)
    let files = found.filter { $0.scenario?.expectations.isEmpty != true }
    let demands = try demands(files)
    let inputs =
      files.map { ($0.path == "-" ? "/dev/stdin" : $0.path, "is tested") }
      + files.flatMap { $0.scenario?.files ?? [] }.map { ($0, "this run reads") }
    let report = try junit.map { try console.open($0, "--junit", besides: inputs) }
    let text = TestText(screen: console.screen)
    var run = TestRun(silent: search.silent + found.count - files.count)
    try run.run(files, isStopped: { console.isStopped }) { file, number in
      progress.show("\(number) of \(files.count) tested")
      guard hasText else { return }
      progress.finish()
      try console.show(text.text(of: file))
    }
    for line in JUnitReport(run: run).lines { try report?.write(line) }
    return (run, demands, files.count)
  }

  /// Reads every file. The result of a file that cannot be read contains its errors.
  private func read(
    _ paths: [String], _ policy: PolicyFile?, _ console: Console, _ progress: Progress
  ) throws -> [TestedFile] {
    var files: [TestedFile] = []
    for (index, path) in paths.enumerated() {
      if console.isStopped { throw console.interrupted("while files were read; nothing was done") }
      progress.show("\(index) of \(paths.count) read")
      do throws(FileErrors) {
        let scenario =
          try Scenario.decode(try SourceFile.argument(path), policy: policy)
        for warning in scenario.warnings { console.tell(Message(warning)) }
        files.append(TestedFile(path: path, scenario: scenario))
      } catch {
        files.append(
          TestedFile(path: path, troubles: error.diagnostics.map { $0.namingNearFile() }))
      }
    }
    return files
  }

  private typealias Demand = (threshold: Threshold, metric: CoverageMetric)

  private func demands(_ files: [TestedFile]) throws -> [Demand] {
    let metrics = CoverageMetric.all(files.compactMap { $0.scenario?.policy.name })
    return try conditions.flatMap { text in
      do throws(ThresholdError) {
        let thresholds = try Threshold.read(
          text, of: metrics.map { ($0.name, .percentage) }, like: "rows>=80%,reasons>=70%")
        return thresholds.compactMap { threshold -> Demand? in
          metrics.first { $0.name == threshold.metric }.map { (threshold, $0) }
        }
      } catch {
        throw Refusal("--threshold, character \(error.column): \(error.message)")
      }
    }
  }

  /// Prints the run's verdict on standard error and throws the exit code.
  private func judge(
    _ run: TestRun, of number: Int, _ demands: [Demand], _ console: Console
  ) throws {
    let isHeard = junit == "-" || json
    if isHeard {
      for file in run.files {
        for trouble in file.troubles { console.tell(Message(trouble)) }
        Verdicts(all: file.verdicts).tell(console)
      }
    }
    // The coverage of an interrupted run is incomplete, so it crosses no threshold.
    let crossings =
      run.isInterrupted
      ? [] : demands.compactMap { $0.threshold.crossing(of: $0.metric.value(in: run.coverage)) }
    for crossing in crossings { console.tell(.thresholdCrossed, "\(crossing)") }
    let interrupted =
      run.isInterrupted
      ? console.interrupted(
        "after \(HumanCount.text(run.files.count)) of \(HumanCount.text(number, "file")); these are the results so far"
      )
      : nil
    if run.count(.invalid) > 0 { throw ExitCode.invalidFile }
    if run.files.contains(where: \.isStuck) { throw ExitCode.failure }
    if !crossings.isEmpty { throw ExitCode.crossedThreshold }
    if run.count(.failed) > 0 { throw ExitCode.different }
    if let interrupted { throw interrupted }
    if number == 0 {
      let names =
        paths.joined(separator: ", ")
        + (filter.isEmpty
          ? "" : " with \(filter.map { "'\($0)'" }.joined(separator: " or ")) in its path")
      let silent =
        run.silent == 0
        ? ""
        : "; \(HumanCount.text(run.silent)) \(HumanCount.word(run.silent, "expects", "expect")) nothing"
      throw console.failure(
        Message(
          .error, "nothing was tested: there is no scenario with 'expect:' in \(names)\(silent)"))
    }
  }
}
