internal import CVirtualTime
internal import Foundation

/// A call of captured work to another thread. It returns to its caller when the work is done, or
/// when the work waits. The work of a turn that waits keeps its thread until it goes on.
/// Guarded by the lock of `VirtualLanes`, except where noted.
final class Turn: @unchecked Sendable {
  fileprivate(set) var body: (() -> Void)?
  /// Whether the work runs, rather than its caller.
  fileprivate(set) var isRunning = true
  fileprivate(set) var isDone = false
  fileprivate var caller: ThreadSignal?
  fileprivate var thread: ThreadSignal?
  /// The number of times that the work has waited. Read on its own thread.
  fileprivate(set) var waits = 0
  /// The job that the work runs. Read and written on its own thread.
  var entry: Scheduler.Entry?

  fileprivate init(_ body: @escaping () -> Void, for caller: ThreadSignal?) {
    (self.body, self.caller) = (body, caller)
  }
}

/// Wakes one thread. A condition that all threads share would wake every parked thread each time.
private final class ThreadSignal {
  let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  init() { pthread_cond_init(condition, nil) }

  deinit {
    pthread_cond_destroy(condition)
    condition.deallocate()
  }

  func send() { pthread_cond_signal(condition) }
}

/// A thread that serves turns, one after another.
private final class Worker: @unchecked Sendable {
  let signal = ThreadSignal()
  var next: Turn?
  /// The turn that is served. Read and written on the worker's own thread.
  var turn: Turn?

  static var current: Worker? {
    cvt_worker().map { Unmanaged<Worker>.fromOpaque($0).takeUnretainedValue() }
  }
}

/// The function of a new thread.
private final class WorkerStart {
  private let body: () -> Void
  init(_ body: @escaping () -> Void) { self.body = body }

  static func run(_ start: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    let start = Unmanaged<WorkerStart>.fromOpaque(start!).takeRetainedValue()
    start.body()
    return nil
  }
}

/// The thread that a job runs on.
enum VirtualLane { case main, global }

