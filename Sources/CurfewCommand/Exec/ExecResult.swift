import CurfewPolicy
import CurfewText
import Foundation

/// The report of `curfew exec`.
struct ExecResult {
  /// The exit code of `exec`.
  var exitCode: Int32
  /// The name of the command's app.
  var name = ""
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
    /// Whether waiting alone never ends the denial.
    var isPermanent = false
    var causes: [Cause] = []
  }

  /// The cause of a reason.
  struct Cause {
    let text: String
    /// The place in the policy's files.
    var place: SourcePlace?
    /// The option that has set the value.
    var option: String?

    init(_ explanation: Explanation, under policy: PolicyFile) {
      guard case .at(let place) = explanation.place else {
        text = explanation.because
        return
      }
      // A value that an option has set has the value's path in the place of a file.
      guard policy.settings.contains(where: { $0.path == place.file }) else {
        (text, self.place) = (explanation.because, place)
        return
      }
      let option = "--policy-set \(place.file)"
      text = explanation.because.replacing("(\(place)", with: "(\(option)")
      self.option = option
    }
  }

  /// `exec/1`.
  static let form = ResultForm<ExecResult>(
    "The course of a command: one object on one line.",
    [
      .format("exec/1"), .count("exit", "The exit code of exec.") { $0.exitCode },
      .text("name", "The name of the command's app.") { $0.name },
      .text(
        "signal", "The signal that ended the command, by its name or its number.", optional: true
      ) { $0.run.signal.map(SignalName.text) },
      .time("grantedAt", "When the grant began, since the boot (CLOCK_BOOTTIME)", optional: true) {
        $0.run.grantedAt
      },
      .time(
        "length", "The length of the grant. A budget of run time may end it earlier",
        optional: true
      ) { $0.run.length },
      .time("warnedAt", "When the command was warned, since the boot", optional: true) {
        $0.run.warnedAt
      },
      .time("warnedLate", "How late the warning was", optional: true) { $0.run.warnedLate },
      .text(
        "limit", "The limit behind the warning, or behind the end of the grant.", optional: true,
        words: GrantedRun.Limit.allCases.map(\.rawValue)
      ) { $0.run.limit?.rawValue },
      .time(
        "endedAt", "When the command had ended and its tree was killed, since the boot",
        optional: true
      ) { $0.run.endedAt },
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
      .flag(
        "permanent", "Whether waiting alone never ends the denial, only other values of the policy."
      ) { $0.isPermanent },
      .objects("because", becauseForm, "The cause of each reason.") { $0.causes },
    ])

  private static let becauseForm = ResultForm<Cause>(
    "",
    [
      .text("cause") { $0.text },
      .text("file", "The file of the policy.", optional: true) { $0.place?.file },
      .count("line", optional: true) { $0.place?.line },
      .count("column", optional: true) { $0.place?.column },
      .text("option", "The option that has set the value, if no file has.", optional: true) {
        $0.option
      },
    ])
}
