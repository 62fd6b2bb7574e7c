import CurfewEngine
import CurfewPolicy
import CurfewSystem
import CurfewText

/// The progress of a run, on a terminal.
final class Progress: @unchecked Sendable {
  private let console: Console
  private let clock = ContinuousClock()
  private let start: ContinuousClock.Instant
  private let lock = Lock()
  private var last: ContinuousClock.Instant
  private var lines = 0
  private var isShown = false

  init(_ console: Console) {
    self.console = console
    start = clock.now
    last = start
  }

  func at(_ instant: Instant) {
    lines += 1
    if lines % 1024 == 0 { show("\(HumanTime.text(instant)) simulated, \(lines) lines") }
  }

  /// Shows `text`. Unless `isRare` is true, shows it only after the first second, and at most every
  /// 200 ms.
  func show(_ text: @autoclosure () -> String, isRare: Bool = false) {
    guard console.showsProgress else { return }
    lock.withLock {
      guard isRare || clock.now - last > .milliseconds(200) && clock.now - start > .seconds(1)
      else { return }
      last = clock.now
      isShown = true
      console.overwriteProgress(text())
    }
  }

  /// Prints a message about the run in place of the progress.
  func tell(_ kind: Message.Kind, _ text: String) {
    lock.withLock {
      clear()
      console.tell(kind, text)
    }
  }

  func finish() { lock.withLock { clear() } }

  /// Removes the progress from the terminal. The caller holds the lock.
  private func clear() {
    if isShown { console.overwriteProgress("") }
    isShown = false
  }
}
