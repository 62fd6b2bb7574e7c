import CurfewEngine
import CurfewTrace

/// A modelled app: its calls and delays at each moment, and the variables of its current process.
struct AppModel {
  /// The next thing that the app does in its turn.
  enum Turn {
    case call(Step)
    case rest(Interval)
    case end(BackgroundTask)
    case returns(AppCall)
  }

  let model: ScenarioApp

  /// The delivery from which the app has not returned.
  private var delivery: Delivery?
  private var openTasks: Set<BackgroundTask> = []
  private var handlers: [BackgroundTask: [Step]] = [:]

  private struct Delivery {
    let moment: AppCall
    /// The task whose expiration handler is running.
    let task: BackgroundTask?
    /// The calls to make: the app's own steps, then those of the task whose handler is running.
    var calls: ArraySlice<Step>
    var hasRested = false
    var hasEnded = false
  }

  init(_ model: ScenarioApp) { self.model = model }

  /// Whether the app's sessions have an expiration handler: true if the model gives the handler
  /// calls or a time to return.
  var handlesSessionExpiration: Bool {
    model.on[.sessionExpirationHandler] != nil || model.returns[.sessionExpirationHandler] != nil
  }

  mutating func isCalled(at moment: AppCall, of task: BackgroundTask? = nil) {
    delivery = Delivery(
      moment: moment, task: task,
      calls: (model.on[moment] ?? [])[...] + (task.flatMap { handlers[$0] } ?? []))
  }

  mutating func takeTurn() -> Turn {
    guard let delivery else {
      preconditionFailure("\(model.identifier) has a turn, but was not called")
    }
    if let call = delivery.calls.first {
      self.delivery?.calls.removeFirst()
      return .call(call)
    }
    if !delivery.hasRested, let length = model.returns[delivery.moment], length > .zero {
      self.delivery?.hasRested = true
      return .rest(length)
    }
    if !delivery.hasEnded, let task = delivery.task, model.endsTasksOnExpiration,
      openTasks.contains(task)
    {
      self.delivery?.hasEnded = true
      return .end(task)
    }
    self.delivery = nil
    return .returns(delivery.moment)
  }

  mutating func began(_ task: BackgroundTask, _ handler: [Step]) {
    openTasks.insert(task)
    if !handler.isEmpty { handlers[task] = handler }
  }

  mutating func ended(_ task: BackgroundTask) { openTasks.remove(task) }

  /// Resets the model when the process ends.
  /// - Returns: The tasks that end with the process.
  mutating func died() -> Set<BackgroundTask> {
    defer { self = AppModel(model) }
    return openTasks
  }
}

extension [AppModel] {
  subscript(app: AppID) -> AppModel {
    _read { yield self[Int(app.rawValue)] }
    _modify { yield &self[Int(app.rawValue)] }
  }
}
