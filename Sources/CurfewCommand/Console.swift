import ArgumentParser
import CurfewEngine
import CurfewManifest
import CurfewText
import Foundation

/// Where a command's words go: results to standard output and to files, messages and progress to standard error.
///
/// What any of them cannot take is handled here and nowhere else, see `finish()`. Standard error that goes away is nobody's loss.
final class Console {
  /// Whether and how to emphasise.
  let style: TextStyle
  /// Whether a person sees standard error as it comes.
  let showsProgress: Bool
  private let standardOutput = LineWriter.standardOutput()
  private var files: [LineWriter] = []
  /// Files that could not be opened.
  private var refused: [OutputLoss] = []
  private let clock = ContinuousClock()
  private var lastLook: ContinuousClock.Instant
  private var questions = 0

  init(environment: [String: String] = ProcessInfo.processInfo.environment) {
    let isColorful = isatty(STDOUT_FILENO) != 0 && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    style = isColorful ? .ansi : .plain
    showsProgress = isatty(STDERR_FILENO) != 0
    lastLook = clock.now
    // A reader that goes away ends the program, but not before the lines that are on their way to other files are there.
    signal(SIGPIPE, SIG_IGN)
    // A file that has reached its greatest size is told like a disk that is full.
    signal(SIGXFSZ, SIG_IGN)
  }

  /// Prints a result, with a line end.
  func print(_ text: String) throws(OutputLoss) { try standardOutput.write(text) }

  /// Gives what was printed to standard output.
  func flush() throws(OutputLoss) { try standardOutput.flush() }

  /// Makes a file for results, or empties it. It is closed with the command, if not before.
  func open(_ path: String) throws(OutputLoss) -> LineWriter {
    do {
      let file = try LineWriter(path: path)
      files.append(file)
      return file
    } catch {
      refused.append(error)
      throw error
    }
  }

  /// Says something about the run.
  func tell(_ text: String) {
    try? flush()
    _ = Array((text + "\n").utf8).write(to: STDERR_FILENO)
  }

  /// Writes over the present line of the terminal.
  func overwriteProgress(_ text: String) { _ = Array("\r\u{1b}[2K\(text)".utf8).write(to: STDERR_FILENO) }

  // MARK: Losses

  private var outputs: [LineWriter] { [standardOutput] + files }

  /// How often readers get what there is, and it is looked whether they are still there.
  private static let patience = Duration.milliseconds(100)

  /// Whether a result has nowhere to go, so that there is no use in going on; `check()` throws it then. To be asked between steps.
  ///
  /// It is found out also where little or nothing is printed: a reader that has read enough ends a run of minutes at once.
  var isCutOff: Bool {
    questions += 1
    if questions % 16 == 0, clock.now - lastLook > Console.patience {
      lastLook = clock.now
      for output in outputs {
        try? output.flush()
        try? output.lookForReader()
      }
    }
    return standardOutput.isCutOff || files.contains(where: \.isCutOff)
  }

  /// Throws if a result has nowhere to go.
  func check() throws(OutputLoss) {
    for output in outputs { try output.check() }
  }

  /// Brings every line to its place, closes the files, and says which could not take theirs.
  ///
  /// - Returns: With which code that ends the program, whatever else it has come to; nil where nothing is lost.
  func finish() -> ExitCode? {
    for output in outputs { try? output.close() }
    let losses = refused + outputs.compactMap(\.loss)
    let failures = losses.filter { !$0.isReaderGone }
    for loss in failures { tell("\(loss.name): error: \(loss.error)") }
    if losses.isEmpty { return nil }
    return failures.isEmpty ? .readerGone : .failure
  }
}

/// Emphasis, or none.
enum TextStyle {
  case plain, ansi

  func bold(_ text: String) -> String { wrap(text, "1") }
  func dim(_ text: String) -> String { wrap(text, "2") }
  func red(_ text: String) -> String { wrap(text, "31") }
  func yellow(_ text: String) -> String { wrap(text, "33") }

  private func wrap(_ text: String, _ code: String) -> String {
    switch self {
    case .plain: text
    case .ansi: "\u{1b}[\(code)m\(text)\u{1b}[0m"
    }
  }
}

/// How far a run is, on a terminal, for runs that take long enough to wonder.
struct Progress {
  private let console: Console
  private let clock = ContinuousClock()
  private let start: ContinuousClock.Instant
  private var last: ContinuousClock.Instant
  private var lines = 0
  private var isShown = false

  init(_ console: Console) {
    self.console = console
    start = clock.now
    last = start
  }

  mutating func at(_ instant: Instant) {
    lines += 1
    let lines = lines
    if lines % 1024 == 0 { show("\(HumanTime.text(instant)) simulated, \(lines) lines") }
  }

  /// Shows `text`, unless it is too soon for that.
  mutating func show(_ text: @autoclosure () -> String) {
    guard console.showsProgress, clock.now - last > .milliseconds(200), clock.now - start > .seconds(1) else { return }
    last = clock.now
    isShown = true
    console.overwriteProgress(text())
  }

  mutating func finish() {
    if isShown { console.overwriteProgress("") }
    isShown = false
  }
}
