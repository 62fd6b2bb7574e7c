public import CurfewEngine

/// The turn of an app that is modelled by a closure: the reason for the turn, and the calls that
/// the app may make.
///
/// The calls take effect in the order in which they are made, after the closure has returned
/// and before anything else happens.
public struct AppTurn {
  /// The reason for the turn.
  public enum Cause: Hashable, Sendable {
    /// A lifecycle callback, a handler, or a wake's event.
    case moment(AppCall)
    /// The expiration handler of a task that the closure began under this number.
    case expiration(UInt32)
    /// Something that the closure planned under this number.
    case planned(UInt32)
  }

  /// The reason for the turn.
  public let cause: Cause
  /// The current instant.
  public let now: Instant
  /// The app, by its index on its device.
  public let app: AppID
  /// The app's state.
  public let state: AppState
  /// Random numbers for this turn alone: they depend neither on earlier draws nor on any other app.
  public var random: RandomStream
  var deeds: [Deed] = []

  enum Deed {
    case event(Event)
    case plan(UInt32, Interval)
    case begin(UInt32)
    case end(UInt32)
  }

  /// Sends the engine an event that comes from the app, its user or the world:
  /// `.startSession(app, .audio)`, `.completeWake(app, WakeChoice(kind: .fetch), .newData)`.
  public mutating func say(_ event: Event) { deeds.append(.event(event)) }

  /// Begins a background task with a handler. The closure identifies the task by `number`. If
  /// the task is denied, there is no task to end.
  public mutating func beginTask(_ number: UInt32) { deeds.append(.begin(number)) }

  /// Ends the task that was begun under this number; does nothing if there is none.
  public mutating func endTask(_ number: UInt32) { deeds.append(.end(number)) }

  /// Gives the app another turn after `length`, if its process still lives. Time while the app
  /// is suspended does not count.
  /// - Precondition: The length is not negative.
  public mutating func plan(_ number: UInt32, after length: Interval) {
    precondition(length >= .zero, "The length is negative: \(length.nanoseconds) ns")
    deeds.append(.plan(number, length))
  }
}

extension DeviceRun {
  mutating func behave(
    _ id: AppID, _ behavior: (inout AppTurn) -> Void, planned number: UInt32? = nil
  ) {
    let app = Int(id.rawValue)
    guard let cause = number.map(AppTurn.Cause.planned) ?? cause(app) else { return }
    apps[app].turns += 1
    let random = apps[app].path.app(.behavior).child(UInt64(apps[app].opens)).stream(
      apps[app].turns)
    var turn = AppTurn(
      cause: cause, now: driver.now, app: id, state: driver.engine.state(of: id), random: random)
    behavior(&turn)
    for deed in turn.deeds {
      switch deed {
      case .event(let event): say(event)
      case .plan(let number, let length):
        add(
          Work(
            app: id, what: .own(number), since: driver.now, length: length, left: length,
            runningSince: driver.now))
      case .begin(let number):
        let label = UInt32(plan.sorts[apps[app].sort].model.tasks.count)
        guard case .begun(let task) = ask(.beginTask(id, label: label, handler: .present)),
          task.id != .invalid
        else { continue }
        apps[app].ownTasks.append((number, task))
      case .end(let number):
        guard let place = apps[app].ownTasks.firstIndex(where: { $0.number == number }) else {
          continue
        }
        say(.endTask(id, apps[app].ownTasks.remove(at: place).task))
      }
    }
  }

  private func cause(_ app: Int) -> AppTurn.Cause? {
    switch apps[app].delivery {
    case .none: nil
    case .callback(let callback): .moment(.callback(callback))
    case .expiration(let task):
      apps[app].ownTasks.first { $0.task == task }.map { .expiration($0.number) }
        ?? .moment(.expirationHandler)
    case .wake(let wake): .moment(.wake(plan.policy.names.name(of: wake.kind)))
    case .wakeWarning: .moment(.wakeExpirationHandler)
    case .sessionWarning: .moment(.sessionExpirationHandler)
    case .event(let kind): .moment(.wake(plan.policy.names.name(of: kind)))
    }
  }
}
