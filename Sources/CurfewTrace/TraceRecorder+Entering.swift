public import CurfewEngine

extension TraceRecorder {
  /// The line for an engine's event, with texts for its numbers; nil for a return that came at once, where that is not written.
  ///
  /// A task is named by its number, so it must be one of the app's present process: a host drops the calls of dead ones. What a return
  /// returns from is the app's last delivery. Of a post's manner the line says nothing; it must be the name's,
  /// `Post.Manner(ofPostNamed:)`.
  public mutating func line(entering event: Event, at time: Instant) -> TraceLine? {
    let (app, traced) = traced(event)
    return line(for: traced, app: app, at: time)
  }

  private func traced(_ event: Event) -> (AppID?, TraceEvent) {
    switch event {
    case .launch(let app): (app, .launch)
    case .home(let app): (app, .home)
    case .lock: (nil, .lock)
    case .unlock: (nil, .unlock)
    case .interrupt(let app): (app, .interrupt)
    case .acceptInterruption(let app): (app, .acceptInterruption)
    case .ignoreInterruption(let app): (app, .ignoreInterruption)
    case .forceQuit(let app): (app, .forceQuit)
    case .reboot: (nil, .reboot)
    case .expireTasks(let app, let reason): (app, .expireTasks(reason))
    case .deliver(let app, let kind): (app, .deliver(kind))
    case .setRefresh(let app, let status): (app, .setRefresh(status))
    case .setDevice(let facts): (nil, .setDevice(DeviceChange(facts)))
    case .post(let app, let post): (app, .post(name: text(post.name), value: post.value.map(text)))
    case .began(let app): (app, .began(delivered(app)))
    case .returned(let app): (app, .returned(delivered(app)))
    case .setFootprint, .beginTask, .endTask, .startSession, .stopSession, .completeWake, .setMinimumFetchInterval, .setKeepAlive,
      .submitTask, .cancelTask, .lockFile, .unlockFile, .useCPU, .scheduleNotification, .cancelNotification, .crash, .probe:
      ownCall(event)
    }
  }

  private func ownCall(_ event: Event) -> (AppID?, TraceEvent) {
    switch event {
    case .setFootprint(let app, let bytes): (app, .setFootprint(bytes))
    case .beginTask(let app, let label, let handler): (app, .beginTask(text(label), handler))
    case .endTask(let app, let task): (app, .endTask(.id(task.id)))
    case .startSession(let app, let kind): (app, .startSession(kind))
    case .stopSession(let app, let kind): (app, .stopSession(kind))
    case .completeWake(let app, let kind, let result, let older): (app, .completeWake(kind, result, after: older))
    case .setMinimumFetchInterval(let app, let interval): (app, .setMinimumFetchInterval(interval))
    case .setKeepAlive(let app, let interval): (app, .setKeepAlive(interval))
    case .submitTask(let app, let request): (app, .submitTask(TraceEvent.Request(request, identifier: text(request.identifier))))
    case .cancelTask(let app, let identifier): (app, .cancelTask(identifier: text(identifier)))
    case .lockFile(let app): (app, .lockFile)
    case .unlockFile(let app): (app, .unlockFile)
    case .useCPU(let app, let share, let length): (app, .useCPU(share: share, length: length))
    case .scheduleNotification(let app, let id, let wait): (app, .scheduleNotification(id: text(id), after: wait))
    case .cancelNotification(let app, let id): (app, .cancelNotification(id: text(id)))
    case .crash(let app, let reason): (app, .crash(reason))
    case .probe(let app): (app, .probe)
    case .launch, .home, .lock, .unlock, .interrupt, .acceptInterruption, .ignoreInterruption, .forceQuit, .reboot, .expireTasks,
      .deliver, .setRefresh, .setDevice, .post, .began, .returned:
      preconditionFailure("\(event) is no app's own call")
    }
  }

  private func delivered(_ app: AppID) -> Moment {
    guard let moment = lastDelivery(to: app) else { preconditionFailure("App \(app.rawValue) began or returned from nothing") }
    return moment
  }
}

extension TraceEvent.Request {
  init(_ request: TaskRequest, identifier: String) {
    self.init(
      identifier: identifier, kind: request.kind, earliest: request.earliest, requiresNetwork: request.requiresNetwork,
      requiresPower: request.requiresPower)
  }
}
