package import CurfewEngine

/// The tasks of a trace's apps, by the numbers of their labels and by their own numbers.
///
/// Only the last ended task of each label is kept, so that a long trace does not fill the memory.
/// Any other task is named by its number, which is enough to report that it is not open.
package struct TaskTable: Sendable {
  private struct Held {
    var byLabel: [UInt32: BackgroundTask] = [:]
    var open: [TaskID: BackgroundTask] = [:]
  }

  private var held: [AppID: Held] = [:]

  /// Creates an empty table.
  package init() {}

  /// Records a change to a task or a process; other actions change nothing.
  package mutating func note(_ action: Action) {
    switch action {
    case .taskBegan(let app, let task):
      held[app, default: Held()].byLabel[task.label] = task
      if task.id != .invalid { held[app, default: Held()].open[task.id] = task }
    case .taskEnded(let app, let task): held[app]?.open[task.id] = nil
    case .terminated(let app, _): held[app] = nil
    default: break
    }
  }

  package func task(labelled label: UInt32, of app: AppID) -> BackgroundTask {
    held[app]?.byLabel[label] ?? .invalid(label: 0)
  }

  package func task(_ id: TaskID, of app: AppID) -> BackgroundTask {
    id == .invalid ? .invalid(label: 0) : held[app]?.open[id] ?? .ended(id)
  }

  /// The number of tasks that are kept.
  package var count: Int { held.values.reduce(0) { $0 + $1.byLabel.count + $1.open.count } }
}
