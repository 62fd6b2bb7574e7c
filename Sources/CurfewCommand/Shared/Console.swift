import ArgumentParser
import CurfewConsole
import CurfewEngine
import CurfewSystem
import CurfewText
import Foundation

/// The outputs and the interrupt of a command. It writes results to standard output and to files,
/// messages and progress to standard error, and tells the command whether to continue.
///
/// Failed outputs are handled only here, see `finish()`. If standard error is closed, its messages
/// are dropped silently.
final class Console {
  /// The screen that results for a person are laid out for.
  let screen: Screen
  /// The number of columns of standard error if it is a terminal; nil otherwise.
  private let progressWidth: Int?
  /// The number of columns for whole lines; nil if standard error is not a terminal.
  private let messageWidth: Int?
  /// Whether messages are for a program: each is one JSON object on one line.
  private let tellsJSON: Bool
  private let standardOutput = LineWriter.standardOutput()
  private var files: [LineWriter] = []
  /// Files that could not be opened.
  private var refused: [OutputLoss] = []
  private let clock = ContinuousClock()
  private var lastLook: ContinuousClock.Instant
  private var questions = 0
  let interrupt = Interrupt()
  /// The signals that only this program ignores, and not the programs that it starts.
  let silencedSignals: [Int32]

  init(tellsJSON: Bool = false, environment: [String: String] = ProcessInfo.processInfo.environment)
  {
    self.tellsJSON = tellsJSON
    screen = Screen(of: .standardOutput, environment: environment)
    progressWidth = Descriptor.standardError.columns
    messageWidth =
      Descriptor.standardError.isTerminal ? screen.columns ?? progressWidth ?? screen.width : nil
    lastLook = clock.now
    silencedSignals = Descriptor.ignoreSignalsOfWriting()
  }

  /// Prints a result, with a line end.
  func print(_ text: String) throws(OutputLoss) { try standardOutput.write(text) }

  /// Prints a result for a person, in the characters that the terminal supports.
  func show(_ text: String) throws(OutputLoss) { try print(screen.inCharacters(text)) }

  /// Prints a line for a person, wrapped to the terminal with a margin before all lines but
  /// the first.
  func show(_ line: String, margin: Int) throws(OutputLoss) {
    for line in Screen.wrapped(line, margin: margin, to: screen.textWidth) { try show(line) }
  }

  /// Writes the buffered results to standard output.
  func flush() throws(OutputLoss) { try standardOutput.flush() }

  /// Creates or empties a file for results; `-` is standard output. The file is closed at the end
  /// of the command at the latest.
  func open(_ path: String) throws(OutputLoss) -> LineWriter {
    if path == "-" { return standardOutput }
    do {
      let file = try LineWriter(path: path)
      files.append(file)
      return file
    } catch {
      // If the command was interrupted while it waited for a pipe's reader, the file does not count
      // as refused.
      if !interrupt.isRequested { refused.append(error) }
      throw error
    }
  }

  /// Creates the file that `option` names. Refuses to overwrite one of `others`, which are listed
  /// with their roles in the run.
  func open(_ path: String, _ option: String, besides others: [(path: String, role: String)]) throws
    -> LineWriter
  {
    try Console.check(path, option, besides: others)
    return try open(path)
  }

  /// Refuses to overwrite one of `others`, or the file of standard output.
  static func check(
    _ path: String, _ option: String, besides others: [(path: String, role: String)]
  ) throws(Refusal) {
    let isDevice = path.hasPrefix("/dev/") || path.hasPrefix("/proc/")
    let others = others + (isDevice ? [] : [("/dev/stdout", "is standard output")])
    if let other = others.first(where: { Descriptor.isSameFile($0.path, path) }) {
      throw Refusal("\(option) \(path) would overwrite \(other.path), which \(other.role)")
    }
  }

  /// Prints a message about the run.
  func tell(_ message: Message) {
    try? flush()
    let message = message.namingNearFile
    var lines = [tellsJSON ? message.json : screen.inCharacters(message.description)]
    if !tellsJSON, let messageWidth, let quote = message.quote, let place = message.place {
      lines += Excerpt.lines(quote, line: place.line, columns: messageWidth, screen)
    }
    _ = Descriptor.standardError.write(Array(lines.flatMap { ($0 + "\n").utf8 }))
  }

  func tell(_ kind: Message.Kind, _ text: String) { tell(Message(kind, text)) }

  /// Whether standard error is a terminal.
  var showsProgress: Bool { progressWidth != nil }

  /// Overwrites the current line of the terminal.
  func overwriteProgress(_ text: String) {
    let text = screen.plain(text).prefix(columns: max(0, (progressWidth ?? 0) - 1))
    _ = Descriptor.standardError.write(Array("\r\u{1b}[2K\(text)".utf8))
  }

  // MARK: The end

  /// Runs a long operation. From here on, a signal no longer ends the program but is handled,
  /// and progress is shown. Throws at the end if an output is cut off.
  func watch<Result>(_ body: (Progress) throws -> Result) throws -> Result {
    interrupt.listen()
    let progress = Progress(self)
    defer { progress.finish() }
    let result = try body(progress)
    try check()
    return result
  }

  /// Whether a signal asks the run to end, or an output is cut off. Check it between steps.
  var isStopped: Bool { interrupt.isRequested || isCutOff }

  /// Prints why the command ends, and returns the code to throw.
  func failure(_ message: Message, _ code: ExitCode = .failure) -> ExitCode {
    tell(message)
    return code
  }

  /// Prints that a signal ended the command and how far it got, and returns the code to throw.
  func interrupted(_ text: String) -> ExitCode {
    failure(Message(.interrupted, text), ExitCode(interrupt.exitCode))
  }

  // MARK: Losses

  private var outputs: [LineWriter] { [standardOutput] + files }

  /// The interval at which output is flushed and its readers are checked.
  private static let patience = Duration.milliseconds(100)

  /// Whether an output is cut off, so that continuing is useless; `check()` throws the loss then.
  /// Check it between steps.
  ///
  /// The check works even if little or nothing is printed: when the reader stops reading, even
  /// a long run ends at once.
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

  /// Throws if an output is cut off.
  func check() throws(OutputLoss) {
    for output in outputs { try output.check() }
  }

  /// Flushes and closes all outputs, and prints which of them failed.
  ///
  /// - Returns: The exit code, which replaces that of any other result; nil if nothing is lost.
  func finish() -> ExitCode? {
    for output in outputs { try? output.close() }
    let losses = refused + outputs.compactMap(\.loss)
    let failures = losses.filter { !$0.error.isReaderGone }
    for loss in failures { tell(Message(.error, "\(loss.error)", file: loss.name)) }
    if losses.isEmpty { return nil }
    return failures.isEmpty ? .readerGone : .failure
  }
}
