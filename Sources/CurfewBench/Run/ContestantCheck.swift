package import CurfewSystem
import Foundation

/// A conversation with one contestant about tiny plans, to find mistakes while it is written.
package struct ContestantCheck {
  /// The outcome in one workload, or the reason why the contestant cannot be run at all.
  package struct Finding: Sendable, Hashable {
    /// The workload; the contestant if it cannot be run.
    package var place: String
    package var outcome: ContestantRecord.Outcome
  }

  private let contender: Contender
  private let patience: Double

  package init(
    _ file: ContestantFile, in suite: Suite, patience: Double = ContestantProcess.usualPatience
  ) {
    contender = Contender(file, in: suite)
    self.patience = patience
  }

  /// Builds the contestant, and runs each of its workloads with a warm-up and one segment.
  package func run(progress: (String) -> Void) throws(SystemError) -> [Finding] {
    Descriptor.ignoreSignalsOfWriting()
    var contender = contender
    var shared: [String: String?] = [:]
    contender.prepare(&shared)
    if Interrupt().isRequested { return [Finding(place: contender.name, outcome: .interrupted)] }
    if let obstacle = contender.obstacle {
      return [Finding(place: contender.name, outcome: obstacle)]
    }
    let folder = try TemporaryFolder()
    var findings: [Finding] = []
    for kind in WorkloadKind.all where contender.file.takesPart(in: kind) {
      progress("\(contender.name): \(kind.name)")
      var options = RunOptions()
      (options.repetitions, options.patience) = (1, patience)
      var run = WorkloadRun(kind, size: kind.tinySize, shape: nil, among: [contender])
      let isWhole = try run.repeatOnce(1, options: options, folder: folder.path) { _ in }
      findings.append(
        Finding(
          place: kind.name,
          outcome: isWhole ? run.record.contestants[0].outcome : .interrupted))
      if !isWhole { break }
    }
    return findings
  }
}

/// A folder for plans, removed at the end of its life.
final class TemporaryFolder {
  let path: String

  init() throws(SystemError) {
    path = NSTemporaryDirectory() + "curfew-bench-\(UUID().uuidString)"
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true)
    } catch { throw SystemError(attempt: "create the folder \(path)") }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
