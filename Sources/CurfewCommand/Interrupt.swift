import ArgumentParser
import Foundation

/// The first signal that was heard; 0 for none. Written by the signals' handler, which may do little more than that.
private nonisolated(unsafe) var heardSignal: sig_atomic_t = 0

/// Ctrl-C, asked for rather than suffered: the run stops before its next step. The second one is suffered.
struct Interrupt {
  /// From when this is called on the first of these signals does not end the process, but is seen. There is no moment at which one is lost: the handler takes the place of what was there.
  func listen(to signals: [Int32] = [SIGINT, SIGTERM]) {
    for number in signals {
      signal(number) { number in
        if heardSignal == 0 { heardSignal = sig_atomic_t(number) }
        // Whoever says it again does not want to wait for what is still to be done.
        signal(SIGINT, SIG_DFL)
        signal(SIGTERM, SIG_DFL)
      }
    }
    // Whoever has started this program may have had them blocked, which is inherited: the second one would end nothing.
    var blocked = sigset_t()
    sigemptyset(&blocked)
    for number in signals { sigaddset(&blocked, number) }
    pthread_sigmask(SIG_UNBLOCK, &blocked, nil)
  }

  /// Whether somebody wants the run to end.
  var isRequested: Bool { heardSignal != 0 }

  /// The signal that said so first.
  var heard: Int32? { isRequested ? Int32(heardSignal) : nil }

  /// What a shell shows of a program that this signal has ended.
  var exitCode: ExitCode { ExitCode(128 + (heard ?? SIGINT)) }
}
