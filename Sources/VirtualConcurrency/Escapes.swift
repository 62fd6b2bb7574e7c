internal import CVirtualTime
internal import Foundation

/// The work outside virtual time of the capture that is on. One in the process, as the library's
/// functions are. Any thread calls it, also under the scheduler's lock.
///
/// Time is told as soon as it passes beside such work. Real time decides whether a block is done by
/// then, so the telling must not depend on that: a block that was begun at the instant
/// that is left is told in either case, unless captured work has waited for it.
final class Escapes: @unchecked Sendable {
  static let shared = Escapes()
  /// How long, in real time, work that has resumed a captured task, and all work at the end of a
  /// test, may take to return: 1 s, which a thread gets on a busy machine too.
  private static let grace = 1.0

  private let condition = NSCondition()
  private var isOn = false
  private var capture = 0
  /// The work that was not done when it was last looked at, and all that was begun at this instant;
  /// in the order of its begin.
  private var known: [Escape] = []
  /// The Swift tasks that such work has begun.
  private var tasks: [TaskID: Escape] = [:]
  private var jump: TimeJump?
  private var sleep: RealSleep?

  // MARK: Begin and end

  func begin() {
    condition.lock()
    capture += 1
    isOn = cvt_sees_escapes()
    condition.unlock()
  }

  /// Counts no more, and forgets.
  func end() {
    condition.lock()
    let rest = (known, tasks)
    isOn = false
    (known, tasks, jump, sleep) = ([], [:], nil, nil)
    condition.unlock()
    withExtendedLifetime(rest) {}
  }

  /// What there is to tell at the end. Waits for work that is about to be done.
  func report() -> EscapeReport {
    wait { !$0.isDone }
    condition.lock()
    defer { condition.unlock() }
    return EscapeReport(jump: jump, sleep: sleep, unfinished: known.filter { !$0.isDone }.map { EscapedWork($0) })
  }

  // MARK: What the executors and CVirtualTime ask

  /// - Returns: Its record, which is to be ended; nil if it is not counted.
  func began(_ kind: Escape.Kind, parent: Escape?, object: UnsafeRawPointer?) -> Escape? {
    condition.lock()
    defer { condition.unlock() }
    guard isOn, parent.map({ $0.capture == capture }) ?? true else { return nil }
    let escape = Escape(kind, parent: parent, capture: capture, object: object)
    known.append(escape)
    return escape
  }

  func ended(_ escape: Escape) {
    condition.lock()
    escape.hasReturned = true
    condition.broadcast()
    condition.unlock()
  }

  /// A Swift task was begun by work outside virtual time, and so is such work.
  func taskBegan(_ task: UnsafeRawPointer, by parent: Escape) {
    guard !cvt_is_child(task), let escape = began(.task, parent: parent, object: task) else { return }
    condition.lock()
    tasks[cvt_task_id(task)] = escape
    condition.unlock()
  }

  /// A captured task was resumed by this thread, which runs no captured work.
  func resumedCapturedTask() {
    condition.lock()
    defer { condition.unlock() }
    guard !known.isEmpty else { return }
    let thread = cvt_escape().map { Unmanaged<Escape>.fromOpaque($0).takeUnretainedValue() }
    let task = cvt_current_task().map(cvt_task_id)
    if let first = thread ?? task.flatMap({ tasks[$0] }) {
      for escape in sequence(first: first, next: \.parent) { escape.isAwaited = true }
    } else {
      // The threads that bring the answers of URLSession are not known as such.
      for escape in known where escape.kind == .session && escape.isDone { escape.isAwaited = true }
    }
  }

  /// A `sync` of captured work on a queue has returned.
  func waitedFor(_ queue: UnsafeRawPointer) {
    condition.lock()
    for escape in known where escape.queue == queue && escape.isDone { escape.isAwaited = true }
    condition.unlock()
  }

  /// A captured task that runs on a thread with real clocks sleeps until a deadline that it has
  /// made of them.
  func sleptByRealClock(_ place: Frames) {
    condition.lock()
    if sleep == nil { sleep = RealSleep(origin: place) }
    condition.unlock()
  }

  // MARK: Time

  /// Waits for work that has resumed a captured task and is about to return.
  /// - Returns: Whether it had to.
  func settle() -> Bool { wait { $0.isAwaited && !$0.isDone } }

  @discardableResult
  private func wait(for isMeant: (Escape) -> Bool) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    guard known.contains(where: isMeant) else { return false }
    let end = Date(timeIntervalSinceNow: Self.grace)
    // The end of a Swift task or a URLSession task wakes nobody.
    while known.contains(where: isMeant), Date() < end { _ = condition.wait(until: min(end, Date(timeIntervalSinceNow: 0.005))) }
    // What takes longer is told, and not waited for again.
    for escape in known where isMeant(escape) { escape.isAwaited = false }
    return true
  }

  /// Virtual time goes on: tells the first time that work is left behind.
  func timePasses(from instant: Nanoseconds, to next: Nanoseconds) {
    condition.lock()
    defer { condition.unlock() }
    guard !known.isEmpty else { return }
    if jump == nil {
      let (unfinished, byChance) = (known.filter { !$0.isDone }, known.filter { $0.isDone && $0.isFresh && !$0.isAwaited })
      if !unfinished.isEmpty || !byChance.isEmpty {
        jump = TimeJump(
          from: instant, to: next, unfinished: unfinished.map { EscapedWork($0) }, finishedByChance: byChance.map { EscapedWork($0) })
      }
    }
    known.removeAll(where: \.isDone)
    for escape in known { escape.isFresh = false }
  }
}

/// What a captured body has done outside virtual time.
public struct EscapeReport: Sendable {
  /// The first time that virtual time passed beside such work.
  public let jump: TimeJump?
  /// The first sleep by the real clock.
  public let sleep: RealSleep?
  /// The work that is not done, in the order in which it was begun.
  public let unfinished: [EscapedWork]
}
