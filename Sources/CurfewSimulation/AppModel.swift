import CurfewEngine

/// A modelled app: what it does when it is told something, how long that takes, and the variables of its present process.
struct AppModel {
  /// Something that the app will do of itself.
  struct Plan {
    var timer: TimerQueue.ID
    var index: UInt32
  }

  let model: ScenarioApp

  /// The delivery that has not returned, with the task whose handler it is.
  var delivery: (moment: Moment, task: BackgroundTask?)?
  var returnPlan: Plan?
  /// The ends that `for:` set off.
  var ends: [BackgroundTask: Plan] = [:]
  /// Labels are variables: each holds the task that was begun last under it (rule F9).
  var variables: [UInt32: BackgroundTask] = [:]
  var openTasks: Set<BackgroundTask> = []
  private var handlers: [BackgroundTask: [Call]] = [:]

  init(_ model: ScenarioApp) { self.model = model }

  mutating func began(_ task: BackgroundTask, _ handler: Call.Handler) {
    variables[task.label] = task
    guard task.id != .invalid else { return }
    openTasks.insert(task)
    if case .steps(let steps) = handler { handlers[task] = steps.map(\.call) }
  }

  /// Answers the planned end that is needed no more.
  mutating func ended(_ task: BackgroundTask) -> Plan? {
    openTasks.remove(task)
    return ends.removeValue(forKey: task)
  }

  /// The process is gone, and with it all that it would have done.
  mutating func died() -> [Plan] {
    let plans = Array(ends.values) + (returnPlan.map { [$0] } ?? [])
    self = AppModel(model)
    return plans
  }

  /// What the app does inside a callback: its own steps, then those of the task whose handler it is.
  func calls(at moment: Moment, _ task: BackgroundTask?) -> [Call] {
    (model.on[moment] ?? []).map(\.call) + (task.flatMap { handlers[$0] } ?? [])
  }

  func length(of moment: Moment) -> Interval { model.returns[moment] ?? .zero }
}

extension Step {
  /// What a step inside `on:` does; the decoder lets nothing else in.
  fileprivate var call: Call {
    guard case .call(_, let call) = action else { preconditionFailure("\(place): only an app's own calls may stand here") }
    return call
  }
}

extension [AppModel] {
  subscript(app: AppID) -> AppModel {
    _read { yield self[Int(app.rawValue)] }
    _modify { yield &self[Int(app.rawValue)] }
  }
}
