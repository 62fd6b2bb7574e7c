public import CurfewEngine
import CurfewPolicy
public import CurfewTrace
public import Foundation

/// Something that a program asked for and that changed nothing, or that it should know of although
/// nobody asks: what a phone would be silent about, or write to a log that nobody reads.
public struct DeviceDiagnostic: Hashable, Sendable {
  /// What there is to say.
  public enum Cause: Hashable, Sendable {
    /// The app, or the device, is not in a state that admits the call: the app is suspended,
    /// or does not run.
    case objection(Objection)
    /// The process has no such task open, by the number that traces have for it: it was ended
    /// before, or never begun.
    case unknownTask(Int)
    /// What was called belongs to a process that has ended: it was work of that process, or named
    /// a task of it (rule F9).
    case deadProcess
    /// The app's manifest does not permit the identifier (`BGTaskSchedulerPermittedIdentifiers`).
    case unpermitted(String)
    /// The device is closed.
    case deviceClosed
    /// The policy denied it, for these reasons.
    case denied(Decision)
    /// The app had as many tasks open as the policy allows; one more has ended its process
    /// (rule F9).
    case tooManyTasks(limit: Int)
    /// A request that was taken may begin more than a year from the device's date at the earliest.
    /// Its date was probably made by another clock than `Device.date`.
    case distantRequest(String, earliest: Date)
    /// A test wanted it so: `App.denyNextBackgroundTask()`.
    case deniedByTest
    /// Something that the engine remarks: a launch was slow, a task is old, memory is short,
    /// a handler returned and left tasks open.
    case remark(Diagnostic)
    /// On a virtual clock: the app answers what it is called with by causing it again at the same
    /// instant, so that time does not go on (rule C4). `advance(by:)` returns where it stands; the
    /// next event from outside, or the next `advance(by:)`, tries again.
    case standstill(Standstill)
    /// Work that no app owns goes on although the device's only app is suspended or has ended: it
    /// should begin in `App.run`. Told once for a device, in tests with `CurfewTesting`.
    case unownedWork(UnownedWork)
  }

  /// Work that no app owns.
  public struct UnownedWork: Hashable, Sendable {
    /// The function that it is in.
    public let function: String
    /// The function, the file and the line that began it, where the program's symbols tell: `test()
    /// at …/Tests/UploadTests.swift:12`.
    public let place: String?
    /// Whether its app is suspended; if not, the app's process has ended.
    public let isAppSuspended: Bool
  }

  /// The app's name; nil for what concerns the device.
  public let app: String?
  /// When.
  public let instant: Instant
  /// What was called, such as `beginBackgroundTask(withName:fileID:line:expirationHandler:)`; nil
  /// where no call is meant.
  public let call: String?
  /// What there is to say of it.
  public let cause: Cause
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

  /// What there is to say, without who, when and what was called.
  var reason: String {
    switch cause {
    case .objection(let objection): objection.words
    case .unknownTask(let number): "its task \(number) is not open"
    case .deadProcess: "it comes from a process that has ended, or names something of one"
    case .unpermitted(let identifier): "its manifest does not permit the identifier '\(identifier)'"
    case .deviceClosed: "the device is closed"
    case .denied(let decision): "it was denied: \(decision)"
    case .tooManyTasks(let limit):
      "it is one task more than the \(limit) that the policy allows, which has ended the process"
    case .distantRequest(let identifier, let date):
      "the request '\(identifier)' may begin \(date) at the earliest, more than a year from the device's own date; that is Device.date, and begins where startDate says"
    case .deniedByTest: "the test denies it"
    case .remark(let remark): remark.fileName
    case .unownedWork(let work): "\(work.function), which no app owns, runs on"
    case .standstill(let standstill): "\(standstill)"
    }
  }
}

extension Device {
  /// What changed nothing, or should be known, the first first; of very many the last thousand
  /// and some.
  public var diagnostics: [DeviceDiagnostic] { core.withState { $0.log.diagnostics.elements } }

  /// What comes from now on, until the device is closed. Of what nobody reads the last thousand
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
  /// What changed nothing last, or should be known of it: why `beginBackgroundTask` answered
  /// `invalid`, for instance.
  public var lastDiagnostic: DeviceDiagnostic? { core.withState { $0.apps[id].lastDiagnostic } }

  /// The next background task that could be begun is denied, whatever the policy says:
  /// `beginBackgroundTask` answers `invalid`, `withBackgroundTask` throws. For tests of what an app
  /// does then.
  ///
  /// - Parameter count: How many are denied, one after the other.
  public func denyNextBackgroundTask(_ count: Int = 1) {
    precondition(count >= 0, "\(count) tasks to deny")
    core.withState { $0.apps[id].tasksToDeny = count }
  }
}

extension DeviceState {
  /// The decision that an answer holds. A denial is noted as a diagnostic.
  mutating func notedDecision(_ answer: Answer, _ app: AppID, call: StaticString) -> Decision? {
    let decision = decision(answer, app)
    if let decision, !decision.isAllowed { note(.denied(decision), of: app, call: call) }
    return decision
  }

  /// Keeps what there is to say, and tells whoever reads it.
  ///
  /// - Parameter app: nil for what concerns the device.
  mutating func note(_ cause: DeviceDiagnostic.Cause, of app: AppID?, call: StaticString? = nil) {
    let found = DeviceDiagnostic(
      app: app.map { apps[$0].name }, instant: now, call: call.map { "\($0)" }, cause: cause)
    if let app { apps[app].lastDiagnostic = found }
    log.note(found)
  }
}
