public import CurfewEngine
import CurfewPolicy
public import CurfewTrace
public import Foundation

/// A call of the program that had no effect, or a remark that no call has asked for. A phone would
/// ignore both, or write them to a log that is rarely read.
public struct DeviceDiagnostic: Hashable, Sendable {
  /// The cause of a diagnostic.
  public enum Cause: Hashable, Sendable {
    /// The app or the device is not in a state that allows the call. For example, the app
    /// is suspended or not running.
    case objection(IllegalEventReason)
    /// The process has no open task with this number, as traces number tasks: the task has ended
    /// or was never begun.
    case unknownTask(Int)
    /// The app has completed the wake before (rule W2).
    case alreadyCompleted(SecondCompletion)
    /// The call comes from work of a process that has ended, or names a task of such a process
    /// (rule F9).
    case deadProcess
    /// The call names a task of another app: the task's number, as traces number tasks, and the
    /// app's name.
    case taskOfAnotherApp(Int, app: String)
    /// This callback or handler has kept the app's run loop busy in the background although the app
    /// holds no assertion (rule A13).
    case runsWithoutAssertion(AppCall)
    /// The app's manifest does not permit the identifier (`BGTaskSchedulerPermittedIdentifiers`).
    case unpermitted(String)
    /// The device is closed.
    case deviceClosed
    /// The policy denied the call, for these reasons.
    case denied(Decision)
    /// The app had as many open tasks as the policy allows, and beginning another has ended its
    /// process (rule F9).
    case tooManyTasks(limit: Int)
    /// The earliest begin of an accepted request is more than a year after the device's date. It
    /// was probably computed from a clock other than `Device.date`.
    case distantRequest(String, earliest: Date)
    /// A test denied the task: `App.denyNextBackgroundTask()`.
    case deniedByTest
    /// A remark of the engine: a launch was slow, a task is old, memory is short, a handler
    /// returned and left tasks open.
    case remark(Diagnostic)
    /// The sink of the device's recording has failed, for this cause. The recording ends with the
    /// last whole step; the device goes on.
    case recordingFailed(String)
    /// On a virtual clock: the app responds to a callback by causing the callback again at the same
    /// instant, so that time cannot pass (rule C4). `advance(by:)` returns at that instant. The
    /// next event from outside, or the next `advance(by:)`, tries again.
    case standstill(Standstill)
    /// Work that no app owns continues although the device's only app is suspended or has
    /// ended. The work should begin in `App.run`. Reported once for each device, in tests
    /// with `CurfewTesting`.
    case unownedWork(UnownedWork)
  }

  /// A completion of a wake that was already complete.
  public struct SecondCompletion: Hashable, Sendable {
    /// The kind of the wake.
    public let kind: KindName
    /// The number of the wake.
    public let wake: WakeID
    /// The identifier of the request that the wake came from; nil if it came from none.
    public let identifier: String?
    /// The instant of the first completion.
    public let first: Instant
  }

  /// Work that no app owns.
  public struct UnownedWork: Hashable, Sendable {
    /// The function that the work is in.
    public let function: String
    /// The function, the file and the line that began the work, if the program's symbols contain
    /// them: `test() at …/Tests/UploadTests.swift:12`.
    public let place: String?
    /// Whether the app is suspended; if not, the app's process has ended.
    public let isAppSuspended: Bool
  }

  /// The app's name; nil if the diagnostic concerns the device.
  public let app: String?
  /// The instant of the call or remark.
  public let instant: Instant
  /// The call, such as `beginBackgroundTask(withName:fileID:line:expirationHandler:)`; nil if
  /// the diagnostic is not about a call.
  public let call: String?
  /// The cause.
  public let cause: Cause
  /// The open tasks that a remark is about, with their names and the places that began them: for
  /// `stillOpenAfterExpiration` all tasks that are still open, for `taskTooOld` and
  /// `deliveredInForeground` one task; else empty.
  public let openTasks: [OpenTask]
}

extension DeviceDiagnostic: CustomStringConvertible {
  /// `com.example.mail at 31s: beginBackgroundTask(…) changed nothing because it is suspended`.
  public var description: String {
    if case .unownedWork(let work) = cause, let app {
      return
        "\(work.function) runs on although \(app) \(work.isAppSuspended ? "is suspended" : "has ended"); start it with app.run"
    }
    return "\(app ?? "the device") at \(instant): "
      + (call.map { "\($0) changed nothing because \(reason)" } ?? reason)
  }

