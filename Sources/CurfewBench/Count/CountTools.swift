internal import CurfewSystem
internal import Foundation

/// The programs that count: the compiler, the executable `contestants`, and valgrind.
package struct CountTools: Sendable {
  /// The reason why nothing can be counted. Its case decides the exit code.
  package enum Failure: Error {
    /// A program or a file is missing.
    case missing(String)
    /// The work had a wrong result: a mistake in Curfew.
    case wrong(String)
    /// A program failed.
    case failed(String)
    case interrupted
  }

  /// The names of all works, in Benchmarks/Contestants/counts/Works.swift. They are known before
  /// anything is built.
  package static let works = [
    "cycle-10000", "cycle-100000", "begin-end-engine", "begin-end-plain", "begin-end", "expiration",
    "wake-admitted", "wake-denied", "purge", "fleet", "trace-write", "trace-replay", "policy",
  ]

  /// The works whose events allocate nothing. Only storage that grows does.
  private static let withoutAllocations = [
    "cycle-10000", "cycle-100000", "begin-end-engine", "begin-end-plain",
  ]
  /// The instructions that allocations may take in such a work, because storage still grows. One
  /// allocation for each of its tens of thousands of events takes a hundred times as many.
  private static let allocationLimit = 5_000

  /// The line that installs valgrind.
  package static let installation = "apt-get install valgrind"
  /// The function in which instructions are counted, in Benchmarks/Contestants/counts/Count.swift.
  private static let countedFunction = "curfew_counted"

  /// The executable `contestants`.
  package let binary: String

  /// Takes the executable at `binary`.
  package init(binary: String) throws(Failure) {
    guard access(binary, X_OK) == 0 else {
      throw .missing("\(binary): it is not a program that can be run")
    }
    self.binary = binary
    guard Self.isInstalled("valgrind") else {
      throw .missing("valgrind is missing; install it with: \(Self.installation)")
    }
  }

  /// Builds the executable in the package in `folder`.
  package init(buildingIn folder: String) throws(Failure) {
    let build = [
      "swift", "build", "-c", "release", "--package-path", folder, "--product", "contestants",
    ]
    let result = try Self.run(build)
    guard result.code == 0 else {
      throw .failed("\(build.joined(separator: " ")): exit code \(result.code)\n\(result.output)")
    }
    let path = try Self.run(build.dropLast(2) + ["--show-bin-path"])
    let folder = path.output.split(whereSeparator: \.isNewline).last.map { String($0) } ?? ""
    try self.init(binary: folder + "/contestants")
  }

  /// The compiler and the architecture of this machine.
  package static func build() throws(Failure) -> CountBuild {
    let result = try run(["swift", "--version"])
    guard result.code == 0, let build = CountBuild(versionText: result.output) else {
      throw .failed("swift --version: exit code \(result.code)\n\(result.output)")
    }
    return build
  }

  /// Throws if the executable does not have exactly these works.
  package func checkWorks() throws(Failure) {
    let result = try Self.run([binary, "count", "--list"])
    guard result.code == 0 else {
      throw .failed("\(binary) count --list: exit code \(result.code)\n\(result.output)")
    }
    let found = result.output.split(whereSeparator: \.isNewline).map { String($0) }
    guard found != Self.works else { return }
    throw .missing(
      "\(binary): it is not the program 'contestants' of this version; its works are \(found.isEmpty ? "none" : found.joined(separator: ", ").prefix(500).description), not \(Self.works.joined(separator: ", "))"
    )
  }

  /// Counts the instructions of one work.
  package func count(_ name: String) throws(Failure) -> InstructionCount {
    let file = NSTemporaryDirectory() + "callgrind-\(UUID().uuidString)"
    defer { unlink(file) }
    let result = try Self.run([
      "valgrind", "-q", "--tool=callgrind", "--toggle-collect=\(Self.countedFunction)",
      "--callgrind-out-file=\(file)", binary, "count", name,
    ])
    switch result.code {
    case 0: break
    case 6: throw .wrong(result.output)
    default: throw .failed("\(name) under valgrind: exit code \(result.code)\n\(result.output)")
    }
    do {
      let text = String(decoding: try FileBytes.read(file, limit: 1 << 28), as: UTF8.self)
      let profile = try CallgrindProfile(text, name: "callgrind's output for \(name)")
      guard profile.total > 0 else {
        throw Failure.failed("\(name): \(Self.countedFunction) was not called")
      }
      if let complaint = Self.complaint(about: profile, of: name) { throw Failure.wrong(complaint) }
      return InstructionCount(name: name, profile)
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Interrupt().isRequested ? .interrupted : .failed("\(name): \(error)")
    }
  }

  /// The mistake of a work that allocates memory for its events; nil if it may, or does not.
  package static func complaint(about profile: CallgrindProfile, of name: String) -> String? {
    guard withoutAllocations.contains(name), profile.allocation > allocationLimit else {
      return nil
    }
    return "\(name): allocations take \(profile.allocation) instructions, not \(allocationLimit)"
  }

  private static func isInstalled(_ program: String) -> Bool {
    let paths = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return paths.split(separator: ":").contains { access("\($0)/\(program)", X_OK) == 0 }
  }

  /// Runs a program that is found on PATH or is an absolute path, with its standard error among its
  /// output. Hashes are the same in every process, and libraries are bound at the start.
  private static func run(_ arguments: [String]) throws(Failure) -> (output: String, code: Int32) {
    let words = arguments.map { "'\($0.replacing("'", with: "'\\''"))'" }.joined(separator: " ")
    let child: ChildProcess
    do {
      child = try ChildProcess(
        shell: "exec \(words) 2>&1", in: FileManager.default.currentDirectoryPath,
        environment: ["SWIFT_DETERMINISTIC_HASHING": "1", "LD_BIND_NOW": "1"],
        errors: "/dev/null")
    } catch { throw .failed("\(arguments[0]) cannot be started: \(error)") }
    child.closeInput()
    var lines: [String] = []
    while true {
      switch child.hear(within: limit) {
      case .line(let line): lines.append(String(decoding: line, as: UTF8.self))
      case .end(let rest):
        lines.append(String(decoding: rest, as: UTF8.self))
        let output = lines.joined(separator: "\n").trimmingCharacters(in: .whitespacesAndNewlines)
        return try (output, code(of: child, words, output))
      case .interrupted: throw .interrupted
      case .silence, .overlong: throw .failed("\(words): it takes too long, or prints no lines")
      }
    }
  }

  /// Waits for the end of a program that has closed its output.
  private static func code(of child: ChildProcess, _ words: String, _ output: String)
    throws(Failure) -> Int32
  {
    switch child.ending(within: limit) {
    case .exited(let code): return code
    case .signaled: throw .failed("\(words): it was ended by a signal\n\(output)")
    case nil: throw Interrupt().isRequested ? .interrupted : .failed("\(words): it does not end")
    }
  }

  /// The seconds for which a program may print nothing. A build is silent for minutes.
  private static let limit = 1_800.0
}
