internal import CVirtualTime
internal import Foundation

/// The current capture's work outside virtual time. There is one ledger per process, because
/// the library functions that report to it are global. Any thread may call it, and may hold the
/// scheduler's lock, except for `began`, which takes that lock.
///
/// A test reports an issue if time passes while such work is unfinished. The report must not depend
/// on the speed of the machine: it appears in each run or in no run. Two rules ensure this:
/// - Work that captured work begins is handed over when captured work is at rest, one piece after
///   another (`EscapeLedger+HandingOver.swift`). So a block never runs before the code that waits
///   for it.
/// - Work that was done by chance before time passed is reported as well, unless captured work has
///   waited for it.
final class EscapeLedger: @unchecked Sendable {
  static let shared = EscapeLedger()
  /// The real time that work may take to return after it has resumed a captured task, after it
  /// was handed over, and at the end of a test: 1 s. Within this time a thread runs even on a busy
  /// machine. After a time-out, a piece of work is waited for again only at the end of the test.
  static let grace = 1.0

  let condition = NSCondition()
  private var isOn = false
  /// Whether the test reports such work. If not, nothing is postponed.
  private(set) var isTold = false
  private var capture = 0
  /// The work that was not done at the last check, and all work begun at this instant, in the order
  /// in which it was begun.
  private(set) var known: [Escape] = []
  /// The Swift tasks that such work has begun.
  private var tasks: [TaskID: Escape] = [:]
  private var jump: TimeJump?
  private var sleep: RealSleep?
  /// The work that has not been handed over yet, in the order in which it was begun.
  var postponed: [Postponed] = []
  /// The number of times such work has resumed captured tasks.
  var resumptions = 0
  /// The number of times such work has signalled a semaphore or left a group.
  var signalCount = 0
  var hasHandler = false
  /// The instant at which `URLSession` tasks hold time back, and the real time since when.
  var hold: (instant: Nanoseconds, since: RealTime)?
  /// Objects that were read under the lock. They are released outside the lock, because their
  /// release may begin work.
  var releases: [AnyObject] = []

  // MARK: Begin and end

  /// - Parameter isTold: Whether the test reports work that is unfinished when time passes.
  func begin(isTold: Bool) {
    cvt_end_timers()
    condition.lock()
    capture += 1
    isOn = cvt_sees_escapes()
    self.isTold = isOn && isTold
    hold = nil
    condition.unlock()
  }

  /// Stops counting, and releases everything.
  func end() {
    handOverAll()
    condition.lock()
    let rest = (known, tasks, releases)
    releases = []
    (isOn, isTold) = (false, false)
    (known, tasks, jump, sleep) = ([], [:], nil, nil)
    condition.unlock()
    withExtendedLifetime(rest) {}
  }

  /// The report at the end. Waits up to `grace` for work to finish.
  func report() -> EscapeReport {
    handOverAll()
    if isTold {
      condition.lock()
      for escape in known { escape.isLong = false }
      condition.unlock()
      wait { !$0.isDone }
    }
    condition.lock()
    defer { condition.unlock() }
    return EscapeReport(
      jump: jump, sleep: sleep, unfinished: known.filter { !$0.isDone }.map { EscapedWork($0) })
  }

  /// The work that a blocked thread may be waiting for.
  /// - Parameter tasksWait: Whether captured tasks wait for their turn. The thread is then assumed
  ///   to wait for such a task rather than for work that may be idle.
  func awaitable(whileTasksWait tasksWait: Bool) -> [EscapedWork] {
    condition.lock()
    defer { condition.unlock() }
    // A block of the main queue needs the blocked thread itself.
    let isMainBlocked = cvt_is_driver_main()
    return known.filter {
      !$0.isDone && !(tasksWait && $0.mayBeIdle) && !(isMainBlocked && cvt_is_main_queue($0.queue))
    }
    .map { EscapedWork($0) }
  }

  // MARK: Calls of the executors and CVirtualTime

