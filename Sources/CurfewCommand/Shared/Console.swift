import ArgumentParser
import CurfewEngine
import CurfewSystem
import CurfewText
import Foundation

/// What a command runs in. Its words go through here, results to standard output and to files,
/// messages and progress to standard error; and from here it hears whether it is to go on.
///
/// What any of them cannot take is handled here and nowhere else, see `finish()`. Standard error
/// that goes away is nobody's loss.
final class Console {
  /// What results for a person are laid out for.
  let screen: Screen
  /// How many columns standard error has, where a person sees it as it comes.
  private let progressWidth: Int?
  /// The same for whole lines: nothing where it is no terminal.
  private let messageWidth: Int?
  /// Whether messages are for a program, one JSON object on a line each.
  private let tellsJSON: Bool
  private let standardOutput = LineWriter.standardOutput()
  private var files: [LineWriter] = []
  /// Files that could not be opened.
  private var refused: [OutputLoss] = []
  private let clock = ContinuousClock()
  private var lastLook: ContinuousClock.Instant
  private var questions = 0
  let interrupt = Interrupt()

  init(tellsJSON: Bool = false, environment: [String: String] = ProcessInfo.processInfo.environment)
  {
    self.tellsJSON = tellsJSON
    screen = Screen(of: .standardOutput, environment: environment)
    progressWidth = Descriptor.standardError.columns
    messageWidth =
      Descriptor.standardError.isTerminal ? screen.columns ?? progressWidth ?? screen.width : nil
    lastLook = clock.now
    Descriptor.ignoreSignalsOfWriting()
  }

  /// Prints a result, with a line end.
  func print(_ text: String) throws(OutputLoss) { try standardOutput.write(text) }

  /// Prints a result for a person, in the characters that the terminal has.
  func show(_ text: String) throws(OutputLoss) { try print(screen.inCharacters(text)) }

  /// Gives what was printed to standard output.
  func flush() throws(OutputLoss) { try standardOutput.flush() }

  /// Makes a file for results, or empties it; `-` is standard output. It is closed with the
  /// command, if not before.
  func open(_ path: String) throws(OutputLoss) -> LineWriter {
    if path == "-" { return standardOutput }
    do {
      let file = try LineWriter(path: path)
      files.append(file)
      return file
    } catch {
      // Who waited for a pipe's reader does not any more.
      if !interrupt.isRequested { refused.append(error) }
      throw error
    }
  }

  /// Makes a file that `option` names, unless that is one of others, each with what it is to
  /// the run.
  func open(_ path: String, _ option: String, besides others: [(path: String, role: String)]) throws
    -> LineWriter
  {
    let isDevice = path.hasPrefix("/dev/") || path.hasPrefix("/proc/")
    let others = others + (isDevice ? [] : [("/dev/stdout", "is standard output")])
    if let other = others.first(where: { Descriptor.isSameFile($0.path, path) }) {
      throw Refusal("\(option) \(path) would overwrite \(other.path), which \(other.role)")
    }
    return try open(path)
  }

  /// Says something about the run.
  func tell(_ message: Message) {
    try? flush()
    var lines = [tellsJSON ? message.json : screen.inCharacters(message.description)]
    if !tellsJSON, let messageWidth, let quote = message.quote, let place = message.place {
      lines += Excerpt.lines(quote, line: place.line, columns: messageWidth, screen)
    }
    _ = Descriptor.standardError.write(Array(lines.flatMap { ($0 + "\n").utf8 }))
  }

  func tell(_ kind: Message.Kind, _ text: String) { tell(Message(kind, text)) }

  /// Whether a person sees standard error as it comes.
  var showsProgress: Bool { progressWidth != nil }

  /// Writes over the present line of the terminal.
  func overwriteProgress(_ text: String) {
    let text = screen.plain(text).prefix(columns: max(0, (progressWidth ?? 0) - 1))
    _ = Descriptor.standardError.write(Array("\r\u{1b}[2K\(text)".utf8))
  }

  // MARK: The end

  /// Does what may take long: a signal is answered from here on, not suffered, and it is shown how
  /// far it is. Throws at last if a result has nowhere to go.
  func watch<Result>(_ body: (Progress) throws -> Result) throws -> Result {
    interrupt.listen()
    let progress = Progress(self)
    defer { progress.finish() }
    let result = try body(progress)
    try check()
    return result
  }

  /// Whether somebody wants the run to end, or its result has nowhere to go. To be asked
  /// between steps.
  var isStopped: Bool { interrupt.isRequested || isCutOff }

  /// Says why the command ends; to be thrown.
  func failure(_ message: Message, _ code: ExitCode = .failure) -> ExitCode {
    tell(message)
    return code
  }

  /// Says that it ends because somebody wanted it, and how far it came; to be thrown.
  func interrupted(_ text: String) -> ExitCode {
    failure(Message(.interrupted, text), ExitCode(interrupt.exitCode))
  }

  // MARK: Losses

  private var outputs: [LineWriter] { [standardOutput] + files }

  /// How often readers get what there is, and it is looked whether they are still there.
  private static let patience = Duration.milliseconds(100)

  /// Whether a result has nowhere to go, so that there is no use in going on; `check()` throws it
  /// then. To be asked between steps.
  ///
  /// It is found out also where little or nothing is printed: a reader that has read enough ends
  /// a run of minutes at once.
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
  /// - Returns: With which code that ends the program, whatever else it has come to; nil where
  ///   nothing is lost.
  func finish() -> ExitCode? {
    for output in outputs { try? output.close() }
    let losses = refused + outputs.compactMap(\.loss)
    let failures = losses.filter { !$0.error.isReaderGone }
    for loss in failures { tell(Message(.error, "\(loss.error)", file: loss.name)) }
    if losses.isEmpty { return nil }
    return failures.isEmpty ? .readerGone : .failure
  }
}
