// Everything that holds for one toolchain stands here and in CVirtualTime. A test fails where a compiler breaks it.

internal import CVirtualTime

#if os(Linux) && canImport(Glibc) && compiler(>=6.3) && compiler(<6.4)
  internal import Foundation
  @_spi(Internal) internal import Runtime
  @_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) internal import _Concurrency

  /// Called by the constructor of CVirtualTime, before anything has asked the runtime for an executor.
  @_cdecl("curfew_install_executors")
  func installExecutors() { _createExecutors(factory: Executors.self) }

  /// Called by CVirtualTime on a thread that runs captured work.
  @_cdecl("curfew_task_began")
  func taskBegan(_ task: UnsafeRawPointer) { Scheduler.began(task) }

  enum Executors: ExecutorFactory {
    static let main = MainThread()
    static let global = Pool()
    static var mainExecutor: any MainExecutor { main }
    static var defaultExecutor: any TaskExecutor { global }
  }

  /// The main actor's executor: captured jobs go to the capture, all others where they go without this library.
  final class MainThread: MainExecutor, @unchecked Sendable {
    private let platform = PlatformExecutorFactory.mainExecutor

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      if !Scheduler.takes(job, .main) { platform.enqueue(ExecutorJob(job)) }
    }

    /// Stays on the thread: what the platform has for it ends the thread, and serves the main queue from others.
    func run() { while true { RunLoop.main.run() } }
    func stop() { preconditionFailure("The main thread runs until the process ends") }

    var isMainExecutor: Bool { true }
    func checkIsolated() { precondition(cvt_is_main_thread(), "Not on the main thread, which the main actor's code was expected on") }
    func isIsolatingCurrentContext() -> Bool? { cvt_is_main_thread() }
  }

  /// The executor of everything that has no other.
  final class Pool: TaskExecutor, SchedulingExecutor, @unchecked Sendable {
    private let platform = PlatformExecutorFactory.defaultExecutor
    private let timers = PlatformExecutorFactory.defaultExecutor as! any SchedulingExecutor

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      if !Scheduler.takes(job, .global) { enqueueElsewhere(job) }
    }

    func enqueueElsewhere(_ job: UnownedJob) { platform.enqueue(ExecutorJob(job)) }

    func enqueue<C: Clock>(_ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C) {
      let job = UnownedJob(job)
      guard let delay = delay as? Duration, Scheduler.takes(job, after: { Nanoseconds(delay) }) else {
        return timers.enqueue(ExecutorJob(job), after: delay, tolerance: tolerance, clock: clock)
      }
    }

    func enqueue<C: Clock>(_ job: consuming ExecutorJob, at instant: C.Instant, tolerance: C.Duration?, clock: C) {
      let job = UnownedJob(job)
      let isTaken = Scheduler.takes(job) { (clock.now.duration(to: instant) as? Duration).map { Nanoseconds($0) } ?? 0 }
      if !isTaken { timers.enqueue(ExecutorJob(job), at: instant, tolerance: tolerance, clock: clock) }
    }
  }

  extension UnownedJob {
    private static let noActor = unsafeBitCast((0, 0), to: UnownedSerialExecutor.self)

    /// The runtime's object, which a task is.
    var object: UnsafeRawPointer { unsafeBitCast(self, to: UnsafeRawPointer.self) }

    /// Runs the job here and now. The runtime puts the task that was current back, so that this may be called inside another job.
    func run(on lane: Lane) {
      switch lane {
      case .main: runSynchronously(on: Executors.main.asUnownedSerialExecutor())
      case .global: runSynchronously(on: Self.noActor)
      }
    }

    /// Has it run where it would without this library.
    func enqueueElsewhere() { Executors.global.enqueueElsewhere(self) }
  }

  extension Frames {
    /// Where this package's own code is.
    private static let sources =
      "\(#filePath)".split(separator: "/", omittingEmptySubsequences: false).dropLast(2).joined(separator: "/") + "/"

    private static let lock = NSLock()
    nonisolated(unsafe) private static var known: [[UInt64]: String?] = [:]

    /// The innermost frame that is neither the runtime's nor of this package.
    var place: String? {
      Self.lock.withLock {
        if let known = Self.known[addresses] { return known }
        let place = findPlace()
        Self.known[addresses] = .some(place)
        return place
      }
    }

    private func findPlace() -> String? {
      let frames = addresses.map { kind == .returnAddresses ? RichFrame<UInt64>.returnAddress($0) : .asyncResumePoint($0) }
      #if arch(x86_64)
        let architecture = "x86_64"
      #else
        let architecture = "arm64"
      #endif
      let trace = Backtrace(architecture: architecture, frames: frames, images: ImageMap.capture()).symbolicated()
      for frame in trace?.frames ?? [] {
        guard let symbol = frame.symbol, let source = symbol.sourceLocation, source.line > 0 else { continue }
        let foreign = [Self.sources, "Sources/CVirtualTime/", "compiler-generated", "/swift-generated-sources/"]
        if foreign.contains(where: source.path.contains) { continue }
        return "\(symbol.name) at \(source.path):\(source.line)"
      }
      return nil
    }
  }

  /// Cancels a task that is known by its object.
  func cancel(_ task: AnyObject) { unsafeBitCast(task, to: Task<Never, Never>.self).cancel() }
#else

  // Another platform or compiler: `Capture.isAvailable` is false, and nothing here is ever called.
  extension UnownedJob {
    var object: UnsafeRawPointer { preconditionFailure("Made for Swift 6.3 on Linux") }
    func run(on lane: Lane) { preconditionFailure("Made for Swift 6.3 on Linux") }
    func enqueueElsewhere() { preconditionFailure("Made for Swift 6.3 on Linux") }
  }

  extension Frames {
    var place: String? { nil }
  }

  func cancel(_ task: AnyObject) { preconditionFailure("Made for Swift 6.3 on Linux") }
#endif
