import Curfew
import CurfewSystem

/// Problems of the threads that run apps' handlers. Any thread adds them; the thread that runs the
/// test passes them on, because a command prints from one thread.
final class ThreadProblems: @unchecked Sendable {
  private let lock = Lock()
  // Protected by the lock.
  private var known: [HandlerThreadProblem] = []
  private var passedOn = 0

  /// Adds a problem. The same problem again changes nothing, even with another number of threads,
  /// because a machine that is too slow for its load may have it a hundred times a second.
  @Sendable func add(_ problem: HandlerThreadProblem) {
    lock.withLock { if !known.contains(where: problem.isLike) { known.append(problem) } }
  }

  /// The problems that have been added since the last call.
  func take() -> ArraySlice<HandlerThreadProblem> {
    lock.withLock {
      defer { passedOn = known.count }
      return known[passedOn...]
    }
  }
}

extension HandlerThreadProblem {
  fileprivate func isLike(_ other: HandlerThreadProblem) -> Bool {
    switch (self, other) {
    case (.handlersBlock, .handlersBlock), (.cancellationsBlock, .cancellationsBlock): true
    default: self == other
    }
  }
}