  /// The cause in words, without app, instant and call.
  var reason: String {
    switch cause {
    case .objection(let objection): objection.words
    case .unknownTask(let number): "its task \(number) is not open"
    case .alreadyCompleted(let again):
      "its wake \(again.wake.rawValue), \(again.kind)\(again.identifier.map { " of request '\($0)'" } ?? ""), has been complete since \(again.first)"
    case .deadProcess: "it comes from a process that has ended, or names a task of such a process"
    case .taskOfAnotherApp(let number, let app): "task \(number) belongs to \(app)"
    case .runsWithoutAssertion(let call):
      "\(Diagnostic.runsWithoutAssertion.fileName): \(call.fileName)"
    case .unpermitted(let identifier): "its manifest does not permit the identifier '\(identifier)'"
    case .deviceClosed: "the device is closed"
    case .denied(let decision): "it was denied: \(decision)"
    case .tooManyTasks(let limit):
      "it is one task more than the \(limit) that the policy allows, which has ended the process"
    case .distantRequest(let identifier, let date):
      "the request '\(identifier)' may begin \(date) at the earliest, more than a year from the device's own date; use Device.date, which starts at startDate"
    case .deniedByTest: "the test denies it"
    case .remark(let remark):
      remark.fileName
        + (openTasks.isEmpty ? "" : ": " + openTasks.map(\.words).joined(separator: "; "))
    case .unownedWork(let work): "\(work.function), which no app owns, runs on"
    case .standstill(let standstill): "\(standstill)"
    case .recordingFailed(let cause): "the recording has ended: \(cause)"
    }
  }
}

extension Device {
  /// The calls that had no effect, and the remarks, oldest first. At least the last 1,000 are kept.
  public var diagnostics: [DeviceDiagnostic] { core.withState { $0.log.diagnostics.elements } }

  /// The diagnostics from now on, until the device is closed. The last 1,000 unread diagnostics
  /// are kept.
  public var diagnosticUpdates: AsyncStream<DeviceDiagnostic> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: DeviceDiagnostic.self, bufferingPolicy: .bufferingNewest(1_000))
    let isClosed = core.withState { state in
      if !state.isClosed { state.log.add(continuation) }
      return state.isClosed
    }
    if isClosed { continuation.finish() }
    return stream
  }
}

extension App {
  /// The latest diagnostic about the app: for instance the reason why `beginBackgroundTask`
  /// returned `invalid`.
  public var lastDiagnostic: DeviceDiagnostic? { core.withState { $0.apps[id].lastDiagnostic } }

  /// Denies the next background task that could be begun, regardless of the policy:
  /// `beginBackgroundTask` returns `invalid`, `withBackgroundTask` throws. For tests of how an app
  /// handles a denial.
  ///
  /// - Parameter count: The number of tasks to deny, one after the other.
  public func denyNextBackgroundTask(_ count: Int = 1) {
    precondition(count >= 0, "The number of tasks to deny is negative: \(count)")
    core.withState { $0.apps[id].tasksToDeny = count }
  }
}

extension DeviceState {
  /// The decision in an answer, if any. A denial is noted as a diagnostic.
  mutating func notedDecision(_ answer: EventAnswer, _ app: AppID, call: StaticString) -> Decision?
  {
    let decision = decision(answer, app)
    if let decision, !decision.isAllowed { note(.denied(decision), of: app, call: call) }
    return decision
  }

  /// Keeps a diagnostic, and passes it to the readers.
  ///
  /// Not inlined, because every begin and end of a task would prepare its large frame.
  ///
  /// - Parameter app: nil if the diagnostic concerns the device.
  @inline(never)
  mutating func note(
    _ cause: DeviceDiagnostic.Cause, of app: AppID?, call: StaticString? = nil,
    openTasks: [OpenTask] = []
  ) {
    let found = DeviceDiagnostic(
      app: app.map { apps[$0].name }, instant: now, call: call.map { "\($0)" }, cause: cause,
      openTasks: openTasks)
    if let app { apps[app].lastDiagnostic = found }
    log.note(found)
  }
}
