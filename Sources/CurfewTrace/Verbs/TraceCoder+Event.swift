import CurfewEngine
import CurfewPolicy

extension TraceCoder {
  /// The deed of an engine's event, and the app that it is about. The switch is total: a new event
  /// needs a line here.
  ///
  /// A task is named by its number, so it must belong to the app's current process: a host drops
  /// the calls of dead processes. A return ends the app's last delivery. A deed does not contain
  /// the manner of a post, because `NotificationPost.Manner(ofPostNamed:)` derives the manner from
  /// the name.
  func deed(_ event: Event) -> (AppID?, EngineInput) {
    switch event {
    case .launch(let app): (app, EngineInput(.launch))
    case .home(let app): (app, EngineInput(.home))
    case .lock: (nil, EngineInput(.lock))
    case .unlock: (nil, EngineInput(.unlock))
    case .interrupt(let app): (app, EngineInput(.interrupt))
    case .acceptInterruption(let app): (app, EngineInput(.acceptInterruption))
    case .ignoreInterruption(let app): (app, EngineInput(.ignoreInterruption))
    case .forceQuit(let app): (app, EngineInput(.forceQuit))
    case .reboot: (nil, EngineInput(.reboot))
    case .expireTasks(let app, let reason):
      (app, EngineInput(.expireTasks) { $0.expiration = reason })
    case .deliver(let app, let kind, let times):
      (app, EngineInput(.deliver) { ($0.kind, $0.runTimes) = (names.name(of: kind), times) })
    case .setRefresh(let app, let status): (app, EngineInput(.setRefresh) { $0.status = status })
    case .setFact(let app, let fact, let holds):
      (app, EngineInput(.setFact) { ($0.fact, $0.holds) = (names.names(of: fact).first, holds) })
    case .setDevice(let facts): (nil, EngineInput(.setDevice) { $0.device = DeviceChange(facts) })
    case .removeApp(let app): (app, EngineInput(.removeApp))
    case .post(let app, let post):
      (app, EngineInput(.post) { ($0.name, $0.value) = (text(post.name), post.value.map(text)) })
    case .began(let app): (app, EngineInput(.begin) { $0.callback = delivered(app) })
    case .returned(let app): (app, EngineInput(.return) { $0.callback = delivered(app) })
    case .beginTask(let app, let label, let handler):
      (app, EngineInput(.beginTask) { ($0.name, $0.handler) = (text(label), handler) })
    case .endTask(let app, let task): (app, EngineInput(.endTask) { $0.task = task.id })
    case .startSession(let app, let kind, let handler):
      (
        app,
        EngineInput(.startSession) {
          ($0.kind, $0.sessionHandler) = (names.name(of: kind), handler)
        }
      )
    case .stopSession(let app, let kind):
      (app, EngineInput(.stopSession) { $0.kind = names.name(of: kind) })
    case .completeWake(let app, let choice, let result):
      (
        app,
        EngineInput(.completeWake) {
          ($0.kind, $0.name, $0.wake, $0.result) = (
            choice.kind.map(names.name(of:)), choice.identifier.map(text), choice.id, result
          )
        }
      )
    case .setWakeHandler(let app, let wake, let handler):
      (app, EngineInput(.setWakeHandler) { ($0.wake, $0.handler) = (wake, handler) })
    case .setFootprint(let app, let bytes):
      (app, EngineInput(.setFootprint) { $0.footprint = bytes })
    case .lockFile(let app): (app, EngineInput(.lockFile))
    case .unlockFile(let app): (app, EngineInput(.unlockFile))
    case .useCPU(let app, let share, let length):
      (app, EngineInput(.useCPU) { ($0.share, $0.length) = (share, length) })
    case .setInterval(let app, .fetch, let interval):
      (app, EngineInput(.setMinimumFetchInterval) { $0.interval = .some(interval) })
    case .setInterval(let app, .voipKeepAlive, let interval):
      (app, EngineInput(.setKeepAlive) { $0.interval = .some(interval) })
    case .setInterval(let app, let kind, let interval):
      (
        app,
        EngineInput(.setInterval) {
          ($0.kind, $0.interval) = (names.name(of: kind), .some(interval))
        }
      )
    case .submitTask(let app, let request):
      (
        app,
        EngineInput(.submitTask) {
          ($0.name, $0.kind, $0.earliest) = (
            text(request.identifier), names.name(of: request.kind), request.earliest
          )
          ($0.requiresNetwork, $0.requiresPower) = (request.requiresNetwork, request.requiresPower)
        }
      )
    case .cancelTask(let app, let identifier):
      (app, EngineInput(.cancelTask) { $0.name = text(identifier) })
    case .scheduleNotification(let app, let id, let wait):
      (app, EngineInput(.scheduleNotification) { ($0.name, $0.length) = (text(id), wait) })
    case .cancelNotification(let app, let id):
      (app, EngineInput(.cancelNotification) { $0.name = text(id) })
    case .crash(let app, let reason): (app, EngineInput(.crash) { $0.crashReason = reason })
    case .probe(let app): (app, EngineInput(.probe))
    }
  }

  private func delivered(_ app: AppID) -> AppCall {
    guard let moment = lastDelivery(to: app) else {
      preconditionFailure("App \(app.rawValue) began or returned without a delivery")
    }
    return moment
  }
}
