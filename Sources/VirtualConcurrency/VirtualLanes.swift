internal import CVirtualTime
internal import Dispatch
internal import Foundation

/// The thread that a job runs on.
enum VirtualLane { case main, global }

/// The two threads that captured work runs on, one at a time: the real main thread, and a thread
/// for all other work. While one thread waits for a call to the other, it serves the other's calls.
final class VirtualLanes: @unchecked Sendable {
  private final class Call {
    let body: () -> Void
    var isDone = false
    init(_ body: @escaping () -> Void) { self.body = body }
  }

  private let condition = NSCondition()
  private var calls: [VirtualLane: [Call]] = [:]
  private var mainWaits = 0
  private var hasThread = false
  private var idleWorkers: [Worker] = []

  /// The lane of the calling thread; nil if the thread is not a lane.
  static var current: VirtualLane? {
    cvt_is_main_thread() ? .main : cvt_is_captured_thread() ? .global : nil
  }

  /// Runs `body` on a lane, and returns when it is done. Runs it directly if the calling thread
  /// is that lane.
  func call(_ lane: VirtualLane, _ body: () -> Void) {
    if Self.current == lane { return body() }
    withoutActuallyEscaping(body) { body in
      let call = Call(body)
      condition.lock()
      calls[lane, default: []].append(call)
      wake(lane)
      wait { call.isDone }
      condition.unlock()
    }
  }

  /// Waits until `isOver`, and serves the calls for the calling thread's lane meanwhile. The lock
  /// is held on entry and on return.
  private func wait(until isOver: () -> Bool) {
    let current = Self.current
    if current == .main { mainWaits += 1 }
    // Until the other thread takes the call, no thread drives virtual time, because the main
    // thread may be busy with work that is not captured.
    let driver = cvt_pause_driver()
    while !isOver() { if !serveOne(current) { uncaptured { condition.wait() } } }
    cvt_resume_driver(driver)
    guard current == .main else { return }
    mainWaits -= 1
    // Calls for the main thread may have arrived after it last looked. They did not wake it,
    // because it was known to be waiting.
    if mainWaits == 0, calls[.main]?.isEmpty == false { wake(.main) }
  }

  // MARK: Workers

  /// Runs `job` on a worker, and returns when the job is done or waits.
  func run(_ job: @escaping () -> Void, on worker: Worker) {
    worker.job = job
    goOn(worker)
  }

  /// Lets a worker go on whose job has waited, and returns when the job is done or waits again.
  func goOn(_ worker: Worker) {
    condition.lock()
    worker.isCalled = true
    condition.broadcast()
    wait { !worker.isCalled }
    condition.unlock()
  }

  /// Called by a worker whose job waits: returns when the worker may go on.
  func park(_ worker: Worker) {
    let driver = cvt_pause_driver()
    uncaptured {
      condition.lock()
      worker.isCalled = false
      condition.broadcast()
      while !worker.isCalled { condition.wait() }
      condition.unlock()
    }
    cvt_resume_driver(driver)
  }

  /// A worker without a job.
  func idleWorker() -> Worker {
    condition.lock()
    defer { condition.unlock() }
    if let worker = idleWorkers.popLast() { return worker }
    let worker = Worker()
    let thread = Thread { self.serve(worker) }
    thread.stackSize = 16 << 20
    uncaptured { thread.start() }
    return worker
  }

  private func serve(_ worker: Worker) {
    cvt_become_captured_thread()
    cvt_set_worker(Unmanaged.passUnretained(worker).toOpaque())
    condition.lock()
    while true {
      while !worker.isCalled { condition.wait() }
      let job = worker.job.take()
      condition.unlock()
      job?()
      condition.lock()
      worker.isCalled = false
      idleWorkers.append(worker)
      condition.broadcast()
    }
  }

  /// Starts `body` on the global lane, and does not wait for it.
  func start(_ body: @escaping @Sendable () -> Void) {
    condition.lock()
    calls[.global, default: []].append(Call(body))
    wake(.global)
    condition.unlock()
  }

  /// The lock is held.
  private func wake(_ lane: VirtualLane) {
    condition.broadcast()
    if lane == .main, mainWaits == 0 {
      return uncaptured { DispatchQueue.main.async { self.serveMain() } }
    }
    guard lane == .global, !hasThread else { return }
    hasThread = true
    let thread = Thread { self.serveGlobal() }
    thread.stackSize = 16 << 20
    uncaptured { thread.start() }
  }

  /// Performs the next call of a lane. The lock is held on entry and on return.
  private func serveOne(_ lane: VirtualLane?) -> Bool {
    guard let lane, let call = calls[lane]?.popLast() else { return false }
    condition.unlock()
    call.body()
    condition.lock()
    call.isDone = true
    condition.broadcast()
    return true
  }

  private func serveMain() {
    condition.lock()
    while serveOne(.main) {}
    condition.unlock()
  }

  private func serveGlobal() {
    cvt_become_captured_thread()
    condition.lock()
    while true { if !serveOne(.global) { condition.wait() } }
  }
}
