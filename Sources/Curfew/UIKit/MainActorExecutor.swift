internal import CurfewSystem
internal import Foundation

/// Runs apps' handlers on the main actor, as UIKit does.
///
/// ```swift
/// let device = Device(policy: .ios13, clock: .realTime(clock), executor: MainActorExecutor())
/// ```
///
/// A device with this executor calls all of its apps on the main actor, on a virtual clock too:
/// a thread that advances the clock waits for the main thread at each callback. The program must
/// serve the main thread, with `RunLoop.main`, `dispatchMain()` or an asynchronous `main`.
/// A handler that does not return blocks every app of the device.
public struct MainActorExecutor: HandlerExecutor {
  /// Creates an executor of the main actor.
  public init() {}

  /// Runs `work` on the main actor, soon.
  public func execute(_ work: @escaping @Sendable () -> Void) {
    // Detached: the caller may be a handler, and the task must not inherit its process.
    Task.detached { @MainActor in work() }
  }
}

extension DeviceCore {
  /// Runs `body` on the main actor, and waits for it; runs it at once if the caller is on
  /// the main actor. A handler in `body` may advance a virtual clock, as it may on the thread that
  /// delivers callbacks.
  func onMainActor<Result: Sendable>(_ body: @MainActor () throws -> Result) throws -> Result {
    if MainActor.isHere { return try MainActor.assumeIsolated(body) }
    if let work, work.isHere {
      let process = AppProcess.current
      return try work.onMainThread {
        try AppProcess.with(process) { try MainActor.assumeIsolated(body) }
      }
    }
    let process = AppProcess.current
    return try DispatchQueue.main.sync {
      let owner = lendPump(to: .current)
      defer { if let owner { _ = lendPump(to: owner) } }
      let isCall = clock != nil && process != nil
      return try AppProcess.with(process, isCall ? .here(isTurn: true) : nil) {
        try MainActor.assumeIsolated(body)
      }
    }
  }

  /// On a virtual clock: runs `body` on the main actor or off it, and waits for it; runs it at once
  /// if the caller is there. A handler in `body` may advance the clock.
  func run(onMainActor isOnMainActor: Bool, _ body: @escaping @Sendable () -> Void) {
    guard MainActor.isHere != isOnMainActor else { return body() }
    let handed = HandedWork(body)
    guard isOnMainActor else { return offMainActor(handed) }
    do { try onMainActor { handed.run() } } catch {
      preconditionFailure("Work that cannot throw has thrown \(error)")
    }
  }

  private func offMainActor(_ handed: HandedWork) {
    if let work, work.isHere { return work.offMainThread { handed.run() } }
    let done = DispatchSemaphore(value: 0)
    DispatchQueue.global().async { [self] in
      let owner = lendPump(to: .current)
      handed.run()
      if let owner { _ = lendPump(to: owner) }
      done.signal()
    }
    var patience = Patience(
      "a handler that runs off the main actor has not returned, and may be waiting for the main thread, which waits for it: register it using: .main, or advance the clock on another thread"
    )
    while done.wait(timeout: .now() + 0.1) == .timedOut { patience.wait(0.1) }
  }

  /// On a virtual clock: makes `thread` the deliverer, in place of the thread that waits for it.
  /// - Returns: The former deliverer; nil if no thread was delivering.
  func lendPump(to thread: ThreadID) -> ThreadID? {
    lock.withLock {
      guard clock == nil, let owner = pump?.thread else { return nil }
      pumps[pumps.count - 1].thread = thread
      return owner
    }
  }
}

extension MainActor {
  /// Marks the main queue: if `dispatchMain()` serves it, it may run on any thread.
  private static let mark: DispatchSpecificKey<Bool> = {
    let mark = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: mark, value: true)
    return mark
  }()

  /// Whether a queue is the main queue itself.
  nonisolated static func isRun(by queue: DispatchQueue) -> Bool {
    queue.getSpecific(key: mark) == true
  }

  /// Whether the caller runs on the main actor.
  fileprivate nonisolated static var isHere: Bool {
    Thread.isMainThread || DispatchQueue.getSpecific(key: mark) == true
  }
}
