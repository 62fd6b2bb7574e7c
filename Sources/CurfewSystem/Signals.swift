import Foundation

/// The first signal that was received; 0 for none. Written by the signal handler, which may do
/// little else.
private nonisolated(unsafe) var heardSignal: sig_atomic_t = 0
/// The instant of that signal on the monotonic clock, in nanoseconds.
private nonisolated(unsafe) var heardInstant: Int64 = 0

/// Ctrl-C as a request: the run stops before its next step. A second Ctrl-C ends the process
/// at once, if it comes 100 ms or more after the first.
package struct Interrupt: Sendable {
  package init() {}

  /// Records the first SIGINT or SIGTERM from now on; the signal no longer ends the process. No
  /// signal is lost: the handler replaces the previous one atomically.
  package func listen() {
    // A signal that was received earlier stays recorded; another call must not require
    // a second signal.
    guard heardSignal == 0 else { return }
    let signals = [SIGINT, SIGTERM]
    for number in signals {
      signal(number) { number in
        let now = SystemClock.monotonic.now
        guard heardSignal == 0 else {
          // A second signal means that the user does not want to wait for the rest. `timeout(1)`
          // sends two at the same time: one to the program, and one to its group.
          if now - heardInstant >= 100_000_000 { ChildGroups.end(with: number) }
          return
        }
        (heardInstant, heardSignal) = (now, sig_atomic_t(number))
      }
    }
    // The process may have inherited a mask that blocks these signals. A second signal would then
    // have no effect.
    var blocked = sigset_t()
    sigemptyset(&blocked)
    for number in signals { sigaddset(&blocked, number) }
    pthread_sigmask(SIG_UNBLOCK, &blocked, nil)
  }

  /// Whether a signal has asked the run to end.
  package var isRequested: Bool { heardSignal != 0 }

  /// The exit code that a shell shows for a program that was ended by that signal.
  package var exitCode: Int32 { 128 + (isRequested ? Int32(heardSignal) : SIGINT) }
}

extension Descriptor {
  /// Makes failed writes return an error instead of ending the process with a signal.
  /// - Returns: The signals that were not ignored before.
  @discardableResult
  package static func ignoreSignalsOfWriting() -> [Int32] {
    // If a reader goes away, the program ends, but only after it has written the pending lines
    // of other files. A file at its maximum size is reported like a full disk.
    let ignored = unsafeBitCast(SIG_IGN, to: Int.self)
    return [SIGPIPE, SIGXFSZ].filter { unsafeBitCast(signal($0, SIG_IGN), to: Int.self) != ignored }
  }
}