/// The threads that captured work runs on, one at a time: the real main thread, and workers for
/// all other work. While the main thread waits for a turn, it serves turns of its own.
final class VirtualLanes: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private var mainCalls: [Turn] = []
  /// The turns that the main thread serves, innermost last.
  private var mainTurns: [Turn] = []
  private var mainWaits = 0
  private let mainSignal = ThreadSignal()
  private var idleWorkers: [Worker] = []

  init() { pthread_mutex_init(mutex, nil) }

  private func lock() { pthread_mutex_lock(mutex) }
  private func unlock() { pthread_mutex_unlock(mutex) }

  /// The turn that the calling thread may leave in a wait, so that its caller goes on. Nil if
  /// nobody called the thread, or if the main thread also waits further up its stack: its caller
  /// then cannot go on.
  var current: Turn? {
    guard cvt_is_main_thread() else { return Worker.current?.turn }
    lock()
    defer { unlock() }
    return mainWaits == 0 ? mainTurns.last : nil
  }

  /// Runs `body` on a worker, and returns when it is done or waits.
  @discardableResult
  func call(_ body: @escaping () -> Void) -> Turn {
    let turn = Turn(body, for: ownSignal())
    lock()
    give(turn)
    wait(for: turn)
    unlock()
    return turn
  }

  /// Runs `body` on the main thread, and returns when it is done or waits.
  func callMain(_ body: @escaping () -> Void, entry: Scheduler.Entry? = nil) -> Turn {
    let turn = Turn(body, for: ownSignal())
    turn.entry = entry
    lock()
    mainCalls.append(turn)
    wakeMain()
    wait(for: turn)
    unlock()
    return turn
  }

  /// Starts `body` on a worker, and does not wait for it.
  func start(_ body: @escaping @Sendable () -> Void) {
    let turn = Turn(body, for: nil)
    lock()
    give(turn)
    unlock()
  }

  /// Lets the work of a turn go on that has waited, and returns when it is done or waits again.
  func goOn(_ turn: Turn) {
    let signal = ownSignal()
    lock()
    turn.caller = signal
    turn.isRunning = true
    turn.thread?.send()
    wait(for: turn)
    unlock()
  }

  /// Lets the work of a turn go on, and does not wait for it.
  func release(_ turn: Turn) {
    lock()
    turn.caller = nil
    turn.isRunning = true
    turn.thread?.send()
    unlock()
  }

  /// Returns to the caller of this thread's turn. Returns when the work may go on.
  func leave(_ turn: Turn) {
    let driver = cvt_pause_driver()
    lock()
    turn.waits += 1
    turn.isRunning = false
    turn.caller?.send()
    while !turn.isRunning { pthread_cond_wait(turn.thread!.condition, mutex) }
    // A released thread drives nothing: another capture may be in progress.
    let isReleased = turn.caller == nil
    unlock()
    if !isReleased { cvt_resume_driver(driver) }
  }

  private func ownSignal() -> ThreadSignal {
    cvt_is_main_thread() ? mainSignal : Worker.current?.signal ?? ThreadSignal()
  }

  /// Waits until a turn is done or waits. The lock is held.
  private func wait(for turn: Turn) {
    // Until the other thread takes the turn, no thread drives virtual time, because the main
    // thread may be busy with work that is not captured.
    let driver = cvt_pause_driver()
    let (isMain, signal) = (cvt_is_main_thread(), turn.caller!)
    if isMain { mainWaits += 1 }
    while turn.isRunning {
      if !isMain || !serveMainTurn() { pthread_cond_wait(signal.condition, mutex) }
    }
    cvt_resume_driver(driver)
    guard isMain else { return }
    mainWaits -= 1
    // Turns may have arrived after the main thread last looked. They did not wake it, because it
    // was known to be waiting.
    if mainWaits == 0, !mainCalls.isEmpty { wakeMain() }
  }

  /// Passes a turn to a worker. The lock is held.
  private func give(_ turn: Turn) {
    let worker = idleWorkers.popLast() ?? makeWorker()
    worker.next = turn
    turn.thread = worker.signal
    worker.signal.send()
  }

  private func makeWorker() -> Worker {
    let worker = Worker()
    let start = Unmanaged.passRetained(WorkerStart { self.serve(worker) })
    var thread: pthread_t = 0
    let error = withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { attributes in
      let attributes = attributes.baseAddress!
      pthread_attr_init(attributes)
      defer { pthread_attr_destroy(attributes) }
      pthread_attr_setstacksize(attributes, 16 << 20)
      pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
      return uncaptured {
        pthread_create(&thread, attributes, { WorkerStart.run($0) }, start.toOpaque())
      }
    }
    precondition(
      error == 0, "A thread for async work cannot be created: \(String(cString: strerror(error)))")
    return worker
  }

  private func serve(_ worker: Worker) {
    cvt_become_captured_thread()
    cvt_set_worker(Unmanaged.passUnretained(worker).toOpaque())
    while true { serveNext(worker) }
  }

  private func serveNext(_ worker: Worker) {
    lock()
    while worker.next == nil { pthread_cond_wait(worker.signal.condition, mutex) }
    let turn = worker.next.take()!
    unlock()
    worker.turn = turn
    turn.body?()
    turn.body = nil
    worker.turn = nil
    // The capture may have ended meanwhile.
    cvt_set_clock(nil)
    lock()
    idleWorkers.append(worker)
    finish(turn)
    unlock()
  }

  /// The lock is held.
  private func finish(_ turn: Turn) {
    turn.isDone = true
    turn.isRunning = false
    turn.caller?.send()
  }

  /// The lock is held.
  private func wakeMain() {
    guard mainWaits == 0 else { return mainSignal.send() }
    uncaptured { DispatchQueue.main.async { self.serveMain() } }
  }

  private func serveMain() {
    lock()
    while serveMainTurn() {}
    unlock()
  }

  /// Serves the latest turn of the main thread. The lock is held on entry and on return.
  private func serveMainTurn() -> Bool {
    guard let turn = mainCalls.popLast() else { return false }
    turn.thread = mainSignal
    mainTurns.append(turn)
    unlock()
    // The thread may be inside a block that lets time pass.
    let queues = cvt_leave_queues()
    turn.body?()
    turn.body = nil
    cvt_enter_queues(queues)
    lock()
    mainTurns.removeLast()
    finish(turn)
    return true
  }
}
