/// A captured task that has not finished, because the event that it waits for never happened.
package struct UnfinishedTask: Sendable, CustomStringConvertible {
  /// The number that the runtime has given the task.
  package let id: UInt64
  private let origin: Frames
  private let waiting: Frames?
  /// Whether the task belongs to an owner whose work is held.
  private let isHeld: Bool

  /// Whether the task is the captured body itself.
  package let isBody: Bool
  /// Whether the task runs a Dispatch block.
  package let isBlock: Bool

  init(_ record: TaskRecord, isBody: Bool, isHeld: Bool) {
    self.isHeld = isHeld
    (id, origin, waiting, self.isBody) = (record.id, record.origin, record.waiting, isBody)
    isBlock = record.block != nil
  }

  /// The function, the file and the line that began the task, as far as the program's symbols
  /// contain them.
  /// - Complexity: Reads the program's debug information, which takes up to a second.
  package var place: String? { origin.place }

  /// The function, the file and the line at which the task waits, if it waits and the program's
  /// symbols contain them.
  /// - Complexity: The same as for `place`.
  package var waitingPlace: String? { waiting?.place }

  /// The number and the places.
  package var description: String {
    (isBody
      ? "the test itself"
      : "\(isBlock ? "Dispatch block" : "task") \(id), begun by \(place ?? Frames.noPlace)")
      + (waitingPlace.map { ", waits in \($0)" } ?? "")
      + (isHeld ? ", and is suspended with its app" : "")
  }
}

/// The failure of a body that does not finish.
package struct Stall: Error, CustomStringConvertible {
  /// The reason why the body does not finish.
  package enum Kind: Sendable {
    /// No task can run, no task sleeps, the host has no deadline, and no outside work resumed
    /// a continuation within the given time.
    case silent
    /// Jobs follow one another at one instant without end, so that time cannot pass.
    case restless
    /// The body was cancelled, for instance by a test's time limit, but still waits: the operation
    /// that it awaits ignores cancellation.
    case cancelled
  }
  /// The reason.
  package let kind: Kind
  /// The tasks that have not finished.
  package let tasks: [UnfinishedTask]
  /// The threads that wait and that nobody has called.
  var threads: [BlockedThread] = []

  /// The reason in one sentence, then a line for each task and each thread.
  package var description: String {
    let what =
      switch kind {
      case .silent: "The test waits for something that never comes"
      case .restless: "Tasks run without end at one instant; let them sleep, so that time can pass"
      case .cancelled: "The test was cancelled, but awaits something that was not"
      }
    return ([what] + tasks.map { "  \($0)" } + threads.map { "  \($0)" }).joined(separator: "\n")
  }
}
