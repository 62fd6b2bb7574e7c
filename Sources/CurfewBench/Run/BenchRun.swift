package import CurfewSystem
package import CurfewText
import Foundation

/// A run of benchmarks: repetitions, in each of which all workloads and sizes are run in turn.
package struct BenchRun {
  /// The reason why a run cannot begin, with its exit code.
  package struct Obstacle: Error, Hashable {
    package var code: Int32
    package var message: String

    package init(code: Int32, message: String) { (self.code, self.message) = (code, message) }
  }

  private let options: RunOptions
  private let progress: (String) -> Void
  private var contenders: [Contender] = []
  private var runs: [WorkloadRun] = []
  private var record: RunRecord

  /// Chooses the contestants.
  ///
  /// - Parameters:
  ///   - machine: The facts that the record gets.
  ///   - other: The suite of another clone, whose own code is compared, and its commit, which
  ///     `+changes` may follow.
  ///   - progress: Called with a line for each step.
  package init(
    _ suite: Suite, _ options: RunOptions, on machine: MachineRecord,
    against other: (suite: Suite, commit: String)? = nil,
    progress: @escaping (String) -> Void
  ) throws(Refusal) {
    (self.options, self.progress) = (options, progress)
    record = RunRecord(machine: machine, options: options.record)
    record.options.againstCommit = other?.commit
    let names = suite.contestants.map(\.name)
    for (option, words) in [
      ("--only", options.only), ("--without", options.without), ("--require", options.required),
    ] {
      for word in words where !names.contains(word) {
        let hint = NearestName.hint(for: word, among: names, "the contestants are")
        throw Refusal("\(option): unknown contestant '\(word)'\(hint)")
      }
    }
    func isChosen(_ file: ContestantFile) -> Bool {
      (options.only.isEmpty || options.only.contains(file.name))
        && !options.without.contains(file.name)
        && options.selections.contains { file.takesPart(in: $0.kind) }
    }
    contenders = suite.contestants.filter(isChosen).map { Contender($0, in: suite) }
    if let other {
      contenders += other.suite.contestants.filter { $0.ownCode && isChosen($0) }.map {
        Contender($0, in: other.suite, commit: other.commit)
      }
    }
  }

  /// Looks for the needs of all contestants, and builds them.
  package mutating func prepare() throws(Obstacle) {
    for name in options.required where !contenders.contains(where: { $0.name == name }) {
      throw Obstacle(code: 4, message: "--require: \(name) does not take part in this run")
    }
    guard !contenders.isEmpty else {
      let names = options.selections.map(\.kind.name).joined(separator: ", ")
      throw Obstacle(
        code: 64, message: "none of the chosen contestants takes part in \(names)")
    }
    var shared: [String: String?] = [:]
    for index in contenders.indices {
      if contenders[index].file.build != nil { progress("building \(contenders[index].name)") }
      contenders[index].prepare(&shared)
      if Interrupt().isRequested {
        throw Obstacle(
          code: Interrupt().exitCode, message: "interrupted before anything was measured")
      }
      if let obstacle = contenders[index].obstacle { try require(contenders[index].name, obstacle) }
    }
    for group in contenders.grouped(by: \.obstacle) {
      guard let obstacle = group[0].obstacle else { continue }
      progress("\(group.map(\.name).joined(separator: ", ")): \(obstacle.sentence)")
    }
    for selection in options.selections {
      for size in selection.sizes {
        runs.append(
          WorkloadRun(selection.kind, size: size, shape: selection.shape, among: contenders))
      }
    }
    for name in options.required {
      let outcomes = runs.flatMap(\.record.contestants).filter { $0.name == name }.map(\.outcome)
      if let first = outcomes.first, !outcomes.contains(.measured) { try require(name, first) }
    }
  }

  /// Throws if a contestant that is required cannot be run.
  private func require(_ name: String, _ obstacle: ContestantRecord.Outcome) throws(Obstacle) {
    guard options.required.contains(name) else { return }
    var code: Int32 = 4
    if case .failed = obstacle { code = 99 }
    throw Obstacle(code: code, message: "--require: \(name): \(obstacle.sentence)")
  }

  /// Runs the repetitions.
  ///
  /// - Parameter isPrecise: For `--until`: whether the intervals are narrow enough. It is asked
  ///   after each repetition from the tenth on, and at the end.
  package mutating func run(isPrecise: (RunRecord) -> Bool) throws(SystemError) -> RunRecord {
    Descriptor.ignoreSignalsOfWriting()
    let folder = try TemporaryFolder()
    var repetition = 0
    repeat {
      repetition += 1
      guard try repeatOnce(repetition, folder.path) else {
        for index in runs.indices { runs[index].drop(repetition) }
        let interrupt = Interrupt()
        record.interruption = interrupt.exitCode == 128 + SIGTERM ? "SIGTERM" : "SIGINT"
        break
      }
    } while runs.contains(where: \.isOpen) && mustGoOn(after: repetition, isPrecise)
    record.notes += result.shortfalls(isPrecise: options.until == nil || isPrecise(result))
    for run in runs where run.lacksFloor {
      record.notes.append(
        "\(run.title): answers that no plan gives were not checked, because the floor was not measured"
      )
    }
    return result
  }

  /// The record so far.
  package var result: RunRecord {
    var result = record
    result.workloads = runs.map(\.record)
    return result
  }

  private mutating func repeatOnce(_ repetition: Int, _ folder: String) throws(SystemError) -> Bool
  {
    for index in runs.indices {
      let isWhole = try runs[index].repeatOnce(
        repetition, options: options, folder: folder, progress: progress)
      if !isWhole || Interrupt().isRequested { return false }
    }
    return true
  }

  private func mustGoOn(after repetition: Int, _ isPrecise: (RunRecord) -> Bool) -> Bool {
    guard repetition >= options.repetitions else { return true }
    guard options.until != nil, repetition < RunOptions.mostRepetitions else { return false }
    return repetition < RunOptions.usualRepetitions || !isPrecise(result)
  }
}
