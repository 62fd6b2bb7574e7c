import ArgumentParser
import CurfewConsole
import CurfewSystem
import CurfewText

/// `curfew doctor`: what `curfew exec` can promise on this system.
struct DoctorCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Shows what 'curfew exec' can promise here, and what is missing.",
    discussion: """
      Each thing that exec uses is tried and gets a line, with the consequence if it is missing.

      Exit codes: 0 the whole promise holds; 7 a part of it; 1 exec cannot run here at all; 64 usage; 141 the reader of the output is gone.
      """)

  @Flag(help: "Print the result as JSON.")
  var json = false

  func run(on console: Console) throws {
    let result = DoctorResult(means: ProcessMeans.all())
    if json {
      try console.print(DoctorResult.form.json(result).closed)
    } else {
      for line in result.lines { try console.show(line, margin: 13) }
    }
    switch result.promise {
    case .whole: return
    case .part: throw ExitCode.inconclusive
    case .none: throw ExitCode.failure
    }
  }
}

/// The means that were found, and what follows.
struct DoctorResult {
  let means: [ProcessMeans]

  /// How much of the promise of `exec` holds.
  enum Promise: String, CaseIterable { case whole, part, none }

  var promise: Promise {
    let missing = Set(means.filter { $0.problem != nil }.map(\.name))
    if missing.contains(.linux) || missing.contains(.pidfd) { return .none }
    // Without both, a tree could not be killed.
    if missing.isSuperset(of: [.cgroup, .processTable]) { return .none }
    return missing.isEmpty ? .whole : .part
  }

  /// Lines for people.
  var lines: [String] {
    means.map { means in
      let name = pad(means.name.rawValue, 13, .left)
      return means.problem.map { "\(name)missing: \($0). \(means.name.consequence)" }
        ?? "\(name)\(means.found)"
    } + [sentence]
  }

  private var sentence: String {
    switch promise {
    case .whole: "exec keeps its whole promise here."
    case .part: "exec runs here, and keeps a part of its promise."
    case .none: "exec cannot run here."
    }
  }

  /// `doctor/1`.
  static let form = ResultForm<DoctorResult>(
    "The promise of `curfew exec` here: one object on one line.",
    [
      .format("doctor/1"),
      .text("promise", words: Promise.allCases.map(\.rawValue)) { $0.promise.rawValue },
      .objects("means", meansForm, "Everything that exec uses.") { $0.means },
    ])

  private static let meansForm = ResultForm<ProcessMeans>(
    "",
    [
      .text("name", words: ProcessMeans.Name.allCases.map(\.rawValue)) { $0.name.rawValue },
      .flag("holds") { $0.problem == nil },
      .text("found", "The thing that was found.", optional: true) {
        $0.problem == nil ? $0.found : nil
      },
      .text("problem", "Why it is missing.", optional: true) { $0.problem },
      .text("consequence", "The part of the promise that does not hold.", optional: true) {
        $0.problem == nil ? nil : $0.name.consequence
      },
    ])
}

extension ProcessMeans.Name {
  /// The part of the promise of `exec` that does not hold without it.
  var consequence: String {
    switch self {
    case .linux: "exec cannot start a command."
    case .clone3: "A command cannot be started in a cgroup."
    case .pidfd: "exec cannot signal a command safely, and does not start it."
    case .cgroup:
      "If exec is killed with SIGKILL, processes that the command has started may run on; --require-cgroup refuses to start."
    case .cgroupKill: "A tree is killed process by process, which takes longer."
    case .processTable:
      "Processes that have left the command's cgroup cannot be found; without a cgroup, exec does not start a command."
    case .realTimePriority: "Warnings are later while the machine is busy."
    }
  }
}
