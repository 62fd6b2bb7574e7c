import Curfew
internal import Foundation
import VirtualConcurrency

/// Whether a test reports work that continues outside its device's time.
public enum Escapes: Sendable {
  /// Reported once per test, if time passes while such work (a Dispatch block, a thread,
  /// a `URLSession` task) is unfinished. A sleep whose deadline comes from the real clock
  /// is also reported.
  case reported
  /// Not reported: the test accepts that real time decides the result of such work.
  case allowed
}

/// Reports the work of a test outside its device's time.
struct EscapeReporting {
  let escapes: Escapes
  let reports: Leftovers
  let tell: (Leftover) -> Void

  /// Warns, once per process, that this process follows Swift's concurrency only.
  private static let warnOnce: Void = {
    let text =
      "warning: in this process dates and Dispatch's times do not follow a device's clock. Work outside virtual time (Dispatch blocks, "
      + "threads, URLSession tasks) is not detected, and no test reports it: Dispatch is linked statically, or Thread Sanitizer is on\n"
    FileHandle.standardError.write(Data(text.utf8))
  }()

  /// The handler that a capture calls at its end; nil if work outside its time need not be counted.
  var report: ((EscapeReport) -> Void)? {
    guard escapes == .reported else { return nil }
    guard VirtualTime.seesEscapes else {
      Self.warnOnce
      return nil
    }
    return { report in
      if let jump = report.jump {
        tell(Leftover("Real time decides what this test finds: \(jump)"))
      }
      if let sleep = report.sleep {
        tell(Leftover("Real time decides what this test finds: \(sleep)"))
      }
      guard reports.contains(.escapes) else { return }
      for work in report.unfinished {
        tell(Leftover("Work outside virtual time is not done: a \(work)"))
      }
    }
  }
}
