internal import CVirtualTime

/// A captured task: whose it is and what began it. Under the scheduler's lock.
final class TaskRecord {
  let id: TaskID
  /// The task that began it.
  let parent: TaskID?
  let owner: AnyObject?
  /// Where it was begun.
  let origin: Frames
  /// Nothing for a part of another task, which may be memory of that task.
  private(set) weak var object: AnyObject?
  let isChild: Bool
  /// The instant that it has last read from a clock on a thread outside virtual time.
  var realClock: Nanoseconds?

  init(_ pointer: UnsafeRawPointer, _ id: TaskID, parent: TaskID?, owner: AnyObject?) {
    (self.id, self.parent, self.owner) = (id, parent, owner)
    isChild = cvt_is_child(pointer)
    origin = .ofThread
    if !isChild { object = Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue() }
  }

  func cancel() { if let object { VirtualConcurrency.cancel(object) } }

  /// Never goes on, if it waits and can be seen.
  func giveUp() { _ = look(cvt_give_up) }

  /// Whether it has come to its end, or cannot be seen.
  var isOver: Bool { look(cvt_is_complete) ?? true }

  /// Whether it runs.
  var isRunning: Bool { look(cvt_is_running) ?? false }

  /// Whether it has been cancelled.
  var isCancelled: Bool { look(cvt_is_cancelled) ?? false }

  /// Whether it waits for nothing but its turn to run.
  var isEnqueued: Bool { look(cvt_is_enqueued) ?? false }

  /// Where it waits.
  var waiting: Frames? { look(Frames.ofWaiting) }

  private func look<Answer>(_ question: (UnsafeRawPointer) -> Answer) -> Answer? {
    guard let object else { return nil }
    return withExtendedLifetime(object) { question(Unmanaged.passUnretained(object).toOpaque()) }
  }
}
