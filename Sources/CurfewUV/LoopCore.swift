import CLibuv
internal import Curfew
import CurfewSystem

/// What of a `UVLoop` lives as long as libuv's loop needs it, which may be longer than anybody
/// holds the `UVLoop`.
///
/// The async handle holds it until that has closed.
final class LoopCore: @unchecked Sendable {
  /// Not to be used but on the loop's thread, except to make a handle's owner; gone once a loop
  /// of our own has closed.
  let loop: UnsafeMutablePointer<uv_loop_t>
  /// Whether somebody else runs the loop.
  private let isAttached: Bool
  private let async = LoopHandle<uv_async_t>()
  private let lock = Lock()
  // All of it within the lock.
  /// The loop's thread. Of somebody else's loop it is known only while a callback of ours
  /// is running: whoever attaches need not be who runs the loop.
  private var thread: ThreadID?
  private weak var crew: LoopCrew?
  private var alarms: [any Alarm] = []
  private var jobs: [@Sendable () -> Void] = []
  private var isOpen = true
  private var hasClosedHandles = false

  private init(_ loop: UnsafeMutablePointer<uv_loop_t>, isAttached: Bool) {
    (self.loop, self.isAttached) = (loop, isAttached)
  }

  /// A loop of our own, which nobody runs yet.
  static func own() throws(UVFailure) -> LoopCore {
    let loop = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
    let answer = uv_loop_init(loop)
    guard answer == 0 else {
      loop.deallocate()
      throw UVFailure(answer: answer, attempt: "make a loop")
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

  /// Somebody else's loop, which no other thread is in just now.
  static func attached(to loop: UnsafeMutablePointer<uv_loop_t>) throws(UVFailure) -> LoopCore {
    let core = LoopCore(loop, isAttached: true)
    try core.listen()
    return core
  }

  private func listen() throws(UVFailure) {
    let answer = uv_async_init(loop, async.pointer) {
      let core = LoopHandle.owner(of: $0, as: LoopCore.self)
      core.inCallback { core.drain() }
    }
    guard answer == 0 else {
      async.discard()
      throw UVFailure(answer: answer, attempt: "make an async handle")
    }
    async.keep(self)
  }

  // MARK: A loop of our own

  /// One round of the loop, which waits for something to happen. By the crew's leader, or where
  /// nobody knows of the loop yet.
  /// - Returns: false once all handles have closed.
  func runOnce() -> Bool { uv_run(loop, UV_RUN_ONCE) != 0 }

  /// Frees a loop whose handles have closed.
  func finish() {
    // Anything but 0 is a handle that was not closed.
    require(uv_loop_close(loop), "close a loop")
    loop.deallocate()
  }

  /// The threads that run it.
  func run(by crew: LoopCrew) { lock.withLock { self.crew = crew } }

  private var runners: LoopCrew? {
    lock.lock()
    defer { lock.unlock() }
    return crew
  }

  /// When the loop has something to do next, as far as that is known beforehand, in nanoseconds
  /// of the monotonic clock; `Int64.max` for never. By the crew's leader.
  var nextWanted: Int64 {
    // From the loop's own time, which a round ago may be long ago.
    uv_update_time(loop)
    let timeout = uv_backend_timeout(loop)
    let handles =
      timeout < 0 ? Int64.max : UVClock.Source.monotonic.read() + Int64(timeout) * 1_000_000
    lock.lock()
    defer { lock.unlock() }
    var next = jobs.isEmpty && isOpen ? handles : 0
    for alarm in alarms { next = min(next, alarm.wakeUp) }
    return next
  }

  /// Has somebody run the loop by `instant` of the monotonic clock, where its leader is away.
  func want(at instant: Int64) { runners?.want(at: instant) }

  /// Has the crew's leader do `work` after this tick. false where there is no crew, or nobody
  /// to stand by.
  func runAfterTick(_ work: @escaping @Sendable () -> Void) -> Bool {
    runners?.runAfterTick(work) ?? false
  }

  /// Does what a callback of a handle of ours is for: whichever thread that comes on, it is the
  /// loop's until `body` returns.
  func inCallback(_ body: () -> Void) {
    guard isAttached else { return body() }
    lock.withLock { thread = .current }
    body()
    lock.withLock { thread = nil }
  }

  /// Whether this is the loop's thread, as far as that is known: on somebody else's loop, whether
  /// this is inside a callback of ours.
  var isOnLoop: Bool {
    if let runners { return runners.isLeading }
    return lock.withLock { thread == .current }
  }

  /// Does `job` on the loop's thread: at once if this is it, else when the loop comes to it. Not at
  /// all once the loop is closing.
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

  /// Lets `alarm` wake the loop, unless it is closing.
  func open(_ alarm: any Alarm) {
    let isOpen = lock.withLock {
      if self.isOpen { alarms.append(alarm) }
      return self.isOpen
    }
    if isOpen { perform { alarm.open() } }
  }

  /// Lets go of `alarm`, whose gate is shut.
  func close(_ alarm: any Alarm) {
    if alarm.closeUnopened() { return forget(alarm) }
    perform {
      alarm.close()
      self.forget(alarm)
    }
  }

  private func forget(_ alarm: any Alarm) { lock.withLock { alarms.removeAll { $0 === alarm } } }

  /// Ends all ticks, then the handles, as soon as the loop's thread comes to it; at once if this
  /// is that thread.
  func close() {
    let isOnLoop = isOnLoop
    let open = lock.withLock {
      // In here, because the loop may close the handle as soon as it knows.
      if isOpen, !isOnLoop { uv_async_send(async.pointer) }
      isOpen = false
      return alarms
    }
    want(at: 0)
    for alarm in open { alarm.gate.shut() }
    if isOnLoop { closeHandles() }
  }

  /// Closes what there is of handles, once. On the loop's thread.
  func closeHandles() {
    // What is dropped is let go of outside; jobs hold this.
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
