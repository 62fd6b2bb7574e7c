public import Foundation

/// The identity of a thread while it runs. The handle is only compared.
@usableFromInline
package struct ThreadID: Equatable, @unchecked Sendable {
  @usableFromInline
  let thread: pthread_t

  @inlinable
  init(_ thread: pthread_t) { self.thread = thread }

  /// The calling thread.
  @inlinable
  package static var current: ThreadID { ThreadID(pthread_self()) }

  @inlinable
  package static func == (a: ThreadID, b: ThreadID) -> Bool {
    pthread_equal(a.thread, b.thread) != 0
  }
}

/// The function that starts threads. It is passed as a parameter so that a test can replace it with
/// a function that fails.
package struct ThreadStart: Sendable {
  /// Starts a detached thread that has this name and runs the body. Returns 0 if the thread was
  /// started, otherwise an error number.
  package let start: @Sendable (_ name: String, _ body: @escaping @Sendable () -> Void) -> Int32

  package init(
    _ start: @escaping @Sendable (_ name: String, _ body: @escaping @Sendable () -> Void) -> Int32
  ) { self.start = start }

  /// `pthread_create`, with all signals blocked in the new thread except those of its own faults,
  /// because the program's threads handle the program's signals. A child that the thread forks
  /// inherits the signal mask.
  package static let system = ThreadStart { name, body in
    let start = Unmanaged.passRetained(Start(name, body))
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let answer = withSignalsBlocked {
      pthread_create(&thread, nil, { Start.run($0) }, start.toOpaque())
    }
    if answer != 0 { start.release() }
    return answer
  }

  /// Runs `body` with all signals blocked on this thread. A thread that `body` starts inherits the
  /// signal mask and keeps it.
  package static func withSignalsBlocked<Result>(_ body: () -> Result) -> Result {
    var (all, before) = (sigset_t(), sigset_t())
    sigfillset(&all)
    // A thread's own faults must reach it: a blocked fault would end the process without a message.
    // SIGPROF stays unblocked for profilers.
    for own in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS, SIGABRT, SIGPROF] {
      sigdelset(&all, own)
    }
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    return body()
  }

  /// The name and body of a new thread.
  private final class Start {
    private let name: String
    private let body: @Sendable () -> Void

    init(_ name: String, _ body: @escaping @Sendable () -> Void) {
      (self.name, self.body) = (name, body)
    }

    #if canImport(Darwin)
      static func run(_ argument: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        begin(argument)
      }
    #else
      static func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        argument.flatMap(begin)
      }
    #endif

    private static func begin(_ argument: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
      let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
      // Sets the name from inside the thread: on Linux, a name that is set before the start does
      // not reach the kernel.
      Thread.current.name = start.name
      pthread_detach(pthread_self())
      start.body()
      return nil
    }
  }
}
