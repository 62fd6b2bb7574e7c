import CurfewPolicy
import CurfewText
import Foundation

/// The report of `curfew exec`.
struct ExecResult {
  /// The exit code of `exec`.
  var exitCode: Int32
  var run = GrantedRun()
  /// The promise under which the command ran; nil if it did not run.
  var promise: Promise?
  var denial: Denial?

  /// The means that hold the command's tree together.
  enum Promise: String, CaseIterable {
    /// The tree was born in a cgroup, which was killed as a whole.
    case cgroup
    /// `exec` was the parent of the tree's orphans.
    case subreaper
  }

  /// A grant that was denied.
  struct Denial {
    var kind: String
    /// All reasons, or the holder of the journal.
    var reason: String
    /// The wall clock's time in nanoseconds since 1970.
    var allowedFrom: Int64?
    var explanations: [Explanation] = []
  }

  /// `exec/1`.
  static let form = ResultForm<ExecResult>(
    "The course of a command: one object on one line.",
    [
      .format("exec/1"), .count("exit", "The exit code of exec.") { $0.exitCode },
      .text(
        "signal", "The signal that ended the command, by its name or its number.", optional: true
      ) { $0.run.signal.map(SignalName.text) },
      .time("grantedAt", "When the grant began, since the boot (CLOCK_BOOTTIME)", optional: true) {
        $0.run.grantedAt
      },
      .time("warnedAt", "When the command was warned, since the boot", optional: true) {
        $0.run.warnedAt
      },
      .time("warnedLate", "How late the warning was", optional: true) { $0.run.warnedLate },
      .flag("killed", "Whether the command had to be killed.") { $0.run.isKilled },
      .text(
        "promise", "The means that held the command's tree together.", optional: true,
        words: Promise.allCases.map(\.rawValue)
      ) { $0.promise?.rawValue },
      .object("denial", denialForm, "Why the command was not started.", optional: true) {
        $0.denial
      },
    ])

  private static let denialForm = ResultForm<Denial>(
    "",
    [
      .text("kind") { $0.kind }, .text("reason", "All reasons.") { $0.reason },
      .nullableText("allowedFrom", "In UTC; null if no time is known.") {
        $0.allowedFrom.map(WallTime.utc)
      },
      .objects("because", becauseForm, "The cause of each reason.") { $0.explanations },
    ])

  private static let becauseForm = ResultForm<Explanation>(
    "",
    [
      .text("cause") { $0.because },
      .text("file", "The file of the policy.", optional: true) { $0.writtenAt?.file },
      .count("line", optional: true) { $0.writtenAt?.line },
      .count("column", optional: true) { $0.writtenAt?.column },
    ])
}

extension Explanation {
  fileprivate var writtenAt: SourcePlace? { if case .at(let place) = place { place } else { nil } }
}
