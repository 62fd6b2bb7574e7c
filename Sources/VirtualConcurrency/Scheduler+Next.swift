internal import CVirtualTime
internal import Foundation

extension Scheduler {
  /// The next job that may run. What belongs to an owner who is held or gone stays where it is.
  func next(withBody isBodyIncluded: Bool) -> Entry? {
    condition.lock()
    let outdated = outdated
    self.outdated = []
    defer {
      condition.unlock()
      withExtendedLifetime(outdated) {}
    }
    guard let entry = takeNext(withBody: isBodyIncluded) else { return nil }
    steps &+= 1
    idling.runs(entry, turn: entry.task == nil ? waitingTasks(entry.job.object) : [])
    return entry
  }

  /// Everything that can run is asked anew.
  func beginIdling() {
    condition.lock()
    idling.ends()
    condition.unlock()
  }

  /// How many jobs in a row have done nothing but yield, if they are enough for time to pass.
  var idleJobs: Int? {
    condition.lock()
    defer { condition.unlock() }
    return idling.isLong ? idling.jobs : nil
  }

  /// The lock is held.
  private func takeNext(withBody isBodyIncluded: Bool) -> Entry? {
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

  /// An actor's turn is run if a single task waits for it that may run: an actor that several
  /// owners share must not stand still for all.
  private func mayRun(turn: Entry) -> Bool {
    let waiting = waitingTasks(turn.job.object)
    guard waiting.isEmpty || waiting.contains(where: { owners.admits(owner(cvt_task_id($0))) })
    else { return false }
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
    if instant > now.pointee {
      // Where a task sleeps is known as soon as it waits.
      if let task = realSleeper.flatMap({ tasks[$0] }) {
        Escapes.shared.sleptByRealClock(task.waiting ?? task.origin)
      }
      Escapes.shared.timePasses(from: now.pointee, to: instant)
      now.pointee = instant
      steps &+= 1
    }
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

  /// The captured tasks that have not come to their end, without the parts of other tasks,
  /// in the order of their begin. The lock is held.
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

  /// Whether a captured task runs on a thread of others, or waits to: on an actor that captured
  /// and other work share. Asked where nothing that is captured could run, or does nothing but
  /// yield; what has come since then counts too.
  /// - Complexity: O(*n*) in the number of tasks that are not parts of others and not over.
  func atOthers() -> Elsewhere {
    condition.lock()
    defer { condition.unlock() }
    var queued: Set<TaskID> = []
    if idling.isLong {
      for entry in queue.rest {
        queued.formUnion(entry.task.map { [$0] } ?? waitingTasks(entry.job.object).map(cvt_task_id))
      }
    } else {
      guard queue.isEmpty, body == nil else { return .waiting }
    }
    var found = Elsewhere.none
    visible.removeAll { task in
      if task.isOver {
        outdated.append(task)
        return true
      }
      if owners.admits(task.owner), !queued.contains(task.id) {
        if task.isRunning {
          found = .running
        } else if found == .none, task.isEnqueued {
          found = .waiting
        }
      }
      return false
    }
    return found
  }

  /// Until a continuation is resumed by somebody else.
  /// - Returns: False, if nobody came so long.
  func waitForOutside(since arrivals: Int, for patience: Duration) -> Bool {
    let end = Date(timeIntervalSinceNow: patience / .seconds(1))
    let driver = cvt_pause_driver()
    defer { cvt_resume_driver(driver) }
    condition.lock()
    defer { condition.unlock() }
    while queue.isEmpty, self.arrivals == arrivals {
      if !condition.wait(until: end) { return false }
    }
    return true
  }
}
