internal import Foundation

/// A problem of the threads that run apps' handlers, in real time.
package enum HandlerThreadProblem: Hashable, Sendable, CustomStringConvertible {
  /// Handlers hold all threads, of which there are so many, and other work waits.
  case handlersBlock(Int)
  /// Cancellations and the like hold all threads that a device has for them.
  case cancellationsBlock(Int)
  /// The system has started no thread, and gave this error.
  case noThread(Int32)

  /// The problem, in a sentence without a full stop, for a user who cannot change the threads.
  package var description: String {
    switch self {
    case .handlersBlock(let threads):
      "handlers block \(HandlerThreadProblem.all(threads)); other handlers wait until one returns"
    case .cancellationsBlock(let threads):
      "\(threads) cancellations, warnings of jobs or expiring activities block; others wait until one returns"
    case .noThread(let error):
      "no thread can be started for apps' handlers (\(String(cString: strerror(error)))); they wait until a thread can be started"
    }
  }

  static func all(_ threads: Int) -> String {
    threads == 1 ? "the only thread" : "all \(threads) threads"
  }
}
