import Foundation

/// A run of the program in its own process, as a user runs it: its output and its exit code.
struct CurfewProcess {
  var output: String
  var messages: String
  var exitCode: Int32

  /// The messages as text for people, even under `--json`.
  var told: [String] {
    messages.split(separator: "\n").map { line in
      guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
        let message = object["message"] as? String
      else {
        return String(line)
      }
      let place = [object["file"] ?? "curfew", object["line"], object["column"]].compactMap {
        $0.map { "\($0)" }
      }.joined(separator: ":")
      let kind =
        object["kind"] as? String == "thresholdCrossed"
        ? "threshold crossed" : object["kind"] as? String ?? ""
      return "\(place): \(kind): \(message)"
    }
  }

  /// The products are in the folder of the test bundle.
  private static let program: URL = {
    let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    var folder = bundle.deletingLastPathComponent()
    while folder.path != "/",
      !FileManager.default.isExecutableFile(atPath: folder.appendingPathComponent("curfew").path)
    {
      folder.deleteLastPathComponent()
    }
    return folder.appendingPathComponent("curfew")
  }()

  /// - Parameters:
  ///   - input: The file for standard input, in `folder` if given; nil for none.
  ///   - output: The file for standard output; nil for a scratch file.
  ///   - environment: Variables added to a UTF-8 locale and the tests' own environment.
  ///   - meanwhile: A closure that is called while the program runs.
  static func run(
    _ arguments: String..., in folder: TemporaryFolder? = nil, input: String? = nil,
    output: String? = nil,
    environment: [String: String] = [:], meanwhile: (Process) throws -> Void = { _ in }
  ) throws -> CurfewProcess {
    try run(
      arguments, in: folder, input: input, output: output, environment: environment,
      meanwhile: meanwhile)
  }

  static func run(
    _ arguments: [String], in folder: TemporaryFolder? = nil, input: String? = nil,
    output: String? = nil,
    environment: [String: String] = [:], meanwhile: (Process) throws -> Void = { _ in }
  ) throws -> CurfewProcess {
    try run(
      program, arguments, in: folder, input: input, output: output, environment: environment,
      meanwhile: meanwhile)
  }

  /// Runs `script` in a shell, in which `"$0"` is the program.
  static func shell(_ script: String, in folder: TemporaryFolder) throws -> CurfewProcess {
    try run(
      URL(fileURLWithPath: "/bin/bash"), ["-c", script, program.path], in: folder, input: nil,
      output: nil, environment: [:],
      meanwhile: { _ in })
  }

  private static func run(
    _ program: URL, _ arguments: [String], in folder: TemporaryFolder?, input: String?,
    output: String?, environment: [String: String],
    meanwhile: (Process) throws -> Void
  ) throws -> CurfewProcess {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    let locale = ["LANG": "C.UTF-8", "LC_ALL": "", "LC_CTYPE": "", "COLUMNS": ""]
    process.environment = ProcessInfo.processInfo.environment.merging(locale) { $1 }.merging(
      environment
    ) { $1 }
    if let folder { process.currentDirectoryURL = folder.url }
    // Files are used instead of pipes, because a pipe that is not emptied blocks its writer.
    let scratch = try TemporaryFolder()
    let (out, err) = (
      scratch.url.appendingPathComponent("out"), scratch.url.appendingPathComponent("err")
    )
    for file in [out, err] { try Data().write(to: file) }
    process.standardOutput = try FileHandle(
      forWritingTo: output.map(URL.init(fileURLWithPath:)) ?? out)
    process.standardError = try FileHandle(forWritingTo: err)
    let source = input.map { folder?.url.appendingPathComponent($0) ?? URL(fileURLWithPath: $0) }
    process.standardInput = try FileHandle(
      forReadingFrom: source ?? URL(fileURLWithPath: "/dev/null"))
    try process.run()
    try meanwhile(process)
    process.waitUntilExit()
    return CurfewProcess(
      output: String(decoding: try Data(contentsOf: out), as: UTF8.self),
      messages: String(decoding: try Data(contentsOf: err), as: UTF8.self),
      exitCode: process.terminationStatus)
  }
}

/// A folder that is deleted with its last reference.
final class TemporaryFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent(
      "curfew-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func write(_ text: String, to name: String) throws { try write(Array(text.utf8), to: name) }
  func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: url.appendingPathComponent(name))
  }
  func read(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: url.appendingPathComponent(name)), as: UTF8.self)
  }
}

#if os(Linux)
  extension Process {
    /// Sends the signal once, as soon as the process has a handler for it.
    func interruptWhenHeard(_ signal: Int32 = SIGINT) throws {
      try waitUntilHeard(signal)
      kill(processIdentifier, signal)
    }

    /// Waits until the process has a handler for the signal or has ended.
    func waitUntilHeard(_ signal: Int32) throws {
      while isRunning, try !catches(signal) { usleep(1_000) }
    }

    /// Whether the process has a handler for the signal; an ignored signal has none.
    func catches(_ signal: Int32) throws -> Bool {
      let status = try String(contentsOfFile: "/proc/\(processIdentifier)/status", encoding: .utf8)
      let caught = status.split(separator: "\n").first { $0.hasPrefix("SigCgt:") }?.dropFirst(7)
        .trimmingCharacters(in: .whitespaces)
      return caught.flatMap { UInt64($0, radix: 16) }.map { $0 & 1 << UInt64(signal - 1) != 0 }
        ?? false
    }
  }
#endif

enum Scenarios {
  /// An upload that outlives its grant.
  static let upload = """
    curfew: scenario/1
    name: An upload
    policy: ios13
    apps:
      com.example.mail:
        endsTasksOnExpiration: false
        on: {didEnterBackground: [{do: beginTask, task: upload}]}
    timeline:
      - {at: 0s, do: launch, app: com.example.mail}
      - {at: 10s, do: home}
    """
}
