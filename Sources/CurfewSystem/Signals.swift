import Foundation

/// The first signal that was heard; 0 for none. Written by the signals' handler, which may do
/// little more than that.
private nonisolated(unsafe) var heardSignal: sig_atomic_t = 0

/// Ctrl-C, asked for rather than suffered: the run stops before its next step. The second one
/// is suffered.
package struct Interrupt: Sendable {
  package init() {}

  /// From when this is called on the first SIGINT or SIGTERM does not end the process, but is seen.
  /// There is no moment at which one is lost: the handler takes the place of what was there.
  package func listen() {
    // Whoever was heard before this was called again is not to be asked twice.
    guard heardSignal == 0 else { return }
    let signals = [SIGINT, SIGTERM]
    for number in signals {
      signal(number) { number in
        if heardSignal == 0 { heardSignal = sig_atomic_t(number) }
        // Whoever says it again does not want to wait for what is still to be done.
        signal(SIGINT, SIG_DFL)
        signal(SIGTERM, SIG_DFL)
      }
    }
    // Whoever has started this program may have had them blocked, which is inherited: the second
    // one would end nothing.
    var blocked = sigset_t()
    sigemptyset(&blocked)
    for number in signals { sigaddset(&blocked, number) }
    pthread_sigmask(SIG_UNBLOCK, &blocked, nil)
  }

  /// Whether somebody wants the run to end.
  package var isRequested: Bool { heardSignal != 0 }

  /// What a shell shows of a program that the signal that said so first has ended.
  package var exitCode: Int32 { 128 + (isRequested ? Int32(heardSignal) : SIGINT) }
}

extension Descriptor {
  /// From when this is called on a write that cannot be done answers an error, and no signal ends
  /// the process.
  package static func ignoreSignalsOfWriting() {
    // A reader that goes away ends the program, but not before the lines that are on their way
    // to other files are there.
    signal(SIGPIPE, SIG_IGN)
    // A file that has reached its greatest size is told like a disk that is full.
    signal(SIGXFSZ, SIG_IGN)
  }
}
