internal import CVirtualTime
internal import Foundation

/// Captured work that belongs neither to the body itself nor to an owner.
package struct UnownedWork: Sendable {
  /// The number that the runtime has given the work's task.
  package let task: UInt64
  private let origin: Frames
  private let position: Frames?

  init(_ record: TaskRecord, at position: Frames?) {
    (task, origin, self.position) = (record.id, record.origin, position)
  }

  /// The function, the file and the line that began the work, as far as the program's symbols
  /// contain them.
  /// - Complexity: Reads the program's debug information, which takes up to a second.
  package var place: String? { origin.place }

  /// The function, the file and the line that the work was in, as far as the program's symbols
  /// contain them.
  /// - Complexity: The same as for `place`.
  package var currentPlace: String? { position?.place }
}

extension Capture {
  /// The current task, if it has no owner and is not the body.
  package var unownedWork: UnownedWork? { scheduler.unownedWork }

  /// The number of the current task.
  package var currentTask: UInt64? { cvt_current_task().map(cvt_task_id) }

  /// Takes the first unowned task that was asleep while an owner was held or dropped. Only sleeps
  /// that ended since the last call are considered.
  package func takeOverslept() -> UnownedWork? { scheduler.takeOverslept() }
}

extension Scheduler {
  fileprivate var unownedWork: UnownedWork? {
    condition.lock()
    defer { condition.unlock() }
    guard scope == nil, let task = cvt_current_task().map(cvt_task_id), let record = unowned(task)
    else { return nil }
    return UnownedWork(record, at: .ofThread)
  }

  fileprivate func takeOverslept() -> UnownedWork? {
    condition.lock()
    defer { condition.unlock() }
    return overslept.take()
  }

  /// Notes that a sleep has ended. The lock is held.
  func noteEnd(of sleep: Sleeps.Sleep) {
    guard overslept == nil, sleep.departures != departures,
      let task = sleep.sleeper ?? sleep.entry.task,
      let record = unowned(task)
    else { return }
    overslept = UnownedWork(record, at: record.waiting)
  }

  /// The record of a task that belongs neither to an owner nor to the body. The lock is held.
  private func unowned(_ task: TaskID) -> TaskRecord? {
    guard task != caller, let record = tasks[task], record.owner == nil, !isBody(record) else {
      return nil
    }
    return record
  }
}
