import ArgumentParser
import CurfewLoadTest
import CurfewPolicy
import CurfewSimulation
import CurfewSystem
import CurfewText

/// `curfew test`: scenarios that say what they expect.
struct TestCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Runs scenarios that say what they expect.",
    discussion: """
      Folders are searched for .yaml files that are scenarios with an 'expect:'; without arguments, the present folder. Each is run under its own \
      policy, or the one that --policy names, and what it expects is compared with what happens. A file that is invalid is told, and the others run.

      Exit codes: 0 all is as expected, 1 failed, a run that does not finish, or nothing to test, 4 a file is invalid, 5 something is not as expected, 64 usage, \
      99 a threshold was crossed, 130 interrupted and 143 terminated, 141 whoever read the output has gone away. Of several the first of 4, 1, 99, 5 and 130.
      """)

  @Argument(help: "Scenarios, and folders of them; - for a scenario on standard input.")
  var paths: [String] = ["."]

  @Option(
    help: ArgumentHelp("Run all under this policy instead of their own: \(PolicyFile.choices)."))
  var policy: String?

  @OptionGroup var settings: PolicySettings

  @Option(
    help: ArgumentHelp(
      "Only files with this in their path. May be given again: any of them.", valueName: "text"))
  var filter: [String] = []

  @Option(
    help: ArgumentHelp(
      "Write the result to this file as JUnit XML; - for standard output, with everything else left out.",
      valueName: "file"))
  var junit: String?

  @Flag(help: "Print which rows and reasons of each policy were reached, and which were not.")
  var coverage = false

  @Option(
    name: .customLong("threshold"),
    help: ArgumentHelp(
      """
      What must hold of that, comma-separated: 'rows>=80%,ios13.reasons>=70%'. May be given again. rows and reasons are those of all policies together, \
      NAME.rows and NAME.reasons those of one.
      """, valueName: "conditions"))
  var conditions: [String] = []

  @Flag(help: "Print the result as JSON, and messages as JSON too.")
  var json = false

  func run(on console: Console) throws {
    // A file may be a pipe, whose writer takes its time.
    console.interrupt.listen()
    if paths.contains("-"), policy == "-" {
      throw Refusal("a scenario and --policy cannot both be standard input")
    }
    if policy == nil, !settings.texts.isEmpty {
      throw Refusal("--policy-set sets values of the policy that --policy names")
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

  /// Reads all files, runs them, and writes what came of it for others; answers also how many
  /// there are.
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

  /// Every file that there is, those that cannot be read with why.
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
        files.append(TestedFile(path: path, troubles: error.diagnostics))
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

  /// What the run means, on standard error, and the exit code.
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
    // Of a run that was cut nobody knows what it would have reached.
    let crossings =
      run.isInterrupted
      ? [] : demands.compactMap { $0.threshold.crossing(of: $0.metric.value(in: run.coverage)) }
    for crossing in crossings { console.tell(.thresholdCrossed, "\(crossing)") }
    let interrupted =
      run.isInterrupted
      ? console.interrupted(
        "after \(HumanCount.text(run.files.count)) of \(HumanCount.text(number, "file")); this is what was done so far"
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
