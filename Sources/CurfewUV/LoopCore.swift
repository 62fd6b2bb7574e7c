import CLibuv
internal import Curfew
import CurfewSystem

/// The part of a `UVLoop` that lives as long as libuv's loop needs it, which may be longer than
/// the `UVLoop` itself.
///
/// The async handle retains this object until the handle has closed.
final class LoopCore: @unchecked Sendable {
  /// Used only on the loop's thread, except to create the owner of a handle. A loop of our own
  /// is freed after it has closed.
  let loop: UnsafeMutablePointer<uv_loop_t>
  /// Whether the program runs the loop.
  private let isAttached: Bool
  private let async = LoopHandle<uv_async_t>()
  /// The crew whose threads run the loop; nil for the program's loop. Set before another thread
  /// knows the loop.
  private weak var crew: LoopCrew?
  private let lock = Lock()
  // The lock guards the properties below.
  /// The loop's thread. For the program's loop, the thread is known only during our callbacks:
  /// the thread that attaches need not be the thread that runs the loop.
  private var thread: ThreadID?
  private var alarms: [any Alarm] = []
  private var jobs: [@Sendable () -> Void] = []
  private var isOpen = true
  private var hasClosedHandles = false

  private init(_ loop: UnsafeMutablePointer<uv_loop_t>, isAttached: Bool) {
    (self.loop, self.isAttached) = (loop, isAttached)
  }

  /// Creates a loop of our own, which no thread runs yet.
  static func own() throws(UVError) -> LoopCore {
    let loop = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
    let answer = uv_loop_init(loop)
    guard answer == 0 else {
      loop.deallocate()
      throw UVError(answer: answer, attempt: "create a loop")
    }
    let core = LoopCore(loop, isAttached: false)
    do {
      try core.listen()
    } catch {
      require(uv_loop_close(loop), "close a loop")
      loop.deallocate()
      throw error
    }
    return core
  }

  /// Attaches to the program's loop. No other thread may run the loop meanwhile.
  static func attached(to loop: UnsafeMutablePointer<uv_loop_t>) throws(UVError) -> LoopCore {
    let core = LoopCore(loop, isAttached: true)
    try core.listen()
    return core
  }

  private func listen() throws(UVError) {
    let answer = uv_async_init(loop, async.pointer) {
      let core = LoopHandle.owner(of: $0, as: LoopCore.self)
      core.inCallback { core.drain() }
    }
    guard answer == 0 else {
      async.discard()
      throw UVError(answer: answer, attempt: "create an async handle")
    }
    async.keep(self)
  }

  // MARK: The crew's loop

  /// Runs one round of the loop, which waits for an event. Called by the crew's leader, or before
  /// any other thread knows the loop.
  /// - Returns: false once all handles have closed.
  func runOnce() -> Bool { uv_run(loop, UV_RUN_ONCE) != 0 }

  /// Frees a loop whose handles have closed.
  func finish() {
    // An answer other than 0 means that a handle was not closed.
    require(uv_loop_close(loop), "close a loop")
    loop.deallocate()
  }

  /// Sets the crew whose threads run the loop.
  func run(by crew: LoopCrew) { self.crew = crew }

  /// The next instant at which the loop has something to do, as far as known, in nanoseconds
  /// of the monotonic clock; `Int64.max` for never. Called by the crew's leader.
  var nextWanted: Int64 {
    var handles = Int64.max
    if hasOwnTimers {
      // Without this call, the loop's own time could be as old as the start of a long round.
      uv_update_time(loop)
      let timeout = max(0, uv_backend_timeout(loop))
      handles = UVClock.Source.monotonic.read() + Int64(timeout) * 1_000_000
    }
    lock.lock()
    defer { lock.unlock() }
    var next = jobs.isEmpty && isOpen ? handles : 0
    for alarm in alarms { next = min(next, alarm.wakeUp) }
    return next
  }

  /// Whether libuv itself has something to do at an instant for which no alarm has been set.
  /// Called by the crew's leader.
  var hasOwnTimers: Bool { uv_backend_timeout(loop) >= 0 }

  /// Makes sure that the loop runs by `instant` of the monotonic clock, even if the leader is away.
  /// `Int64.max` says that an alarm has no instant any more. With `isExact` false, the alarm may be
  /// due later, at an instant that is not known on the monotonic clock.
  func want(at instant: Int64, isExact: Bool = true) { crew?.want(at: instant, isExact: isExact) }

  /// Makes the crew's leader do `work` after this tick. Returns false if there is no crew, or if no
  /// deputy can stand by.
  func runAfterTick(_ work: @escaping @Sendable () -> Void) -> Bool {
    crew?.runAfterTick(work) ?? false
  }

  /// Runs the body of a callback of our handles. The calling thread counts as the loop's thread
  /// until `body` returns.
  func inCallback(_ body: () -> Void) {
    guard isAttached else { return body() }
    lock.withLock { thread = .current }
    body()
    lock.withLock { thread = nil }
  }

  /// Whether the calling thread is the loop's thread. For the program's loop: whether the caller
  /// is inside one of our callbacks.
  var isOnLoop: Bool {
    if let crew { return crew.isLeading }
    return lock.withLock { thread == .current }
  }

  /// Does `job` on the loop's thread: at once if the caller is on that thread, otherwise in the
  /// loop's next round. Does nothing once the loop is closing.
  func perform(_ job: @escaping @Sendable () -> Void) {
    if isOnLoop { return job() }
    lock.withLock {
      guard isOpen else { return }
      jobs.append(job)
      uv_async_send(async.pointer)
    }
    want(at: 0)
  }

  private func drain() {
    let (waiting, isOpen) = lock.withLock {
      defer { jobs = [] }
      return (jobs, self.isOpen)
    }
    for job in waiting { job() }
    if !isOpen { closeHandles() }
  }

  // MARK: Alarms

  /// Lets `alarm` wake the loop, unless the loop is closing.
  func open(_ alarm: any Alarm) {
    let isOpen = lock.withLock {
      if self.isOpen { alarms.append(alarm) }
      return self.isOpen
    }
    if isOpen { perform { alarm.open() } }
  }

  /// Closes and forgets `alarm`. Its gate has already been shut.
  func close(_ alarm: any Alarm) {
    if alarm.closeUnopened() { return forget(alarm) }
    perform {
      alarm.close()
      self.forget(alarm)
    }
  }

  private func forget(_ alarm: any Alarm) { lock.withLock { alarms.removeAll { $0 === alarm } } }

  /// Stops all ticks, then closes the handles: at once on the loop's thread, otherwise when
  /// the loop runs.
  func close() {
    let isOnLoop = isOnLoop
    let open = lock.withLock {
      // Sent under the lock, because the loop may close the handle as soon as `isOpen` is false.
      if isOpen, !isOnLoop { uv_async_send(async.pointer) }
      isOpen = false
      return alarms
    }
    want(at: 0)
    for alarm in open { alarm.gate.shut() }
    if isOnLoop { closeHandles() }
  }

  /// Closes the handles, once. Must be called on the loop's thread.
  func closeHandles() {
    // Jobs are released outside the lock, because they retain this object.
    var open: [any Alarm] = []
    var dropped: [@Sendable () -> Void] = []
    let isFirst = lock.withLock {
      swap(&open, &alarms)
      swap(&dropped, &jobs)
      defer { hasClosedHandles = true }
      return !hasClosedHandles
    }
    for alarm in open { alarm.close() }
    if isFirst { async.close() }
    _ = consume dropped
  }
}
