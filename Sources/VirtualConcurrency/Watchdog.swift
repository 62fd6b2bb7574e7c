internal import CVirtualTime
internal import Foundation

/// Finds a cancelled task that never waits, because each of its waits ends at once: a loop around
/// `try? await Task.sleep(nanoseconds:)`, or a loop that takes the next element of a stream. In
/// real time such a task would keep a core busy, but delay no other work. In virtual time it would
/// keep time from passing and other work from running. So its cancellation is withdrawn, and it
/// waits again.
///
/// A task that reads a clock in each iteration is found sooner, by the clock (`clock_gettime`
/// in CVirtualTime).
///
/// The watchdog also finds a thread that was called with captured work and does not return, for
/// instance because it waits on a semaphore for a task that can run only after the thread returns.
/// Nothing can end such a wait, and a test framework's time limit only records an issue.
/// So the watchdog prints the thread's stack and ends the process. A thread that may be waiting for
/// work outside virtual time is not ended, but reported once.
package enum Watchdog {
  /// The number of seconds for which a cancelled task may run without waiting. Tests set
  /// a smaller number.
  package static var patience: Int {
    get { lock.withLock { spin } }
    set { lock.withLock { spin = newValue } }
  }
  /// The number of seconds that captured work may take for a step by default: twice the time for
  /// which a body may wait without any event.
  private static let usualHang = 60
  /// The exit code of a process that hangs; the command `timeout` uses the same code.
  private static let exitCode: Int32 = 124

  private static let lock = NSLock()
  nonisolated(unsafe) private static var hang = 0
  nonisolated(unsafe) private static var spin = 5

  private static let thread: Void = {
    let thread = Thread { watch() }
    thread.start()
  }()

  /// Starts watching, once per process.
  /// - Parameter patience: The patience of the capture; the longest patience counts.
  static func start(patience: Duration = .zero) {
    lock.withLock {
      hang = max(
        hang,
        hangOfEnvironment ?? max(usualHang, 2 * Int(min(patience.components.seconds, 1 << 31))))
    }
    thread
  }

  private static var hangOfEnvironment: Int? {
    guard let text = ProcessInfo.processInfo.environment["CURFEW_HANG"] else { return nil }
    guard let seconds = Int(text), seconds > 0 else {
      fatalError("CURFEW_HANG must be a whole number of seconds from 1, found '\(text)'")
    }
    return seconds
  }

  private static func watch() {
    var (steps, seconds, driven, isReported) = (UInt64.max, 0, 0, false)
    /// The number of seconds for which a thread has been in a call. Between its polls, a capture
    /// whose threads wait has no driver.
    var called = 0
    while true {
      // Counts iterations, not clock time, so that a debugger that stops the process also stops
      // the count.
      Thread.sleep(forTimeInterval: 1)
      guard cvt_is_capturing() else { continue }
      let now = Scheduler.shared.takenSteps
      let driver = cvt_driver()
      // A run of a run loop with a limit is no hang, however far away the limit is.
      if steps != now || cvt_runs_run_loop() { (seconds, driven, isReported) = (-1, -1, false) }
      called = driver == nil || steps != now ? 0 : called + 1
      let waits = driver == nil && Scheduler.shared.hasWaits
      (seconds, driven) = (seconds + 1, driver != nil || waits ? driven + 1 : 0)
      steps = now
      if driven >= lock.withLock({ hang }) {
        let work = EscapeLedger.shared.awaitable(whileTasksWait: Scheduler.shared.hasTasksInQueue)
        // A test whose threads wait beside a capture that goes on fails by itself.
        if work.isEmpty, let driver, called >= driven { end(driver, after: driven) }
        if !isReported, !work.isEmpty { report(driven, waitsFor: work) }
        (driven, isReported) = (0, true)
      }
      if seconds >= patience {
        seconds = 0
        Scheduler.shared.stopSpinning(at: steps)
      }
    }
  }

  /// Ends the process, because dead code never leaves the calling thread.
  static func endLoop(after stall: Stall?) -> Never {
    write(
      [
        "A thread waits again and again in code of an app whose process has ended, or of a test that has failed. The process ends with code \(exitCode)."
      ] + (stall.map { ["\($0)"] } ?? []) + Scheduler.shared.whereabouts().map { "  \($0)" } + [
        "The thread:"
      ]
        + Frames.ofThread.lines.map { "  \($0)" })
    _exit(exitCode)
  }

  private static func end(_ driver: UnsafeMutableRawPointer, after seconds: Int) -> Never {
    // The stack is read first, because the thread continues meanwhile.
    let stack = Frames.ofThread(driver)
    write(
      ["\(standstill(of: seconds)) The process ends with code \(exitCode)."]
        + Scheduler.shared.whereabouts().map { "  \($0)" }
        + ["The thread that drives virtual time:"] + stack.lines.map { "  \($0)" })
    _exit(exitCode)
  }

  private static func report(_ seconds: Int, waitsFor work: [EscapedWork]) {
    let (subject, isPlural, places) = work.sentence
    let reason =
      "since the thread may be waiting for \(subject), which \(isPlural ? "are" : "is") not done\(places)."
    write(
      ["\(standstill(of: seconds)) The process continues, \(reason)"]
        + Scheduler.shared.whereabouts().map { "  \($0)" })
  }

  private static func standstill(of seconds: Int) -> String {
    "Virtual time has made no step for \(seconds) s: a thread was called and does not return."
  }

  private static func write(_ lines: [String]) {
    FileHandle.standardError.write(Data((lines.joined(separator: "\n") + "\n").utf8))
  }
}

extension Scheduler {
  var takenSteps: UInt64 {
    condition.lock()
    defer { condition.unlock() }
    return steps
  }

  var hasTasksInQueue: Bool {
    condition.lock()
    defer { condition.unlock() }
    return !queue.isEmpty
  }

  /// Withdraws the cancellation of the task whose job runs, if no other step has been made since.
  fileprivate func stopSpinning(at steps: UInt64) {
    condition.lock()
    defer { condition.unlock() }
    guard steps == self.steps, let running, cvt_is_running(running), cvt_is_cancelled(running)
    else { return }
    cvt_take_cancellation_back(running)
  }

  /// - Returns: The task whose job ran before.
  func setRunning(_ task: UnsafeRawPointer?) -> UnsafeRawPointer? {
    condition.lock()
    defer { condition.unlock() }
    let outer = running
    running = task
    return outer
  }
}
