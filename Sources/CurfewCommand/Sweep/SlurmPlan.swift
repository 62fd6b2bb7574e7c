import CurfewExperiments
import CurfewText
import Foundation

/// A sweep as a Slurm job array: one task for each part of the runs, and a job that joins their
/// results when all are done.
///
/// Each attempt of a task writes its own file, which is renamed when it is complete. If a node
/// fails, its attempt is lost and Slurm starts the task again. If only the node's daemon fails,
/// the attempt continues, so a part may be performed twice, even at the same time. The merge takes
/// each run once and checks that both files have the same results.
struct SlurmPlan {
  /// The absolute path of the `curfew` program for the nodes; the paths below are also absolute.
  let program: String
  let experiment: String
  let output: String
  let name: String
  /// The number of parts.
  let shards: Int
  /// The number of threads of each task.
  let threads: Int
  /// The user's own `#SBATCH` options: `--partition=long`.
  let options: [String]
  /// Whether the final sweep may add runs to those of another build.
  var mixesBuilds = false

  /// The folder of the parts, the scripts and the tasks' logs.
  var folder: String { output + ".slurm" }

  /// The parts without a complete file.
  var missing: [Int] {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return (1...shards).filter { shard in
      !files.contains { $0.hasPrefix("shard-\(shard)-of-\(shards).") && $0.hasSuffix(".sqlite") }
    }
  }

  /// The script of the array.
  func arrayScript(_ shards: [Int]) -> String {
    """
    #!/bin/bash
    #SBATCH --job-name=\(jobName)
    #SBATCH --array=\(shards.map(String.init).joined(separator: ","))
    #SBATCH --cpus-per-task=\(threads)
    #SBATCH --requeue
    #SBATCH --open-mode=append
    #SBATCH --output=\(Self.directive(folder + "/shard-"))%a.log
    \(options.map { "#SBATCH \($0)\n" }.joined())set -euo pipefail
    part=$SLURM_ARRAY_TASK_ID
    attempt=\(Self.quoted(folder))/shard-$part-of-\(self.shards).$SLURM_JOB_ID-${SLURM_RESTART_COUNT:-0}
    \(Self.quoted(program)) sweep \(Self.quoted(experiment)) --shard "$part/\(self.shards)" --jobs \(threads) --output "$attempt.partial"
    mv "$attempt.partial" "$attempt.sqlite"

    """
  }

  /// The script that joins the parts and then compares the variants. An undecided experiment does
  /// not fail the job.
  var mergeScript: String {
    """
    #!/bin/bash
    #SBATCH --job-name=\(jobName)-merge
    #SBATCH --output=\(Self.directive(folder + "/merge.log"))
    \(options.map { "#SBATCH \($0)\n" }.joined())set -euo pipefail
    \(Self.quoted(program)) merge \(Self.quoted(output)) \(Self.quoted(folder))/shard-*-of-\(shards).*.sqlite
    \(Self.quoted(program)) sweep \(Self.quoted(experiment)) --jobs \(threads) --output \(Self.quoted(output))\(mixesBuilds ? " --mixed-builds" : "") || [ $? = 7 ]

    """
  }

  /// The scripts that would be submitted, and the commands.
  ///
  /// - Parameter runs: The number of runs of the whole sweep.
  func dryRun(runs: Int) -> String {
    let missing = missing
    let merge =
      missing.isEmpty ? "sbatch" : "sbatch --dependency=afterok:ARRAY --kill-on-invalid-dep=yes"
    let array =
      missing.isEmpty
      ? ""
      : "# sbatch \(folder)/array.sh: \(HumanCount.text(missing.count, "part")) with \((runs + shards - 1) / shards) runs at most each\n"
        + arrayScript(missing) + "\n"
    return array + "# \(merge) \(folder)/merge.sh\n" + mergeScript
  }

  private var jobName: String {
    "curfew-" + name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
  }

  /// Quotes one word for a line of `#SBATCH`: Slurm interprets quotes and backslashes there,
  /// and `%` as the start of a pattern.
  private static func directive(_ text: String) -> String {
    text.map {
      $0.isWhitespace || "\"'\\#".contains($0) ? "\\\($0)" : $0 == "%" ? "%%" : String($0)
    }.joined()
  }

  /// Quotes one word for a shell.
  static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }

  /// Writes the scripts and submits them: the array of the missing parts, then the merge.
  ///
  /// - Returns: A sentence about what was submitted.
  func submit() throws(Refusal) -> String {
    let missing = missing
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try arrayScript(missing).write(
        toFile: folder + "/array.sh", atomically: true, encoding: .utf8)
      try mergeScript.write(toFile: folder + "/merge.sh", atomically: true, encoding: .utf8)
    } catch {
      throw Refusal("\(folder): \(error.localizedDescription)")
    }
    guard !missing.isEmpty else {
      let merge = try Self.sbatch([folder + "/merge.sh"])
      return "all \(shards) parts exist; the merge is job \(merge)"
    }
    let array = try Self.sbatch([folder + "/array.sh"])
    let merge = try Self.sbatch([
      "--dependency=afterok:\(array)", "--kill-on-invalid-dep=yes", folder + "/merge.sh",
    ])
    return
      "\(missing.count) of \(HumanCount.text(shards, "part")) are job \(array), the merge is job \(merge); after the merge, the results are in \(output). "
      + "The same command submits failed parts again"
  }

  /// - Returns: The job's number.
  private static func sbatch(_ arguments: [String]) throws(Refusal) -> String {
    let (process, output, errors) = (Process(), Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["sbatch", "--parsable"] + arguments
    (process.standardOutput, process.standardError) = (output, errors)
    do { try process.run() } catch {
      throw Refusal("sbatch cannot be run: \(error.localizedDescription)")
    }
    let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let complaint = String(
      decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      let words = complaint.split(whereSeparator: \.isNewline).joined(separator: " ")
      throw Refusal("sbatch ended with \(process.terminationStatus): \(words)")
    }
    return said.trimmingCharacters(in: .whitespacesAndNewlines).split(separator: ";").first.map(
      String.init) ?? ""
  }
}
