internal import CurfewEngine
internal import CurfewTrace

/// The engine's input: the steps of the timeline, and the apps' own calls.
extension Simulation {
  /// Takes the turn of an app that has received a delivery. The app makes its calls one by one,
  /// lets its time to return pass, ends the task whose handler is running, and returns.
  mutating func takeTurn(_ app: AppID) throws {
    switch models[app].takeTurn() {
    case .call(let step): try perform(step, at: now)
    case .rest(let length):
      later(by: length, app)
      driver.rest(app, for: length)
    case .end(let task): try end(task, app)
    case .returns(let moment):
      try say(.returned(app), EngineInput(.return) { $0.callback = moment }, app)
    }
  }

  /// Performs a step. An app's own call takes effect at once, even inside a callback (rule A2).
  mutating func perform(_ step: Step, at instant: Instant) throws {
    var deed = step.deed
    if deed.verb == .startSession, let app = step.app, models[app].handlesSessionExpiration {
      deed.sessionHandler = .present
    }
    guard let event = coder.event(for: deed, app: step.app) else {
      preconditionFailure("\(step.place): \(deed) cannot be performed")
    }
    place = step.place
    if case .completeWake(let app, let choice, _) = event {
      deed.wake = driver.engine.wake(choice, of: app)?.id ?? deed.wake
    }
    try tell(deed, step.app, at: instant)
    note(event, at: instant)
    let answer = driver.ask(event, at: instant)
    guard let app = step.app else { return }
    if let wait = step.wait { later(by: wait, app) }
    guard case .begun(let task) = answer else { return }
    models[app].began(task, step.handler)
    guard let length = step.length else { return }
    ends[task.slot] = (task, app, driver.plan(task.slot, at: later(by: length, app)))
  }

  /// Ends a task on behalf of its handler or of its work: by its label, or by its number if
  /// the label now belongs to another task.
  mutating func end(_ task: BackgroundTask, _ app: AppID) throws {
    let isVariable = coder.tasks.task(labelled: task.label, of: app) == task
    let deed = EngineInput(.endTask) {
      if isVariable { $0.name = coder.labels[Int(task.label)] } else { $0.task = task.id }
    }
    try say(.endTask(app, task), deed, app)
  }

  private mutating func say(_ event: Event, _ deed: EngineInput, _ app: AppID) throws {
    try tell(deed, app, at: now)
    note(event, at: now)
    driver.say(event)
  }

  private mutating func note(_ event: Event, at instant: Instant) {
    meter.note(event, at: instant)
    events += 1
  }

  private mutating func tell(_ deed: EngineInput, _ app: AppID?, at instant: Instant) throws {
    try sink(coder.line(for: deed, app: app, at: instant))
  }
}

extension Step {
  /// The time after which the engine acts on this step; nil if the run may end before that.
  fileprivate var wait: Interval? {
    switch deed.verb {
    case .scheduleNotification: deed.length
    default: nil
    }
  }
}
