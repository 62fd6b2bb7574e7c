import CLibuv
internal import Curfew

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The thread that runs a loop of our own.
final class LoopThread: @unchecked Sendable {
  private let core: LoopCore
  /// Written before anybody knows of this, then read by the one that joins.
  private let identifier = UnsafeMutablePointer<uv_thread_t>.allocate(capacity: 1)
  private let lock = Lock()
  private var isTaken = false

  /// Starts it. It ends once `core` has been closed.
  init(running core: LoopCore) throws(UVFailure) {
    self.core = core
    let argument = Unmanaged.passRetained(core)
    let answer = uv_thread_create(
      identifier,
      { argument in
        guard let argument else { return }
        LoopThread.name("curfew.loop")
        Unmanaged<LoopCore>.fromOpaque(argument).takeRetainedValue().run()
      }, argument.toOpaque())
    guard answer == 0 else {
      argument.release()
      throw UVFailure(answer: answer, attempt: "start a thread for a loop")
    }
  }

  deinit { identifier.deallocate() }

  private static func name(_ name: String) {
    #if canImport(Darwin)
      pthread_setname_np(name)
    #else
      pthread_setname_np(pthread_self(), name)
    #endif
  }

  /// Waits for the end of the thread; on the thread itself, lets it end alone. Once the core has been closed; any number of times.
  func end() {
    let isFirst = lock.withLock {
      defer { isTaken = true }
      return !isTaken
    }
    if core.isOnLoop {
      if isFirst { pthread_detach(pthread_self()) }
    } else if isFirst {
      require(uv_thread_join(identifier), "wait for a thread")
    } else {
      core.waitUntilFinished()
    }
  }
}
