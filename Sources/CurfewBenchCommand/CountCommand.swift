internal import ArgumentParser
internal import CurfewBench
internal import CurfewSystem
internal import CurfewText
internal import Foundation

/// `bench count`: instructions under callgrind, compared with the stored counts.
struct CountCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "count",
    abstract:
      "Counts the instructions of fixed amounts of work and compares them with stored counts.",
    discussion: """
      Runs each work once under valgrind's callgrind, on one thread and in virtual time, so the load of the machine does not matter. The stored counts are in Benchmarks/instructions.json, one set for each compiler and architecture; counts of another build are printed and compared with nothing.

      Exit codes: 0 if no count is more than 2 % above its stored count; 4 if valgrind or a stored count is missing, or the file is invalid; 6 if a work has a wrong result, or one whose events need no memory allocates it for them; 64 usage; 99 if a count is more than 2 % above: the functions that grew most are named; 130 and 143 interrupted.
      """)

  @Argument(help: "The works to count; all if none is named.") var names: [String] = []

  @Flag(help: "Store the counts instead of comparing them.") var update = false

  @Option(help: "The executable contestants; if absent, it is built.") var binary: String?

  @Option(help: "The file of stored counts; Benchmarks/instructions.json if absent.")
  var file: String?

  func run() throws {
    Interrupt().listen()
    do {
      throw try runCounts()
    } catch let errors as FileErrors {
      for diagnostic in errors.diagnostics { tell("\(diagnostic)") }
      throw ExitCode(4)
    } catch let mistake as Refusal {
      tell("error: \(mistake)")
      throw ExitCode(64)
    } catch let failure as CountTools.Failure {
      throw report(failure)
    }
  }

  private func runCounts() throws -> ExitCode {
    for name in names where !CountTools.works.contains(name) {
      let hint = NearestName.hint(for: name, among: CountTools.works, "the works are")
      throw Refusal("there is no work '\(name)'\(hint)")
    }
    let folder = Self.folder
    let file = file ?? folder + "/instructions.json"
    // The file is read first, because counting takes minutes.
    var stored = try read(file)
    let tools =
      if let binary { try CountTools(binary: binary) } else {
        try CountTools(buildingIn: folder)
      }
    let build = try CountTools.build()
    try tools.checkWorks()
    let isKnown = stored.counts(of: build) != nil
    if !isKnown, !update {
      let others = stored.sets.map { "\($0.build)" }.joined(separator: "; ")
      tell("there are no stored counts for \(build), so nothing is compared; stored: \(others)")
    }
    var comparisons: [CountComparison] = []
    for name in CountTools.works where names.isEmpty || names.contains(name) {
      let known = stored.counts(of: build)?.first { $0.name == name }
      let comparison = CountComparison(try tools.count(name), stored: known)
      if let (error, _) = Descriptor.standardOutput.write(Array((comparison.line + "\n").utf8)) {
        throw error.isReaderGone ? ExitCode(141) : error
      }
      comparisons.append(comparison)
    }
    if update {
      stored.store(comparisons.map(\.found), of: build, names: CountTools.works)
      try Data(stored.written.utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
      return .success
    }
    return isKnown ? judge(comparisons) : .success
  }

  /// Prints the findings and returns the exit code.
  private func judge(_ comparisons: [CountComparison]) -> ExitCode {
    let fewer = comparisons.filter { $0.verdict == .less }.map(\.found.name)
    if !fewer.isEmpty {
      tell(
        "\(fewer.joined(separator: ", ")): more than \(CountComparison.tolerance) % below the stored count; store it with: bench count --update \(fewer.joined(separator: " "))"
      )
    }
    let unknown = comparisons.filter { $0.verdict == .unknown }.map(\.found.name)
    if !unknown.isEmpty {
      tell(
        "error: no stored count of \(unknown.joined(separator: ", ")); store it with: bench count --update \(unknown.joined(separator: " "))"
      )
    }
    let more = comparisons.filter { $0.verdict == .more }
    for comparison in more {
      tell("failed: \(comparison.line)")
      for growth in comparison.grown {
        tell("  \(HumanCount.text(growth.instructions)) more: \(growth.name)")
      }
    }
    return more.isEmpty ? unknown.isEmpty ? .success : ExitCode(4) : ExitCode(99)
  }

  private func report(_ failure: CountTools.Failure) -> ExitCode {
    switch failure {
    case .missing(let text):
      tell("error: \(text)")
      return ExitCode(4)
    case .wrong(let text):
      tell("error: \(text): a mistake in Curfew, or a work that was changed without its result")
      return ExitCode(6)
    case .failed(let text):
      tell("error: \(text)")
      return .failure
    case .interrupted:
      return ExitCode(Interrupt().exitCode)
    }
  }

  private func read(_ file: String) throws -> CountsFile {
    do {
      let bytes = try FileBytes.read(file, limit: 1 << 24)
      return try CountsFile(SourceFile(name: file, bytes: bytes, limit: 1 << 24))
    } catch let failure as FileBytes.Failure {
      guard case .failed(let reason) = failure else { throw failure }
      // The first update creates the file.
      if update, reason == FileBytes.missing { return CountsFile() }
      throw FileErrors([FileDiagnostic(file: file, reason)])
    }
  }

  private func tell(_ message: String) {
    _ = Descriptor.standardError.write(Array("bench: \(message)\n".utf8))
  }

  /// The folder of the package `Benchmarks`: the one that this program was built in, or the one in
  /// the current folder.
  private static var folder: String {
    let program = FileBytes.identity(of: "/proc/self/exe")
    guard let end = program.firstRange(of: "/.build/")?.lowerBound else { return "Benchmarks" }
    return String(program[..<end])
  }
}

extension CountComparison {
  /// The count and its change, for a person.
  fileprivate var line: String {
    let count = "\(found.name): \(HumanCount.text(found.instructions)) instructions"
    guard let change, let stored else { return count }
    let percent = HumanNumber.decimal(abs(change) * 100, places: 2)
    let direction = change < 0 ? "below" : "above"
    return "\(count), \(percent) % \(direction) the stored \(HumanCount.text(stored.instructions))"
  }
}
