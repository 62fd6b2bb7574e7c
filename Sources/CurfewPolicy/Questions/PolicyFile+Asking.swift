package import CurfewEngine

/// Asks one policy many questions. Building an engine costs more than asking it, so an engine
/// is built once for each device and copied for each question.
package final class AdmissionDesk {
  private final class Origin {
    let driver: Driver
    init(_ driver: consuming Driver) { self.driver = driver }
  }

  private let policy: Policy
  private var origins: [DeviceFacts: Origin] = [:]

  package init(_ file: PolicyFile) { policy = file.policy }

  /// Returns the reasons for which an engine under this policy denies the question's kind; none if
  /// the kind is admitted.
  ///
  /// - Precondition: In a question about a task or a session the app is in front, because an app
  ///   that is not running cannot request either.
  package func denials(of question: AdmissionQuestion) -> Denials {
    let names = policy.names
    guard let kind = names.kind(question.kind) else { return Denials() }
    let isWake = names.class(of: kind) == .wake
    precondition(
      isWake || question.presence == .inFront,
      "'\(question.kind)' can be requested only in front, not '\(question.presence)'")
    var device = question.device
    device.declared = question.facts.numbered(names)
    var driver = origin(device).driver.copy()
    let (app, other) = (driver.addApp(question.app.numbered(names) { _ in 0 }), driver.addApp())
    for event in question.events(app, beside: other) { driver.settle(event) }
    let event: Event =
      switch names.class(of: kind) {
      case .task: .beginTask(app, label: 0, handler: .absent)
      case .session: .startSession(app, kind)
      case .wake: .deliver(app, kind)
      }
    guard case .decision(_, let denied, _) = driver.ask(event) else { return Denials() }
    return policy.denials(denied, of: kind)
  }

  private func origin(_ device: DeviceFacts) -> Origin {
    if let origin = origins[device] { return origin }
    let origin = Origin(Driver(Engine(policy: policy, device: device, minimumCapacity: 2)))
    origins[device] = origin
    return origin
  }
}

extension PolicyFile {
  /// See `AdmissionDesk`, which answers many questions faster.
  package func denials(of question: AdmissionQuestion) -> Denials {
    AdmissionDesk(self).denials(of: question)
  }

  /// The background modes of which an app must declare one for `kind`, by name.
  package func modes(askedBy kind: KindName) -> [String] {
    value("mode", kind).map(names(at:)) ?? []
  }

  /// The names in the list at `path`.
  func names(at path: String) -> [String] {
    let text = entry(path)?.text ?? "none"
    return text == "none" ? [] : text.split(separator: ", ").map(String.init)
  }
}

extension AdmissionQuestion {
  /// The events that bring an app to this presence from a fresh start.
  func arrival(_ app: AppID) -> [Event] {
    switch presence {
    case .inFront: [.launch(app)]
    case .suspended: [.launch(app), .home(app)]
    case .notRunning: []
    case .forceQuit: [.launch(app), .forceQuit(app)]
    case .beforeFirstUnlock: [.reboot]
    }
  }

  /// The events that bring the app and its user to this state; `other` is an app for the user
  /// to use.
  fileprivate func events(_ app: AppID, beside other: AppID) -> [Event] {
    let arrival = arrival(app)
    if presence == .inFront || presence == .beforeFirstUnlock { return arrival }
    return switch attendance {
    case .nobody: arrival
    case .somebody: arrival + [.launch(other)]
    case .locked: arrival + [.lock]
    }
  }
}

extension Driver {
  /// Sends the event, and makes every callback return at once.
  mutating func settle(_ event: Event) {
    say(event)
    while let item = next(until: now) { if case .turn(let app) = item { say(.returned(app)) } }
  }
}
