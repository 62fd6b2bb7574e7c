import CurfewPolicy
import CurfewSimulation
import CurfewText
import CurfewTrace

/// Scenarios, run one after the other.
struct TestRun {
  /// The files in order, as far as the run got.
  private(set) var files: [TestedFile] = []
  /// The coverage of each policy, in the order in which policies appear.
  private(set) var coverage: [PolicyCoverage] = []
  /// The number of scenarios without expectations.
  let silent: Int
  private(set) var isInterrupted = false
  private(set) var length = Duration.zero

  init(silent: Int) { self.silent = silent }

  func count(_ outcome: TestedFile.Outcome) -> Int { files.count { $0.outcome == outcome } }

  /// The number of expectations with this outcome, in all files.
  func expectations(_ outcome: ExpectationVerdict.Outcome) -> Int {
    files.map { $0.count(outcome) }.reduce(0, +)
  }

  /// Runs `scenarios`, some of which may have failed to load, and calls `tell` after each.
  mutating func run(
    _ scenarios: [TestedFile], isStopped: () -> Bool,
    _ tell: (TestedFile, _ number: Int) throws -> Void
  ) rethrows {
    let clock = ContinuousClock()
    let start = clock.now
    for (index, file) in scenarios.enumerated() {
      if isStopped() {
        isInterrupted = true
        break
      }
      var file = file
      if let scenario = file.scenario {
        let begin = clock.now
        run(scenario, &file, isStopped)
        file.length = clock.now - begin
      }
      isInterrupted = isInterrupted || file.isCut
      files.append(file)
      try tell(file, index + 1)
    }
    length = clock.now - start
  }

  private mutating func run(_ scenario: Scenario, _ file: inout TestedFile, _ isStopped: () -> Bool)
  {
    var check = ExpectationCheck(scenario)
    var why = TraceExplanations(scenario)
    let place =
      coverage.firstIndex { $0.policy.digest == scenario.policy.digest } ?? coverage.endIndex
    if place == coverage.endIndex { coverage.append(PolicyCoverage(scenario.policy)) }
    var reached = coverage[place]
    reached.beginRun()
    var simulation = Simulation(scenario)
    // No call in this closure throws.
    let ending = try? simulation.run(isInterrupted: isStopped) { line in
      check.add(line)
      reached.add(line, why.explanations(of: line))
    }
    guard let ending else { return }
    file.verdicts = check.verdicts(cutAt: ending.isWhole ? nil : simulation.now)
    file.isCut = ending == .interrupted
    if let trouble = ending.trouble(at: simulation.now) {
      file.troubles = [FileDiagnostic(file: file.path, trouble)]
    }
    coverage[place] = reached
  }
}
