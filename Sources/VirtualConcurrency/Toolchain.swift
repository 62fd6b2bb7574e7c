// Only this file and CVirtualTime contain code that depends on the toolchain. A test fails if
// a compiler breaks it.

internal import CVirtualTime

#if os(Linux) && canImport(Glibc) && compiler(>=6.3) && compiler(<6.4)
  internal import Foundation
  @_spi(Internal) internal import Runtime
  @_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) internal import _Concurrency

  /// Called by the constructor of CVirtualTime, before the runtime is asked for an executor.
  @_cdecl("curfew_install_executors")
  func installExecutors() {
    _createExecutors(factory: Executors.self)
    _ = Frames.images
  }

  /// Called by CVirtualTime on a thread that runs captured work.
  @_cdecl("curfew_task_began")
  func taskBegan(_ task: UnsafeRawPointer) { Scheduler.began(task) }

  /// Called by CVirtualTime on a thread that runs captured work, when it enqueues a block.
  /// - Parameters:
  ///   - delay: The virtual time until the block is due.
  ///   - group: The group for whose end the block waits.
  @_cdecl("curfew_block_began")
  func blockBegan(
    _ block: UnsafeMutableRawPointer, _ queue: UnsafeRawPointer, _ delay: Nanoseconds,
    _ group: UnsafeRawPointer?
  ) {
    Block(block, on: queue, group.map { .whenEmpty($0) } ?? .after(delay)).enqueue()
  }

  /// Called by CVirtualTime on any thread, when a group has been left.
  @_cdecl("curfew_group_left")
  func groupLeft(_ group: UnsafeRawPointer) { Scheduler.shared.groupLeft(group) }

  /// Called by CVirtualTime on a thread that runs captured work, when it has signalled a semaphore.
  /// - Returns: Whether a thread that waits has taken the signal.
  @_cdecl("curfew_signalled")
  func signalled(_ object: UnsafeRawPointer) -> Bool { Scheduler.shared.resumeWaits(for: object) }

  /// Called by CVirtualTime on any thread, when a queue has been activated or resumed.
  @_cdecl("curfew_queue_resumed")
  func queueResumed() {
    Scheduler.shared.interrupt { Scheduler.shared.queueUse.changes() }
  }

  /// Called by CVirtualTime on a thread that runs captured work, but perhaps a task of others.
  @_cdecl("curfew_is_by_us")
  func isByUs() -> Bool {
    let scheduler = Scheduler.shared
    scheduler.condition.lock()
    defer { scheduler.condition.unlock() }
    return scheduler.isByUs
  }

  /// Called by CVirtualTime on a thread that runs captured work, before `dispatch_sync`.
  /// - Returns: Whether libdispatch is able to give the queue to the thread.
  @_cdecl("curfew_sync_begins")
  func syncBegins(_ queue: UnsafeRawPointer, _ isBarrier: Bool) -> Bool {
    Scheduler.shared.currentCapture?.syncBegins(queue, isBarrier: isBarrier) ?? true
  }

  /// Called by CVirtualTime after `dispatch_sync`.
  @_cdecl("curfew_sync_ends")
  func syncEnds(_ queue: UnsafeRawPointer) { Scheduler.shared.endUse(of: queue) }

  /// Called by CVirtualTime for a `dispatch_sync` to the main thread.
  /// - Returns: False if the capture has ended before the turn of the call.
  @_cdecl("curfew_sync_on_main")
  func syncOnMain(
    _ function: @escaping @convention(c) (UnsafeMutableRawPointer?) -> Void,
    _ context: UnsafeMutableRawPointer?
  ) -> Bool { Scheduler.shared.currentCapture?.syncOnMain { function(context) } ?? false }

  /// Called by CVirtualTime on a thread that runs captured work and waits.
  /// - Parameters:
  ///   - object: The semaphore, the group or the condition that the thread waits for, if it is one.
  ///   - limit: The virtual instant at which the wait ends in any case.
  ///   - isOver: Whether the wait is over, to be asked again and again; null if only the limit ends
  ///     the wait.
  ///   - rest: Waits for a moment of real time.
  /// - Returns: The reason for which the wait returns.
  @_cdecl("curfew_wait_for")
  func waitAside(
    _ object: UnsafeRawPointer?, _ limit: Nanoseconds,
    _ isOver: (@convention(c) (UnsafeMutableRawPointer?) -> Bool)?,
    _ rest: @convention(c) (UnsafeMutableRawPointer?) -> Void,
    _ drop: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?,
    _ context: UnsafeMutableRawPointer?
  ) -> Int32 {
    let end = Scheduler.shared.currentCapture?.wait(
      for: object, until: limit, rest: { rest(context) }, whenDropped: { drop?(context) },
      isOver: isOver.map { isOver in { isOver(context) } })
    return (end ?? .captureEnded).rawValue
  }

  /// Called by CVirtualTime on a thread that runs captured work, or work outside virtual time.
  /// - Returns: A retained record, to be passed to `curfew_escape_ended`.
  @_cdecl("curfew_escape_began")
  func escapeBegan(_ work: UnsafePointer<cvt_work>) -> UnsafeRawPointer? {
    guard let escape = EscapeLedger.shared.began(work.pointee) else { return nil }
    return UnsafeRawPointer(Unmanaged.passRetained(escape).toOpaque())
  }

  /// Called by CVirtualTime when such work can be handed over to Dispatch, or to its thread.
  /// - Parameters:
  ///   - when: The `dispatch_time_t` at which the work begins; 0 means at once.
  ///   - delay: The real time until `when`, in nanoseconds.
  @_cdecl("curfew_escape_starts")
  func escapeStarts(
    _ escape: UnsafeRawPointer,
    _ start: @escaping @convention(c) (UnsafeMutableRawPointer?) -> Void,
    _ context: UnsafeMutableRawPointer?,
    _ when: UInt64, _ delay: UInt64
  ) {
    EscapeLedger.shared.start(
      Unmanaged<Escape>.fromOpaque(escape).takeUnretainedValue(), at: when, after: delay
    ) { start(context) }
  }

  /// Called by CVirtualTime when such work is about to run.
  @_cdecl("curfew_escape_runs")
  func escapeRuns(_ escape: UnsafeRawPointer) {
    EscapeLedger.shared.runs(Unmanaged<Escape>.fromOpaque(escape).takeUnretainedValue())
  }

  /// Called by CVirtualTime when captured work ends such work, before its end.
  @_cdecl("curfew_escape_settled")
  func escapeSettled(_ escape: UnsafeRawPointer) {
    EscapeLedger.shared.settled(Unmanaged<Escape>.fromOpaque(escape).takeUnretainedValue())
  }

  /// Called by CVirtualTime when such work has returned.
  @_cdecl("curfew_escape_ended")
  func escapeEnded(_ escape: UnsafeRawPointer) {
    EscapeLedger.shared.ended(Unmanaged<Escape>.fromOpaque(escape).takeRetainedValue())
  }

  /// Called by CVirtualTime when such work is about to signal a semaphore, or to leave a group.
  @_cdecl("curfew_escape_signals")
  func escapeSignals(_ escape: UnsafeRawPointer, _ object: UnsafeRawPointer) {
    EscapeLedger.shared.signals(
      object, by: Unmanaged<Escape>.fromOpaque(escape).takeUnretainedValue())
  }

  /// Called by CVirtualTime when such work has signalled a semaphore or left a group.
  @_cdecl("curfew_escape_signalled")
  func escapeSignalled() { EscapeLedger.shared.signalled() }

  /// Called by CVirtualTime on a thread that runs captured work, when a wait has returned.
  @_cdecl("curfew_waited_for")
  func waitedFor(_ object: UnsafeRawPointer, _ extent: Int32) {
    guard let extent = EscapeLedger.WaitExtent(rawValue: extent) else { return }
    EscapeLedger.shared.waitedFor(object, extent)
  }

  /// Called by CVirtualTime on a thread that runs captured work, during a wait.
  /// - Returns: Whether there was work to hand over.
  @_cdecl("curfew_hand_over_next")
  func handOverNext() -> Bool { EscapeLedger.shared.handOverNext(untilSignal: true) }

  /// Called by CVirtualTime on a thread that runs captured work, before it waits for a queue.
  @_cdecl("curfew_hand_over_queue")
  func handOver(_ queue: UnsafeRawPointer) { EscapeLedger.shared.handOver(queue: queue) }

  /// Called by CVirtualTime when a program cancels or suspends a `URLSession` task.
  @_cdecl("curfew_hand_over_session")
  func handOver(session: UnsafeRawPointer) {
    EscapeLedger.shared.handOverAll {
      $0.escape.object.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) } == session
    }
  }

  /// Called by CVirtualTime when work outside virtual time reads a Swift clock.
  @_cdecl("curfew_real_clock_read")
  func realClockRead(_ instant: Nanoseconds) { Scheduler.shared.readRealClock(instant) }

  /// Called by CVirtualTime when work outside virtual time begins a task.
  @_cdecl("curfew_escaped_task_began")
  func escapedTaskBegan(_ task: UnsafeRawPointer, _ parent: UnsafeRawPointer) {
    // A captured task on the program's own executor begins captured tasks.
    guard !Scheduler.shared.isCaptured(cvt_current_task()) else { return }
    EscapeLedger.shared.taskBegan(task, by: parent)
  }

  enum Executors: ExecutorFactory {
    static let main = MainThread()
    static let global = Pool()
    static var mainExecutor: any MainExecutor { main }
    static var defaultExecutor: any TaskExecutor { global }
  }

  /// The main actor's executor: captured jobs go to the capture, all others to the
  /// platform's executor.
  final class MainThread: MainExecutor, @unchecked Sendable {
    private let platform = PlatformExecutorFactory.mainExecutor

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      if !Scheduler.takes(job, .main) { platform.enqueue(ExecutorJob(job)) }
    }

    /// Serves the main queue on this thread. The platform's own function would end the thread,
    /// and serve the main queue from other threads.
    func run() { while true { RunLoop.main.run() } }
    func stop() { preconditionFailure("The main thread runs until the process ends") }

    var isMainExecutor: Bool { true }
    func checkIsolated() {
      precondition(
        cvt_is_main_thread(), "Main-actor code was called outside the main thread")
    }
    func isIsolatingCurrentContext() -> Bool? { cvt_is_main_thread() }
  }

  /// The default executor.
  final class Pool: TaskExecutor, SchedulingExecutor, @unchecked Sendable {
    private let platform = PlatformExecutorFactory.defaultExecutor
    private let timers = PlatformExecutorFactory.defaultExecutor as! any SchedulingExecutor

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      if !Scheduler.takes(job, .global) { enqueueElsewhere(job) }
    }

    func enqueueElsewhere(_ job: UnownedJob) { platform.enqueue(ExecutorJob(job)) }

    func enqueue<C: Clock>(
      _ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C
    ) {
      let job = UnownedJob(job)
      guard let delay = delay as? Duration, Scheduler.takes(job, after: { Nanoseconds(delay) })
      else {
        return timers.enqueue(ExecutorJob(job), after: delay, tolerance: tolerance, clock: clock)
      }
    }

    func enqueue<C: Clock>(
      _ job: consuming ExecutorJob, at instant: C.Instant, tolerance: C.Duration?, clock: C
    ) {
      let job = UnownedJob(job)
      let isTaken = Scheduler.takes(
        job, after: { (clock.now.duration(to: instant) as? Duration).map { Nanoseconds($0) } ?? 0 })
      if !isTaken {
        timers.enqueue(ExecutorJob(job), at: instant, tolerance: tolerance, clock: clock)
      }
    }
  }

  extension UnownedJob {
    private static let noActor = unsafeBitCast((0, 0), to: UnownedSerialExecutor.self)

    /// The runtime's object for the job; for a task, the task.
    var object: UnsafeRawPointer { unsafeBitCast(self, to: UnsafeRawPointer.self) }

    /// Runs the job here and now. The runtime restores the current task, so this may be called
    /// inside another job.
    func run(on lane: VirtualLane) {
      switch lane {
      case .main: runSynchronously(on: Executors.main.asUnownedSerialExecutor())
      case .global: runSynchronously(on: Self.noActor)
      }
    }

    /// Enqueues the job as if this library were not there.
    func enqueueElsewhere() { Executors.global.enqueueElsewhere(self) }
  }

  extension Frames {
    /// The program's innermost frame, which belongs neither to the runtime nor to this package.
    var found: Place? {
      Self.lock.withLock {
        if let known = Self.known[addresses] { return known }
        let place = LookUpThread.shared.run { findPlace() }
        Self.known[addresses] = .some(place)
        return place
      }
    }

    /// The program and its libraries, found once, before the process has a second thread. To find
    /// them, Swift's runtime reads the first bytes of every mapped file, and the process crashes if
    /// another thread unmaps a file meanwhile (swiftlang/swift#92089). Addresses in libraries that
    /// are loaded later have no symbols.
    fileprivate static let images = ImageMap.capture()

    private static let lock = NSLock()
    nonisolated(unsafe) private static var known: [[UInt64]: Place?] = [:]

    /// Each frame with its function, and with its line if known.
    var lines: [String] {
      frames.flatMap(Self.symbolicated).enumerated().map { index, frame in
        guard let symbol = frame.symbol else { return "\(index) \(frame.captured)" }
        return "\(index) \(symbol.name)"
          + (symbol.sourceLocation.map { " at \($0.path):\($0.line)" } ?? " in \(symbol.imageName)")
      }
    }

    // Frame by frame, because looking up all frames takes seconds in a large program, and the
    // wanted place is in one of the innermost.
    private func findPlace() -> Place? {
      for frame in frames.lazy.flatMap(Self.symbolicated) {
        guard let symbol = frame.symbol, !CodeOrigin.isForeign(symbol.rawName, in: symbol.imageName)
        else { continue }
        let source = symbol.sourceLocation.map { (path: $0.path, line: Int($0.line)) }
        if let source { if source.line < 1 || CodeOrigin.isForeign(file: source.path) { continue } }
        if source != nil || CodeOrigin.isSwift(symbol.rawName) {
          return Place(
            function: symbol.name, module: CodeOrigin.module(of: symbol.rawName), source: source)
        }
      }
      return nil
    }

    private var frames: [RichFrame<UInt64>] {
      addresses.map { kind == .returnAddresses ? .returnAddress($0) : .asyncResumePoint($0) }
    }

    /// A frame with the frames that are inlined in it, innermost first.
    private static func symbolicated(_ frame: RichFrame<UInt64>) -> [SymbolicatedBacktrace.Frame] {
      #if arch(x86_64)
        let architecture = "x86_64"
      #else
        let architecture = "arm64"
      #endif
      let trace = Backtrace(architecture: architecture, frames: [frame], images: images)
        .symbolicated()
      return trace.map { Array($0.frames) } ?? []
    }
  }

  /// The thread that looks up symbols. Swift's runtime caches symbols per thread, and reading
  /// the symbols of a large program takes seconds.
  private final class LookUpThread: @unchecked Sendable {
    static let shared = LookUpThread()
    private let condition = NSCondition()
    private var question: (() -> Void)?

    private init() {
      let thread = Thread { self.serve() }
      thread.name = "curfew symbols"
      // The thread must not count as work of the first caller.
      uncaptured { thread.start() }
    }

    /// Calls `question` on the thread, for one caller at a time.
    func run<Answer>(_ question: () -> Answer) -> Answer {
      var answer: Answer?
      // The driver is paused, because this is not a wait for work outside virtual time.
      let driver = cvt_pause_driver()
      defer { cvt_resume_driver(driver) }
      withoutActuallyEscaping({ answer = question() }) { escaping in
        condition.lock()
        self.question = escaping
        condition.broadcast()
        uncaptured { while self.question != nil { condition.wait() } }
        condition.unlock()
      }
      return answer!
    }

    private func serve() {
      condition.lock()
      while true {
        if let question {
          condition.unlock()
          question()
          condition.lock()
          self.question = nil
          condition.broadcast()
        } else {
          condition.wait()
        }
      }
    }
  }

  /// Cancels a task, given its object.
  func cancel(_ task: AnyObject) { unsafeBitCast(task, to: Task<Never, Never>.self).cancel() }
#else

  // For other platforms and compilers: `Capture.isAvailable` is false, and these functions are
  // never called.
  extension UnownedJob {
    var object: UnsafeRawPointer { preconditionFailure("Needs Swift 6.3 on 64-bit Linux") }
    func run(on lane: VirtualLane) { preconditionFailure("Needs Swift 6.3 on 64-bit Linux") }
    func enqueueElsewhere() { preconditionFailure("Needs Swift 6.3 on 64-bit Linux") }
  }

  extension Frames {
    var found: Place? { nil }
    var lines: [String] { [] }
  }

  func cancel(_ task: AnyObject) { preconditionFailure("Needs Swift 6.3 on 64-bit Linux") }
#endif
