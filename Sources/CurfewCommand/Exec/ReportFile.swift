import CurfewSystem
import CurfewText
import Foundation

/// The file for the report of a run. It is opened before the command is started, so that a path
/// that cannot be written is an error in time.
struct ReportFile {
  private let path: String
  private let descriptor: Descriptor

  /// Creates or empties the file; `-` is standard error. An existing file has to be empty or
  /// a report.
  /// - Parameter others: The files that must not be overwritten, with their roles in the run.
  init(_ path: String, besides others: [(path: String, role: String)]) throws {
    self.path = path
    guard path != "-" else {
      descriptor = .standardError
      return
    }
    try Console.check(path, "--report", besides: others)
    try ReportFile.check(path)
    let isNew = access(path, F_OK) != 0
    do { descriptor = try Descriptor(path: path) } catch {
      throw SystemError(code: error.code, attempt: "open \(path) for writing")
    }
    // Two names of a file that did not exist.
    do { try Console.check(path, "--report", besides: others) } catch {
      // An empty journal must not stay behind. The path may be a link.
      if isNew { FileBytes.remove(path) }
      throw error
    }
  }

  /// Refuses to replace the file of a standard stream, and a regular file that is no report.
  private static func check(_ path: String) throws(Refusal) {
    if let stream = Descriptor.stream(at: path) {
      throw Refusal("--report \(path) would overwrite \(stream); '-' reports on standard error")
    }
    guard Descriptor.isSameFile(path, path) else { return }
    let beginning: ArraySlice<UInt8>
    do { beginning = try FilePieces(path).next() } catch {
      let reason = if case .failed(let text) = error { text } else { "it cannot be read" }
      throw Refusal("--report \(path): \(reason), so it may be no report")
    }
    guard beginning.isEmpty || beginning.starts(with: #"{"curfew":"exec/"#.utf8) else {
      throw Refusal("--report \(path): the file is neither empty nor a report of exec")
    }
  }

  /// Writes the report.
  func write(_ result: ExecResult) throws(SystemError) {
    // A run that was denied meanwhile may have written its own.
    descriptor.empty()
    let line = Array((ExecResult.form.json(result).closed + "\n").utf8)
    do throws(SystemError) {
      if let failure = descriptor.write(line) { throw failure.error }
      if path != "-" { try descriptor.close() }
    } catch {
      throw SystemError(code: error.code, attempt: "write \(path == "-" ? "the report" : path)")
    }
  }
}
