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
  var openTasks: Set<BackgroundTask> = []
  private var handlers: [BackgroundTask: [Step]] = [:]

  init(_ model: ScenarioApp) { self.model = model }

  mutating func began(_ task: BackgroundTask, _ handler: [Step]) {
    guard task.id != .invalid else { return }
    openTasks.insert(task)
    if !handler.isEmpty { handlers[task] = handler }
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
  func calls(at moment: Moment, _ task: BackgroundTask?) -> [Step] {
    (model.on[moment] ?? []) + (task.flatMap { handlers[$0] } ?? [])
  }

  func length(of moment: Moment) -> Interval { model.returns[moment] ?? .zero }
}

extension [AppModel] {
  subscript(app: AppID) -> AppModel {
    _read { yield self[Int(app.rawValue)] }
    _modify { yield &self[Int(app.rawValue)] }
  }
}
