public import CurfewEngine

/// What a closure of a workload's app is given: what the app has been told, and what it may do now.
///
/// What it does takes effect in the order in which it is done, after the closure has returned and before anything else happens.
public struct AppTurn {
  /// What the app has been told.
  public enum Cause: Hashable, Sendable {
    /// A callback of its life, a handler, or a wake's event.
    case moment(Moment)
    /// Something that the closure itself planned, under this number.
    case planned(UInt32)
  }

  /// Why the app has the turn.
  public let cause: Cause
  /// When.
  public let now: Instant
  /// The app, by its place on its device.
  public let app: AppID
  /// The app's state.
  public let state: AppState
  /// Random numbers of the app's own, which no other app's and nothing else of this one moves.
  public var random: RandomStream
  var deeds: [Deed] = []

  enum Deed {
    case event(Event)
    case plan(UInt32, Interval)
  }

  /// Says to the engine what the app does, or what its user or the world does: `.startSession(app, .audio)`.
  public mutating func say(_ event: Event) { deeds.append(.event(event)) }

  /// Has the turn again so much later, while the app's process lives; time does not count while the app is suspended.
  public mutating func plan(_ number: UInt32, after length: Interval) { deeds.append(.plan(number, length)) }
}

extension DeviceRun {
  mutating func behave(_ id: AppID, _ behavior: (inout AppTurn) -> Void, planned number: UInt32? = nil) {
    let app = Int(id.rawValue)
    guard let cause = number.map(AppTurn.Cause.planned) ?? moment(app).map(AppTurn.Cause.moment) else { return }
    var turn = AppTurn(cause: cause, now: driver.now, app: id, state: driver.engine.state(of: id), random: apps[app].behavior)
    behavior(&turn)
    apps[app].behavior = turn.random
    for deed in turn.deeds {
      switch deed {
      case .event(let event): say(event)
      case .plan(let number, let length):
        add(Work(app: id, what: .own(number), since: driver.now, length: length, left: length, runningSince: driver.now))
      }
    }
  }

  private func moment(_ app: Int) -> Moment? {
    switch apps[app].delivery {
    case .none: nil
    case .callback(let callback): .callback(callback)
    case .expiration: .expirationHandler
    case .wake(let wake): .wake(plan.policy.names.name(of: wake.kind))
    case .wakeWarning: .wakeExpirationHandler
    case .sessionWarning: .sessionExpirationHandler
    case .event(let kind): .wake(plan.policy.names.name(of: kind))
    }
  }
}
