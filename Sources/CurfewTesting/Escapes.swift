import Curfew
internal import Foundation
import VirtualConcurrency

/// Whether a test is told of work that goes on outside its device's time.
public enum Escapes: Sendable {
  /// Once per test, if time passes beside such work: a Dispatch block, a thread, a `URLSession`
  /// task. A sleep whose deadline comes from the real clock is told too.
  case reported
  /// It is not: the test knows that real time decides what such work finds.
  case allowed
}

/// Tells what a test has done outside its device's time.
struct EscapeReporting {
  let escapes: Escapes
  let reports: Leftovers
  let tell: (Leftover) -> Void

  /// Says in words, once for the process, that nobody is told here.
  private static let warnOnce: Void = {
    let text =
      "warning: work outside virtual time (Dispatch blocks, threads, URLSession tasks) is not seen in this process, and no test is "
      + "told of it: Dispatch is linked statically, or Thread Sanitizer is on\n"
    FileHandle.standardError.write(Data(text.utf8))
  }()

  /// What a capture calls at its end; nil if nothing is to be counted.
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
