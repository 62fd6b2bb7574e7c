internal import CurfewEngine
internal import CurfewTrace

/// What enters the engine: the timeline's steps, and the apps' own calls.
extension Simulation {
  mutating func take(_ step: Step, at instant: Instant) throws {
    try perform(step, instant)
    try finishStep()
  }

  /// A step; an app's own call takes effect at once, also inside a callback (rule A2).
  mutating func perform(_ step: Step, _ instant: Instant) throws {
    if let app = step.app, let wait = step.wait { later(wait, than: instant, app) }
    guard let event = coder.event(for: step.deed, app: step.app) else { preconditionFailure("\(step.place): \(step.deed) cannot be done") }
    try feed(event, step.deed, step.app, instant) { simulation, action in
      guard case .taskBegan(let app, let task) = action else { return }
      simulation.models[app].began(task, step.handler)
      guard let length = step.length, task.id != .invalid else { return }
      simulation.models[app].ends[task] = simulation.plan(.ends(task), app, simulation.later(length, than: instant, app))
    }
  }

  /// The handler, or the work itself, ends its task: by its label, or by its number where the label has moved on to another.
  mutating func end(_ task: BackgroundTask, _ app: AppID, _ instant: Instant) throws {
    let isVariable = coder.tasks.task(labelled: task.label, of: app) == task
    let deed = Deed(.endTask) { if isVariable { $0.name = coder.labels[Int(task.label)] } else { $0.task = task.id } }
    try feed(.endTask(app, task), deed, app, instant)
  }

  mutating func feed(
    _ event: Event, _ deed: Deed, _ app: AppID?, _ instant: Instant,
    noting note: (inout Simulation, CurfewEngine.Action) -> Void = { _, _ in }
  ) throws {
    if let line = coder.line(for: deed, app: app, at: instant) { try sink(line) }
    let before = buffer.count
    engine.handle(event, at: instant, into: &buffer)
    for index in before..<buffer.count { note(&self, buffer[index]) }
  }
}

extension Step {
  /// How long after it something happens that the engine sees to, and that keeps a run going.
  fileprivate var wait: Interval? {
    switch deed.verb {
    case .submitTask: deed.earliest
    case .scheduleNotification: deed.length
    default: nil
    }
  }
}
