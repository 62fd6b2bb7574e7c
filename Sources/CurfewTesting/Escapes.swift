import Curfew
internal import Foundation
import VirtualConcurrency

/// Whether a test reports work that continues outside its device's time.
public enum Escapes: Sendable {
  /// Reported once per test, if time passes while such work (a thread, a `URLSession` task,
  /// a Dispatch source, a timer of a run loop) is unfinished. A sleep whose deadline comes from
  /// the real clock is also reported.
  case reported
  /// Not reported: the test accepts that real time decides the result of such work.
  case allowed
}

/// Reports the work of a test outside its device's time.
package struct EscapeReporting {
  let escapes: Escapes
  let reports: Leftovers
  let tell: (Leftover) -> Void

  /// Says, once per process, which parts of the program do not follow a device's clock here. Also
  /// for tests that allow escapes: their dates and time-outs depend on it too.
  static let warnOnce: Void = {
    let sentence = EscapeReporting.warning(
      isAvailable: VirtualTime.isAvailable, followsDates: VirtualTime.followsDates,
      seesEscapes: VirtualTime.seesEscapes)
    if let sentence { FileHandle.standardError.write(Data("warning: \(sentence)\n".utf8)) }
  }()

  /// The sentence for a process in which a part does not follow; nil if everything does.
  package static func warning(isAvailable: Bool, followsDates: Bool, seesEscapes: Bool) -> String? {
    let reason = "linked statically (-static-stdlib), or Thread Sanitizer is on"
    if !isAvailable {
      return
        "Dispatch is not followed in this process, and neither are dates and Swift's concurrency: async code runs in real time, because virtual time needs Swift 6.3 on 64-bit Linux"
    }
    if !seesEscapes {
      return
        "Dispatch is not followed in this process: its blocks, the waits of threads and Foundation's dates keep real time, and no test reports work outside virtual time, because Dispatch is \(reason)"
    }
    if !followsDates {
      return
        "Dispatch is not followed in this process: its blocks, the waits of threads and Foundation's dates keep real time, because Foundation is \(reason)"
    }
    return nil
  }

  /// The handler that a capture calls at its end; nil if work outside its time need not be counted.
  var report: ((EscapeReport) -> Void)? {
    guard escapes == .reported, VirtualTime.seesEscapes else { return nil }
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
