import Curfew
internal import Dispatch
internal import Foundation
import VirtualConcurrency

/// Lets a capture run a device's async work.
final class CapturedWork: VirtualWork {
  private let capture: Capture
  private let calls: CallLog

  init(_ capture: Capture, _ calls: CallLog) { (self.capture, self.calls) = (capture, calls) }

  var isHere: Bool { Capture.isHere }
  var nextSleep: Int64? { capture.nextSleep }
  /// A call from a thread that is not captured runs no work; the next call from a captured
  /// thread does.
  func settle(withTest isTestIncluded: Bool) -> Bool {
    Capture.isHere && capture.settle(withBody: isTestIncluded)
  }
  func waitForSessions() -> Bool { Capture.isHere && capture.waitForSessions() }
  func wake(upTo instant: Int64) { capture.wake(upTo: instant) }
  var owner: AnyObject? { Capture.isHere ? capture.currentOwner : nil }
  var unowned: UnownedWorkWatch? { capture.unownedWork.map { UnownedWorkWatch($0) } }
  var currentTask: UInt64? { capture.currentTask }
  func takeOverslept() -> UnownedWorkWatch? {
    capture.takeOverslept().map { UnownedWorkWatch($0) }
  }
  func call<Result>(for process: AnyObject, named name: String, _ body: () throws -> Result)
    rethrows -> Result
  {
    try calls.during(name) { Capture.isHere ? try capture.call(for: process, body) : try body() }
  }
  var caller: (any CallerPlace)? { Caller() }
  var isMainThreadWaiting: Bool { capture.isMainThreadWaiting }
  func onMainThread<Result: Sendable>(_ body: () throws -> Result) throws -> Result {
    try capture.onMainThread(body)
  }
  func offMainThread(_ body: @escaping () -> Void) { capture.offMainThread(body) }
  var hasWaits: Bool { capture.hasWaits }
  func wait(for process: AnyObject, until isOver: @escaping () -> Bool) {
    capture.wait(for: process, until: isOver)
  }
  func start(for process: AnyObject, _ body: @escaping @Sendable () -> Void) -> Bool {
    guard Capture.isHere, VirtualTime.followsDispatch else { return false }
    capture.withOwner(process) { DispatchQueue.global().async(execute: body) }
    return true
  }
  func blocked(in process: AnyObject) -> (any BlockedPlaces)? { capture.blocked(in: process) }
  func hold(_ process: AnyObject) { capture.hold(process) }
  func release(_ process: AnyObject) { capture.release(process) }
  func drop(_ process: AnyObject) { capture.drop(process) }
}

extension BlockedThreads: BlockedPlaces {}

extension UnownedWorkWatch {
  init(_ work: VirtualConcurrency.UnownedWork) {
    self.init(task: work.task) {
      let place = work.place
      // "f() at /path/File.swift:12": the function that the work is in, or, if unknown,
      // the function that began it.
      let function = (work.currentPlace ?? place)?.components(separatedBy: " at ").first
      return (function ?? "Work", place)
    }
  }
}
