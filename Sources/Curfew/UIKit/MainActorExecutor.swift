internal import CurfewSystem
internal import Foundation

/// Runs apps' handlers on the main actor, where UIKit's run.
///
/// ```swift
/// let device = Device(policy: .ios13, clock: .realTime(clock), executor: MainActorExecutor())
/// ```
///
/// A device that is given one calls all of its apps there, on a virtual clock too: whoever advances
/// that from another thread waits for the main one, callback by callback. Somebody has to serve
/// the main thread, as a program with `RunLoop.main`, `dispatchMain()` or an asynchronous `main`
/// does; a handler that does not return keeps every app of the device waiting.
public struct MainActorExecutor: HandlerExecutor {
  /// An executor of the main actor.
  public init() {}

  /// Runs `work` on the main actor, soon.
  public func execute(_ work: @escaping @Sendable () -> Void) {
    // Detached: whoever hands it over may be a process's handler, and would pass that on.
    Task.detached { @MainActor in work() }
  }
}

extension DeviceCore {
  /// Runs `body` on the main actor, and waits for it: at once where the caller is there. A handler
  /// that it calls may advance a virtual clock, as on the thread that does.
  func onMainActor<Result: Sendable>(_ body: @MainActor () throws -> Result) throws -> Result {
    if MainActor.isHere { return try MainActor.assumeIsolated(body) }
    if let work, work.isHere {
      let process = AppProcess.current
      return try work.onMainThread {
        try AppProcess.$current.withValue(process) { try MainActor.assumeIsolated(body) }
      }
    }
    let process = AppProcess.current
    return try DispatchQueue.main.sync {
      let owner = lendPump(to: .current)
      defer { if let owner { _ = lendPump(to: owner) } }
      return try AppProcess.$current.withValue(process) {
        guard clock != nil, process != nil else { return try MainActor.assumeIsolated(body) }
        return try AppProcess.$callingThread.withValue(.current) {
          try MainActor.assumeIsolated(body)
        }
      }
    }
  }

  /// On a virtual clock: who delivers from now on is this thread, in place of the one that waits
  /// for it.
  /// - Returns: Which that was; nil where nobody delivers.
  private func lendPump(to thread: ThreadID) -> ThreadID? {
    lock.withLock {
      guard clock == nil, let owner = pump?.thread else { return nil }
      pump?.thread = thread
      return owner
    }
  }
}

extension MainActor {
  /// Marks the main queue, which where `dispatchMain()` serves it runs on any thread.
  private static let mark: DispatchSpecificKey<Bool> = {
    let mark = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: mark, value: true)
    return mark
  }()

  /// Whether the caller runs on the main actor.
  fileprivate nonisolated static var isHere: Bool {
    Thread.isMainThread || DispatchQueue.getSpecific(key: mark) == true
  }
}
