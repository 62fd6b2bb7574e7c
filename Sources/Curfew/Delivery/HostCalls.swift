internal import CurfewEngine
import CurfewSystem

/// The calls of a process's host. They wait among the deliveries of the process, and are made
/// in their turn. The device's lock guards everything except the constant.
///
/// Invariants: a suspension that waits has been neither called nor left. `suspend` and `resume`
/// are never in progress at the same time as another call of the host. The end of a process
/// is called at most once.
final class HostCalls: @unchecked Sendable {
  enum Call {
    /// The number of the suspension, counted from 1 in each process.
    case suspend(Int)
    case resume
    case end
  }

  let host: any ProcessHost
  /// The number of the suspension whose call waits for its turn.
  private var waiting: Int?
  private var suspensions = 0
  /// Set when the process has ended.
  private var end: ProcessEnd?
  private var isEndCalled = false
  /// Whether `suspend` or `resume` is in progress.
  private(set) var isCalling = false
  /// The app's next process. It is held back until the call of the end has returned.
  var successor: AppProcess?

  init(_ host: any ProcessHost) { self.host = host }

  /// Whether the process has ended and its end has not been called.
  var owesEnd: Bool { end != nil && !isEndCalled }

  /// Notes that the app has been suspended.
  func suspend() -> Call {
    suspensions += 1
    waiting = suspensions
    return .suspend(suspensions)
  }

  /// Notes that the app has left its suspension.
  /// - Returns: nil if the suspension had not been called; it will not be called either.
  func resume() -> Call? { waiting.take() == nil ? .resume : nil }

  /// Notes that the process has ended.
  func end(_ end: ProcessEnd) -> Call {
    self.end = end
    return .end
  }

  /// Whether a call must still be made; if so, it begins.
  func begin(_ call: Call) -> Bool {
    switch call {
    case .suspend(let number):
      guard waiting == number else { return false }
      (waiting, isCalling) = (nil, true)
    case .resume: isCalling = true
    case .end:
      guard owesEnd, !isCalling else { return false }
      isEndCalled = true
    }
    return true
  }

  /// Calls the host, on the calling thread. The lock is not held.
  func perform(_ call: Call, _ app: App) {
    switch call {
    case .suspend: host.suspend(app)
    case .resume: host.resume(app)
    case .end:
      // Set before the call was posted, and never changed.
      if let end { host.end(app, end) }
    }
  }

  /// Notes that `suspend` or `resume` has returned.
  func finish() { isCalling = false }
}

extension DeviceState {
  mutating func postSuspension(to process: AppProcess) {
    if let calls = process.hostCalls { outbox.post(.host(calls, calls.suspend()), to: process) }
  }

  mutating func postResumption(to process: AppProcess) {
    guard let calls = process.hostCalls, let call = calls.resume() else { return }
    outbox.post(.host(calls, call), to: process)
  }

  /// Posts the end of a process, which has just died. It receives nothing else any more.
  mutating func postEnd(_ end: ProcessEnd, to process: AppProcess) {
    guard let calls = process.hostCalls else { return }
    for delivery in process.empty() { leaveOut(delivery) }
    apps[process.app].ending = process
    let isInCallback = process.isScheduled && !calls.isCalling
    let call = calls.end(end)
    outbox.post(.host(calls, call), to: process)
    // The callback may be waiting for the process that the host has to kill.
    if isInCallback, end.reason.leavesProcess, !process.isCallingHere {
      outgoing.ends.append(process)
    }
  }

  /// Notes that a call of a process's host has returned.
  mutating func finish(_ call: HostCalls.Call, of process: AppProcess) {
    guard let calls = process.hostCalls else { return }
    guard case .end = call else { return calls.finish() }
    if apps[process.app].ending === process { apps[process.app].ending = nil }
    if let next = calls.successor.take() { outbox.release(next) }
  }
}

extension AppProcess {
  /// Whether the process has ended and its host is still to be called.
  var owesEnd: Bool { hostCalls?.owesEnd ?? false }

  /// In real time: whether the caller is in a callback of the process, on the callback's thread.
  fileprivate var isCallingHere: Bool {
    AppProcess.current === self && AppProcess.caller.call?.isTurnOfThread == true
  }
}

extension TerminationReason {
  /// Whether the policy has ended the process, which lives until its host kills it. Otherwise
  /// the end is a report about a process that has ended already.
  fileprivate var leavesProcess: Bool {
    switch self {
    case .appWatchdog, .cpuResourceLimit, .memoryResourceLimit, .memoryPressure,
      .suspendedWithLockedFile, .backgroundTaskAssertionTimeout, .userForceQuit, .reboot,
      .tooManyBackgroundTasks:
      true
    case .normalAppExit, .abnormalExit, .badAccess, .illegalInstruction, .oomKill, .signal,
      .spawnFailed, .hostFailure:
      false
    }
  }
}
