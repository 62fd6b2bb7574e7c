internal import CVirtualTime
internal import Foundation

extension Scheduler {
  /// The next job that may run. What belongs to an owner who is held or gone stays where it is.
  func next(withBody isBodyIncluded: Bool) -> Entry? {
    condition.lock()
    jobs &+= 1
    let outdated = outdated
    self.outdated = []
    defer {
      condition.unlock()
      withExtendedLifetime(outdated) {}
    }
    if isBodyIncluded, let entry = body, mainThread.admits(entry) {
      body = nil
      return entry
    }
    while let entry = mainThread.take() ?? queue.popFirst() {
      if !isBodyIncluded, let task = entry.task.flatMap({ tasks[$0] }), isBody(task) {
        body = entry
        continue
      }
      if !mainThread.admits(entry) {
        mainThread.keep(entry)
        continue
      }
      if entry.task == nil, cvt_is_turn(entry.job.object) {
        if mayRun(turn: entry) { return entry }
        owners.keep(turn: entry)
      } else if let owner = entry.owner, !owners.admits(owner) {
        owners.keep(entry, of: owner)
      } else {
        return entry
      }
    }
    return owners.takeTurn(where: mayRun)
  }

  /// An actor's turn is run if a single task waits for it that may run: an actor that several owners share must not stand still for all.
  private func mayRun(turn: Entry) -> Bool {
    let waiting = waitingTasks(turn.job.object)
    guard waiting.isEmpty || waiting.contains(where: { owners.admits(owner(cvt_task_id($0))) }) else { return false }
    giveUpTasks(in: turn) { $0.map(owners.isDropped) == true }
    return true
  }

  func beginMainThreadUse(by owner: AnyObject?) {
    condition.lock()
    mainThread.begin(MainThreadUse.Hold(owner: owner, isOnMainThread: cvt_is_main_thread()))
    condition.unlock()
  }

  func endMainThreadUse() {
    condition.lock()
    mainThread.end()
    condition.unlock()
  }

  func wake(upTo instant: Nanoseconds) {
    condition.lock()
    defer { condition.unlock() }
    now.pointee = max(now.pointee, instant)
    while let sleep = sleeps.popDue(at: instant) {
      noteEnd(of: sleep)
      queue.append(Entry(job: sleep.timer, lane: .global, task: nil, owner: owner(sleep.sleeper)))
    }
  }

  func hold(_ owner: AnyObject) {
    condition.lock()
    owners.hold(owner)
    departures += 1
    condition.unlock()
  }

  func release(_ owner: AnyObject) {
    condition.lock()
    for entry in owners.release(owner) { queue.append(entry) }
    condition.unlock()
  }

  /// - Returns: The owner's tasks, in the order in which they were begun.
  func drop(_ owner: AnyObject) -> [TaskRecord] {
    condition.lock()
    defer { condition.unlock() }
    owners.drop(owner)
    departures += 1
    let tasks = unfinished { $0.owner === owner }
    for task in tasks { task.giveUp() }
    return tasks
  }

  /// The captured tasks that have not come to their end, without the parts of other tasks, in the order of their begin. The lock is held.
  func unfinished(where isIncluded: (TaskRecord) -> Bool) -> [TaskRecord] {
    tasks.values.filter { isIncluded($0) && !$0.isOver }.sorted { $0.id < $1.id }
  }

  /// How often somebody outside has brought a job.
  func countArrivals() -> Int {
    condition.lock()
    defer { condition.unlock() }
    return arrivals
  }

  /// What captured work does at others.
  enum Elsewhere { case none, waiting, running }

  /// Whether a captured task runs on a thread of others, or waits to: on an actor that captured and other work share.
  /// Asked where nothing that is captured could run; what has come since then counts too.
  /// - Complexity: O(*n*) in the number of tasks that are not parts of others and not over.
  func atOthers() -> Elsewhere {
    condition.lock()
    defer { condition.unlock() }
    guard queue.isEmpty, body == nil else { return .waiting }
    var found = Elsewhere.none
    visible.removeAll { task in
      if task.isOver {
        outdated.append(task)
        return true
      }
      if owners.admits(task.owner) {
        if task.isRunning { found = .running } else if found == .none, task.isEnqueued { found = .waiting }
      }
      return false
    }
    return found
  }

  /// Until a continuation is resumed by somebody else.
  /// - Returns: False, if nobody came so long.
  func waitForOutside(since arrivals: Int, for patience: Duration) -> Bool {
    let end = Date(timeIntervalSinceNow: patience / .seconds(1))
    condition.lock()
    defer { condition.unlock() }
    while queue.isEmpty, self.arrivals == arrivals { if !condition.wait(until: end) { return false } }
    return true
  }
}
