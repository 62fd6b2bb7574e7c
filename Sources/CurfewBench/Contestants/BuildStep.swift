internal import CurfewSystem
internal import CurfewText
import Foundation

/// A contestant in a suite: the folder for its products, its needs, its build and version.
package struct Workshop: Sendable {
  package let file: ContestantFile
  /// The folder for build products, in the environment as `OUT`.
  package let products: String

  package init(_ file: ContestantFile, in suite: Suite) {
    self.file = file
    products = suite.products(of: file)
  }

  package var environment: [String: String] { ["OUT": products] }

  /// The first need that is not there: a program that is not on the path, or a file; nil for none.
  package var missing: String? {
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    return file.needs.first { need in
      need.hasPrefix("/")
        ? access(need, F_OK) != 0 : !folders.contains { access("\($0)/\(need)", X_OK) == 0 }
    }
  }

  /// The time limit of a build. The first build of the Swift contestants compiles the package.
  private static let buildLimit = 1_800.0
  private static let versionLimit = 60.0
  /// A version command that prints this many lines has failed.
  private static let versionLines = 1_000

  /// Builds the contestant, unless its sources and its command are those of the last build.
  ///
  /// - Parameters:
  ///   - version: The tools' version; another one builds again.
  ///   - shared: Commands that have been run and whose products are not in `OUT`, with their
  ///     outcomes. The Swift contestants are one program, and one build.
  /// - Returns: The reason why it failed; nil if it is built.
  package func build(version: String?, shared: inout [String: String?]) -> String? {
    try? FileManager.default.createDirectory(
      atPath: products, withIntermediateDirectories: true)
    guard let command = file.build else { return nil }
    guard command.contains("OUT") else {
      let key = "\(suiteRoot)\n\(command)"
      if let known = shared[key] { return known }
      let outcome = run(command)
      shared[key] = .some(outcome)
      return outcome
    }
    let stamp = "\(products)/built"
    let wanted = sourcesDigest(command, version)
    let found = try? FileBytes.read(stamp, limit: 1 << 10)
    if found.map({ String(decoding: $0, as: UTF8.self) }) == wanted { return nil }
    if let failure = run(command) { return failure }
    if let file = try? Descriptor(path: stamp) {
      _ = file.write(Array(wanted.utf8))
      try? file.close()
    }
    return nil
  }

  private var suiteRoot: String { String(products.dropLast(file.name.count)) }

  private func run(_ command: String) -> String? {
    let log = "\(products)/build.log"
    do {
      let child = try ChildProcess(
        shell: "{ \(command)\n} 1>&2", in: file.folder, environment: environment, errors: log)
      child.closeInput()
      guard let ending = child.ending(within: Workshop.buildLimit) else {
        return Interrupt().isRequested ? "the build was interrupted" : "the build takes too long"
      }
      guard ending == .exited(0) else {
        return "the build \(ending)" + Workshop.tail(of: log)
      }
      return nil
    } catch {
      return "the build: \(error)"
    }
  }

  /// The digest of the command and of all files in the contestant's folder and in `Shared`
  /// beside it.
  private func sourcesDigest(_ command: String, _ version: String?) -> String {
    var digest = TextDigest()
    digest.add("\(command)\n\(version ?? "")\n")
    for folder in [file.folder, "\(file.folder)/../Shared"] {
      let files = FileManager.default.subpaths(atPath: folder) ?? []
      for path in files.sorted() {
        guard let bytes = try? FileBytes.read("\(folder)/\(path)", limit: 1 << 24) else { continue }
        digest.add(path)
        digest.add(bytes)
      }
    }
    return digest.digits
  }

  /// The first line that the version command prints; nil if it fails.
  package func version() -> String? {
    guard let command = file.version,
      let child = try? ChildProcess(
        shell: "{ \(command)\n} 2>&1", in: file.folder, environment: environment,
        errors: "/dev/null")
    else { return nil }
    child.closeInput()
    var (first, count): ([UInt8]?, Int) = (nil, 0)
    while count < Workshop.versionLines,
      case .line(let line) = child.hear(within: Workshop.versionLimit)
    {
      first = first ?? Array(line.prefix(200))
      count += 1
    }
    guard let first, count < Workshop.versionLines,
      child.ending(within: Workshop.versionLimit) == .exited(0)
    else { return nil }
    return String(decoding: first, as: UTF8.self).trimmingCharacters(in: .whitespaces)
  }

  /// The command that runs the contestant. It cannot write more than 64 MiB into a file, so that
  /// its log does not fill the disk.
  var command: String { "{ ulimit -S -f 65536; exec \(file.run)\n}" }

  /// The first line with an error near the end of a log, or else the last line, as the end of
  /// a sentence; empty if there is none.
  package static func tail(of log: String) -> String {
    guard let file = FileHandle(forReadingAtPath: log), let end = try? file.seekToEnd(),
      (try? file.seek(toOffset: end - min(end, 4_096))) != nil,
      let bytes = try? file.read(upToCount: 4_096)
    else { return "" }
    let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
    let line = lines.first { $0.lowercased().contains("error") } ?? lines.last
    return line.map { ": \($0.prefix(200))" } ?? ""
  }
}
