@testable import CurfewEngine

/// Callbacks that take long, and run loops that are busy without an assertion (rules A10, A13).
extension RuleChecker {
  /// Notes since when an app's run loop has been busy in the background without an assertion, after
  /// a call of the host.
  mutating func watchBusy(_ app: Int) {
    let record = apps[app]
    let isBusy =
      record.state == .background && record.owed != nil && record.isQuiet && record.quit == nil
      && !front.contains(app)
    guard isBusy != (record.busySince != nil) else { return }
    (apps[app].busySince, apps[app].isCalledBusy) = (isBusy ? now : nil, false)
  }

  mutating func noteBusy(_ call: RunningCall, _ app: Int) {
    let record = apps[app]
    guard let length = policy.limits.withoutAssertionWarning, let since = record.busySince else {
      return demand(false, "app \(app) is not busy without an assertion")
    }
    demand(
      !record.isCalledBusy && isDue(since + length), "app \(app) has not just been busy for long")
    demand(
      record.owed.flatMap(RunningCall.init) == call,
      "app \(app) runs \(record.owed?.text ?? "nothing"), not \(call)")
    demand(!isPunctual || limit(of: record) != now, "app \(app) is about to be ended anyway")
    apps[app].isCalledBusy = true
  }

  mutating func noteSlowDidEnterBackground(_ app: Int) {
    let record = apps[app]
    guard let warning = policy.limits.didEnterBackgroundWarning,
      case .callback(_, .didEnterBackground) = record.owed
    else {
      return demand(false, "app \(app) is not in didEnterBackground")
    }
    demand(
      !record.isCalledSlow && isDue(record.owedSince + warning),
      "didEnterBackground is not just slow")
    apps[app].isCalledSlow = true
  }

  /// Demands that what is slow or busy has been reported.
  func checkSlowness(_ app: App, _ id: AppID) {
    if let length = policy.limits.withoutAssertionWarning, let since = app.busySince {
      demand(
        app.isCalledBusy || since + length > now,
        "\(id.text) has been busy without an assertion since \(since.text)")
    }
    if let warning = policy.limits.didEnterBackgroundWarning,
      case .callback(_, .didEnterBackground) = app.owed
    {
      demand(
        app.isCalledSlow || app.owedSince + warning > now,
        "\(id.text) is slow in didEnterBackground, and nobody says so")
    }
  }
}

extension RunningCall {
  /// The call of an action that delivers something.
  fileprivate init?(_ delivery: Action) {
    switch delivery {
    case .callback(_, let callback): self = .callback(callback)
    case .expiration: self = .expirationHandler
    case .wakeBegan(_, let wake): self = .wake(wake.kind)
    case .wakeWarned: self = .wakeExpirationHandler
    case .sessionWarned: self = .sessionExpirationHandler
    default: return nil
    }
  }
}
