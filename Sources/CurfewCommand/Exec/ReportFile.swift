import CurfewSystem
import CurfewText

/// The file for the report of a run. It is opened before the command is started, so that a path
/// that cannot be written is an error in time.
struct ReportFile {
  private let path: String
  private let descriptor: Descriptor

  /// Creates or empties the file; `-` is standard error.
  /// - Parameter others: The files that must not be overwritten, with their roles in the run.
  init(_ path: String, besides others: [(path: String, role: String)]) throws {
    self.path = path
    guard path != "-" else {
      descriptor = .standardError
      return
    }
    try Console.check(path, "--report", besides: others)
    do { descriptor = try Descriptor(path: path) } catch {
      throw SystemError(code: error.code, attempt: "open \(path) for writing")
    }
    // Two names of a file that did not exist.
    try Console.check(path, "--report", besides: others)
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