  /// - Returns: The record of the work, to be passed to `ended`; nil if it is not counted.
  func began(_ work: cvt_work) -> Escape? {
    guard let kind = Escape.Kind(rawValue: work.kind) else { return nil }
    let parent = work.parent.map { Unmanaged<Escape>.fromOpaque($0).takeUnretainedValue() }
    // The scheduler's lock comes before this one.
    let owner = kind == .session && parent == nil ? Scheduler.shared.currentOwner : nil
    // Nobody waits for the answer to dead code.
    if let owner, Scheduler.shared.isDropped(owner) { return nil }
    condition.lock()
    defer { condition.unlock() }
    guard isOn, parent.map({ $0.capture == capture }) ?? true else { return nil }
    let escape = Escape(work, kind, parent: parent, owner: owner, capture: capture)
    known.append(escape)
    return escape
  }

  /// Notes that the work's function is about to be called. A cancelled item stays cancelled.
  func runs(_ escape: Escape) {
    condition.lock()
    _ = escape.isDone
    escape.hasBegun = true
    condition.unlock()
  }

  /// Notes that captured code ends the work at the same instant in each run: it resumes a queue,
  /// or cancels a timer that is not due.
  func settled(_ escape: Escape) {
    condition.lock()
    escape.isAwaited = true
    condition.unlock()
  }

  func ended(_ escape: Escape) {
    condition.lock()
    escape.hasReturned = true
    condition.broadcast()
    condition.unlock()
  }

  /// Notes that work outside virtual time has begun a Swift task, which is then outside virtual
  /// time too.
  func taskBegan(_ task: UnsafeRawPointer, by parent: UnsafeRawPointer) {
    var work = cvt_work()
    (work.kind, work.parent, work.object) = (Escape.Kind.task.rawValue, parent, task)
    guard !cvt_is_child(task), let escape = began(work) else { return }
    condition.lock()
    tasks[cvt_task_id(task)] = escape
    condition.unlock()
  }

  /// Notes that this thread, which runs no captured work, has resumed a captured task.
  func resumedCapturedTask() {
    condition.lock()
    defer { condition.unlock() }
    guard !known.isEmpty else { return }
    let thread = cvt_escape().map { Unmanaged<Escape>.fromOpaque($0).takeUnretainedValue() }
    let task = cvt_current_task().map(cvt_task_id)
    if let first = thread ?? task.flatMap({ tasks[$0] }) {
      markAwaited(first)
    } else {
      // The threads that deliver the answers of URLSession cannot be recognized, and a task
      // completes shortly after its answer.
      for escape in known where escape.kind == .session {
        if escape.isDone { escape.isAwaited = true } else { escape.mayBeAwaited = true }
      }
    }
    resumptions += 1
    condition.broadcast()
  }

  /// Notes that work is about to signal a semaphore, or to leave a group.
  func signals(_ object: UnsafeRawPointer, by escape: Escape) {
    condition.lock()
    escape.signals[object, default: 0] += 1
    condition.unlock()
  }

  /// Notes that work has signalled a semaphore or left a group.
  func signalled() {
    condition.lock()
    signalCount += 1
    condition.broadcast()
    condition.unlock()
  }

  /// The extent of a wait, with the numbers that CVirtualTime uses.
  enum WaitExtent: Int32 {
    case all, queue, toBarrier, first
  }

  /// Notes that a wait of captured work for a queue, a group, a block or a semaphore has returned.
  func waitedFor(_ object: UnsafeRawPointer, _ extent: WaitExtent) {
    condition.lock()
    defer { condition.unlock() }
    guard !known.isEmpty else { return }
    switch extent {
    case .all: markAwaited { $0.group == object || $0.item == object || $0.signals[object] != nil }
    case .queue: markAwaited(of: object, before: known.endIndex)
    case .toBarrier:
      let last = known.lastIndex { $0.queue == object && $0.isBarrier }
      markAwaited(of: object, before: last.map { $0 + 1 } ?? 0)
    case .first:
      guard let first = known.first(where: { $0.signals[object, default: 0] > 0 }) else { return }
      first.signals[object, default: 0] -= 1
      markAwaited(first)
    }
  }

  private func markAwaited(where isMeant: (Escape) -> Bool) {
    for escape in known where isMeant(escape) { markAwaited(escape) }
  }

  /// Marks the blocks of a queue among the first `end` pieces of work. Delayed blocks are skipped,
  /// because real time decides whether they are due.
  private func markAwaited(of queue: UnsafeRawPointer, before end: Int) {
    for escape in known[..<end] where escape.kind == .block && escape.isDone {
      if let other = escape.queue, cvt_share_queue(other, queue) { markAwaited(escape) }
    }
  }

