import CurfewEngine
import Dispatch
import Foundation

/// Standard output and standard error. Results go to the one, messages and progress to the other.
final class Console {
  /// Whether and how to emphasise.
  let style: TextStyle
  /// Whether a person sees standard error as it comes.
  let showsProgress: Bool
  /// What went wrong with standard output first.
  private(set) var failure: SystemError?
  private var pending: [UInt8] = []

  init(environment: [String: String] = ProcessInfo.processInfo.environment) {
    let isColorful = isatty(STDOUT_FILENO) != 0 && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    style = isColorful ? .ansi : .plain
    showsProgress = isatty(STDERR_FILENO) != 0
    // A reader that goes away, such as `head`, must not take the trace with it.
    signal(SIGPIPE, SIG_IGN)
  }

  /// Prints a result, with a line end.
  func print(_ text: String) {
    pending.append(contentsOf: text.utf8)
    pending.append(UInt8(ascii: "\n"))
    if pending.count >= 1 << 16 { flush() }
  }

  /// Gives what was printed to standard output. A reader that has gone away, such as `head`, is no failure; a full disk is.
  func flush() {
    if let code = write(pending, to: STDOUT_FILENO), code != EPIPE { failure = failure ?? SystemError(code: code, attempt: "write it") }
    pending.removeAll(keepingCapacity: true)
  }

  /// Says something about the run.
  func tell(_ text: String) {
    flush()
    _ = write(Array((text + "\n").utf8), to: STDERR_FILENO)
  }

  /// Writes over the present line of the terminal.
  func overwriteProgress(_ text: String) { _ = write(Array("\r\u{1b}[2K\(text)".utf8), to: STDERR_FILENO) }

  /// Answers the system's error, if there is one.
  private func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
    var done = 0
    while done < bytes.count {
      let count = bytes[done...].withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return errno }
      done += count
    }
    return nil
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
  }
}

/// Ctrl-C, asked for rather than suffered: the run stops before its next step. The second one is suffered.
final class Interrupt: @unchecked Sendable {
  private let lock = NSLock()
  private var first: Int32?
  private var sources: [any DispatchSourceSignal] = []

  /// From when this returns on the first of these signals does not end the process, but is seen.
  func listen(to signals: [Int32] = [SIGINT]) {
    // Whoever has started this program may have had them blocked, which is inherited: the second one would end nothing.
    var blocked = sigset_t()
    sigemptyset(&blocked)
    for number in signals { sigaddset(&blocked, number) }
    pthread_sigmask(SIG_UNBLOCK, &blocked, nil)
    let waiting = DispatchGroup()
    for number in signals {
      // Before the source: where that has a handler of its own, it replaces this.
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { [weak self] in self?.note(number, of: signals) }
      waiting.enter()
      source.setRegistrationHandler { waiting.leave() }
      source.resume()
      sources.append(source)
    }
    waiting.wait()
  }

  /// Whether somebody wants the run to end.
  var isRequested: Bool { heard != nil }

  /// The signal that said so first.
  var heard: Int32? { lock.withLock { first } }

  private func note(_ number: Int32, of signals: [Int32]) {
    lock.withLock { first = first ?? number }
    // Whoever says it again does not want to wait for what is still to be done.
    for number in signals { signal(number, SIG_DFL) }
  }
}
