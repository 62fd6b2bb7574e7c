internal import CVirtualTime

/// A captured task, with its owner and its origin. Guarded by the scheduler's lock.
final class TaskRecord {
  let id: TaskID
  /// The task that began this task.
  let parent: TaskID?
  let owner: AnyObject?
  /// The place that began this task.
  let origin: Frames
  /// The task's object; nil for a child task, which may live in its parent's memory.
  private(set) weak var object: AnyObject?
  let isChild: Bool
  /// The Dispatch block that the task runs.
  var block: Block?
  /// The place at which the task's thread waits.
  var blocked: Frames?
  /// The latest instant that the task has read from a clock on a thread outside virtual time.
  var realClock: Nanoseconds?

  init(
    _ pointer: UnsafeRawPointer, _ id: TaskID, parent: TaskID?, owner: AnyObject?, block: Block?
  ) {
    (self.id, self.parent, self.owner) = (id, parent, owner)
    isChild = cvt_is_child(pointer)
    self.block = block
    origin = block?.origin ?? .ofThread
    if !isChild { object = Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue() }
  }

  func cancel() { if let object { VirtualConcurrency.cancel(object) } }

  /// Makes the task wait forever, if it is waiting and its object can be read.
  func giveUp() { _ = look(cvt_give_up) }

  /// Whether the task has finished, or its object cannot be read.
  var isOver: Bool { look(cvt_is_complete) ?? true }

  /// Whether the task is running.
  var isRunning: Bool { look(cvt_is_running) ?? false }

  /// Whether the task has been cancelled.
  var isCancelled: Bool { look(cvt_is_cancelled) ?? false }

  /// Whether the task only waits for its turn to run.
  var isEnqueued: Bool { look(cvt_is_enqueued) ?? false }

  /// The place at which the task waits.
  var waiting: Frames? { blocked ?? look(Frames.ofWaiting) }

  private func look<Answer>(_ question: (UnsafeRawPointer) -> Answer) -> Answer? {
    guard let object else { return nil }
    return withExtendedLifetime(object) { question(Unmanaged.passUnretained(object).toOpaque()) }
  }
}