  /// Marks a piece of work, and all work that is certainly done before it: the work that began
  /// it, earlier blocks of its serial queue, and, if it is a group's notification, the work
  /// of the group.
  private func markAwaited(_ escape: Escape, withEarlier marksEarlier: Bool = true) {
    guard !escape.isAwaited else { return }
    escape.isAwaited = true
    if let parent = escape.parent { markAwaited(parent) }
    if let group = escape.notifier { markAwaited { $0.group == group || $0.signals[group] != nil } }
    guard marksEarlier, escape.kind == .block, let queue = escape.queue, cvt_is_serial(queue) else {
      return
    }
    for earlier in known {
      if earlier === escape { break }
      if earlier.kind == .block, earlier.queue == queue { markAwaited(earlier, withEarlier: false) }
    }
  }

  /// Notes that a captured task runs on a thread with real clocks, and sleeps until a deadline
  /// computed from them.
  func sleptByRealClock(_ place: Frames) {
    condition.lock()
    if sleep == nil { sleep = RealSleep(origin: place) }
    condition.unlock()
  }

  // MARK: Time

  /// Forgets the `URLSession` tasks of an owner that has ended: nobody waits for their answers.
  func forgetSessions(of owner: AnyObject) {
    condition.lock()
    let before = known
    known.removeAll { $0.kind == .session && $0.owner === owner }
    condition.unlock()
    // Released outside the lock, because deinitializers may call any code.
    withExtendedLifetime(before) {}
  }

  /// Waits for work that has resumed a captured task and is about to return, and for work that such
  /// work has begun, such as a block that passes an answer on to another queue.
  /// - Returns: Whether there was work to wait for.
  func settle() -> Bool {
    let hasWaited = wait { !$0.isDone && ($0.mayBeAwaited || $0.isSettled) }
    condition.lock()
    for escape in known where escape.mayBeAwaited {
      if escape.isDone { escape.isAwaited = true }
      escape.mayBeAwaited = false
    }
    condition.unlock()
    return hasWaited
  }

  @discardableResult
  private func wait(for isMeant: (Escape) -> Bool) -> Bool {
    let driver = cvt_pause_driver()
    condition.lock()
    defer {
      let released = releases
      releases = []
      condition.unlock()
      withExtendedLifetime(released) {}
      cvt_resume_driver(driver)
    }
    func isLeft() -> Bool { known.contains { !$0.isLong && isMeant($0) } }
    guard isLeft() else { return false }
    let end = RealTime.now + Self.grace
    // The end of a Swift task or a URLSession task signals nothing, so it is polled.
    while isLeft(), end.age < 0 { _ = condition.wait(forReal: min(-end.age, 0.005)) }
    for escape in known where isMeant(escape) { escape.isLong = true }
    return true
  }

  /// Notes that virtual time passes, and keeps the first case in which work was unfinished.
  /// - Returns: The work so far, to be released outside all locks: the release may free a queue of
  ///   the program.
  func timePasses(from instant: Nanoseconds, to next: Nanoseconds) -> [Escape] {
    condition.lock()
    let before = known
    defer { condition.unlock() }
    guard !known.isEmpty else { return before }
    for index in postponed.indices { postponed[index].isLeftBehind = true }
    if jump == nil {
      let (unfinished, byChance) = (known.filter { !$0.isDone }, known.filter(\.isByChance))
      if !unfinished.isEmpty || !byChance.isEmpty {
        jump = TimeJump(
          from: instant, to: next, unfinished: unfinished.map { EscapedWork($0) },
          finishedByChance: byChance.map { EscapedWork($0) })
      }
    }
    known.removeAll(where: \.isDone)
    return before
  }
}

/// The report on a captured body's work outside virtual time.
package struct EscapeReport: Sendable {
  /// The first step of virtual time that was taken while such work was unfinished.
  package let jump: TimeJump?
  /// The first sleep whose deadline came from the real clock.
  package let sleep: RealSleep?
  /// The work that is not done, in the order in which it was begun.
  package let unfinished: [EscapedWork]
}
