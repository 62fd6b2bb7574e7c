public import Foundation

/// A thread, told from others while it runs. The handle is compared and nothing else.
@usableFromInline
package struct ThreadID: Equatable, @unchecked Sendable {
  @usableFromInline
  let thread: pthread_t

  @inlinable
  init(_ thread: pthread_t) { self.thread = thread }

  /// The one that asks.
  @inlinable
  package static var current: ThreadID { ThreadID(pthread_self()) }

  @inlinable
  package static func == (a: ThreadID, b: ThreadID) -> Bool {
    pthread_equal(a.thread, b.thread) != 0
  }
}

/// How threads are started: a property of whoever starts them, so that a test can put a system
/// without threads to give in its place.
package struct ThreadStart: Sendable {
  /// Starts a detached thread of that name which runs the body; answers an error number, 0 where
  /// it runs.
  package let start: @Sendable (_ name: String, _ body: @escaping @Sendable () -> Void) -> Int32

  package init(
    _ start: @escaping @Sendable (_ name: String, _ body: @escaping @Sendable () -> Void) -> Int32
  ) { self.start = start }

  /// `pthread_create`, with all signals blocked in the new thread but those of its own crashes:
  /// a program's signals are handled by the program's threads. What it forks inherits that.
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

  /// Does `body` with all signals blocked on this thread; a thread that is started meanwhile
  /// inherits that, and keeps it.
  package static func withSignalsBlocked<Result>(_ body: () -> Result) -> Result {
    var (all, before) = (sigset_t(), sigset_t())
    sigfillset(&all)
    // What a thread does to itself has to reach it: a crash that is blocked is a death without
    // a word. Nor are profilers kept out.
    for own in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS, SIGABRT, SIGPROF] {
      sigdelset(&all, own)
    }
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    return body()
  }

  /// What a new thread is told.
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
      // From inside: a name given before the start does not reach the kernel on Linux.
      Thread.current.name = start.name
      pthread_detach(pthread_self())
      start.body()
      return nil
    }
  }
}
