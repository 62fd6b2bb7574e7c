internal import CurfewEngine
import CurfewPolicy
internal import Foundation

/// A request that is being passed to the engine.
struct TaskSubmission: Sendable {
  /// The earliest start.
  enum Earliest: Sendable {
    /// An interval after the submission.
    case after(Interval)
    /// A date; nil means at once.
    case at(Date?)
  }

  let identifier: String
  let kind: KindName
  let earliest: Earliest
  let requiresNetwork: Bool
  let requiresPower: Bool
}

/// Facts about an app's requests that the engine does not keep. Like requests, they
/// outlive processes.
struct TaskRequestRecords {
  struct Record {
    /// The date that the caller gave, if any.
    let earliestBeginDate: Date?
    /// Whether the request was submitted to the `BGTaskScheduler`.
    let isOfScheduler: Bool
  }

  var scheduler: BGTaskScheduler?
  /// Keyed by the numbers of identifiers; at most one per identifier that the manifest permits. A
  /// record stays after its request has been started, until the next submission replaces it.
  var records: [UInt32: Record] = [:]
}

extension DeviceState {
  /// Whether the last accepted request for an app's identifier was submitted to
  /// its `BGTaskScheduler`.
  mutating func isOfScheduler(_ identifier: String, _ app: AppID) -> Bool {
    apps[app].taskRequests.records[texts.number(of: identifier)]?.isOfScheduler ?? false
  }
}

/// Registrations, submissions and pending requests.
extension DeviceCore {
  /// - Returns: Whether the handler was registered.
  func register(_ handler: LaunchHandler, for identifier: String, of app: AppID, call: StaticString)
    -> Bool
  {
    let caller = AppProcess.current
    let exception = withState { state -> Result<Bool, SchedulerException> in
      let record = state.apps[app]
      guard isAllowed(caller, app), let process = record.process,
        record.manifest.permittedIdentifiers.contains(identifier)
      else {
        let cause: DeviceDiagnostic.Cause =
          if state.isClosed { .deviceClosed } else if !isAllowed(caller, app) {
            .deadProcess
          } else if record.process == nil {
            .objection(.notRunning)
          } else {
            .unpermitted(identifier)
          }
        state.note(cause, of: app, call: call)
        return .success(false)
      }
      guard process.launchHandlers[identifier] == nil else {
        return .failure(.registeredTwice(identifier))
      }
      guard !process.hasFinishedLaunching else { return .failure(.registeredLate(identifier)) }
      process.launchHandlers[identifier] = handler
      return .success(true)
    }
    switch exception {
    case .success(let isRegistered): return isRegistered
    case .failure(let exception):
      raise(exception, in: app, call: call)
      return false
    }
  }

  /// Whether a submission is accepted or denied without an exception: its identifier has a handler,
  /// or the engine refuses the identifier.
  func mayBeSubmitted(_ identifier: String, by app: AppID) -> Bool {
    withState { state in
      let record = state.apps[app]
      guard let process = record.process, record.manifest.permittedIdentifiers.contains(identifier)
      else { return true }
      return process.launchHandlers[identifier] != nil
    }
  }

  /// Ends the app's process, if it is running, in the same way as an uncaught exception.
  func raise(_ exception: SchedulerException, in app: AppID, call: StaticString) {
    tell(by: app, call: call) { state in
      let current = state.driver.engine.state(of: app)
      guard [.inactive, .active, .background].contains(current) else {
        state.note(
          .objection(current == .suspended ? .suspended : .notRunning), of: app, call: call)
        return nil
      }
      state.apps[app].error = "\(exception)"
      return .crash(app, .abnormalExit)
    }
  }

  func submit(_ submission: TaskSubmission, of app: AppID, call: StaticString)
    throws(TaskRequestDeniedError)
  {
    let kind = submission.kind
    let number = requestedNumber(of: kind)
    let answer = tell(by: app, call: call) { state in
      .submitTask(
        app,
        TaskRequest(
          identifier: state.texts.number(of: submission.identifier), kind: number,
          earliest: interval(until: submission.earliest, state.now),
          requiresNetwork: submission.requiresNetwork, requiresPower: submission.requiresPower))
    } answered: { state, answer -> Explanation? in
      switch answer {
      case .request(_, .refused(let error)):
        return state.policy.explanation(ofRefusal: error, kind: kind, in: state.setting(of: app))
      case .request:
        note(submission, of: app, &state)
        return nil
      default: return state.policy.explanation(ofUnheardRequest: kind, in: state.setting(of: app))
      }
    }
    // The engine gave no answer: the device is closed, or the app is not running.
    let unheard = {
      self.policy.explanation(ofUnheardRequest: kind, in: self.withState { $0.setting(of: app) })
    }
    guard let explanation = answer ?? unheard() else { return }
    throw TaskRequestDeniedError(
      identifier: submission.identifier, kind: kind, explanation: explanation)
  }

  private func note(_ submission: TaskSubmission, of app: AppID, _ state: inout DeviceState) {
    let record =
      switch submission.earliest {
      case .after(.zero): TaskRequestRecords.Record(earliestBeginDate: nil, isOfScheduler: false)
      case .after(let interval):
        TaskRequestRecords.Record(
          earliestBeginDate: date(at: state.now + interval), isOfScheduler: false)
      case .at(let date): TaskRequestRecords.Record(earliestBeginDate: date, isOfScheduler: true)
      }
    state.apps[app].taskRequests.records[state.texts.number(of: submission.identifier)] = record
    if case .at(let date?) = submission.earliest,
      date.timeIntervalSince(self.date(at: state.now)) > 366 * 86400
    {
      state.note(.distantRequest(submission.identifier, earliest: date), of: app)
    }
  }

  /// An app's pending requests for refresh and processing, in the order of their submission.
  func pendingTaskRequests(of app: AppID) -> sending [BGTaskRequest] {
    query { state in
      guard !state.isClosed else { return [] }
      let records = state.apps[app].taskRequests.records
      return state.driver.engine.pendingRequests(of: app).compactMap { pending in
        let identifier = state.texts[pending.identifier]
        let request: BGTaskRequest
        switch pending.kind {
        case .appRefresh: request = BGAppRefreshTaskRequest(identifier: identifier)
        case .processing:
          let processing = BGProcessingTaskRequest(identifier: identifier)
          processing.requiresNetworkConnectivity = pending.requiresNetwork
          processing.requiresExternalPower = pending.requiresPower
          request = processing
        default: return nil
        }
        request.earliestBeginDate = records[pending.identifier]?.earliestBeginDate
        return request
      }
    }
  }
}
