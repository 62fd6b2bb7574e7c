internal import CVirtualTime
internal import Foundation

extension Scheduler {
  /// The next job that may run. Jobs of held and dropped owners stay in their places.
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
    idling.runs(entry, turn: entry.task == nil ? waitingTasks(of: entry) : [])
    return entry
  }

  /// Resets the count of jobs that only yield, so that every runnable task runs again.
  func beginIdling() {
    condition.lock()
    idling.ends()
    condition.unlock()
  }

  /// The number of jobs in a row that have only yielded, if it is large enough for time to pass.
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
    while let (entry, hasQueue) = popFirst() {
      if !isBodyIncluded, let task = entry.task.flatMap({ tasks[$0] }), isBody(task) {
        body = entry
        continue
      }
      if let claim = entry.claim {
        if owners.admits(entry.owner) {
          queueUse.add(claim)
        } else if let owner = entry.owner, owners.isHeld(owner) {
          owners.keep(entry, of: owner)
        }
        continue
      }
      if let wait = entry.wait {
        // A thread goes on that has its queue, and the main thread if it is there.
        guard let owner = entry.owner, !owners.admits(owner) else { return entry }
        if owners.isHeld(owner) {
          owners.keep(entry, of: owner)
        } else if wait.returnsIfDropped {
          return entry
        } else {
          wait.whenDropped()
        }
        continue
      }
      // The jobs of an owner that is held stay in one order.
      if !entry.isActorTurn, let owner = entry.owner, !owners.admits(owner) {
        owners.keep(entry, of: owner)
        continue
      }
      if !mainThread.admits(entry) {
        mainThread.keep(entry)
        continue
      }
      if !hasQueue, !queueUse.admits(entry) {
        queueUse.keep(entry)
        continue
      }
      if entry.isActorTurn {
        if mayRun(turn: entry) { return entry }
        owners.keep(turn: entry)
      } else {
        return entry
      }
    }
    return owners.takeTurn(where: mayRun)
  }

  /// The next job, and whether it has waited for its queue, which is free now. The lock is held.
  private func popFirst() -> (entry: Entry, hasQueue: Bool)? {
    if let entry = mainThread.take() { return (entry, false) }
    if let entry = queueUse.take(where: mainThread.holds.admits) { return (entry, true) }
    return queue.popFirst().map { ($0, false) }
  }

  /// Whether an actor's turn may run: true if at least one waiting task may run. Otherwise, holding
  /// one owner would block an actor for all owners that share it.
  private func mayRun(turn: Entry) -> Bool {
    let waiting = waitingTasks(of: turn)
    guard waiting.isEmpty || waiting.contains(where: { owners.admits(owner(cvt_task_id($0))) })
    else { return false }
    giveUpTasks(in: turn) { $0.map(owners.isDropped) == true }
    return true
  }

  func beginMainThreadUse(by owner: AnyObject?, isWait: Bool = false) {
    condition.lock()
    mainThread.begin(
      MainThreadUse.Hold(
        owner: owner, isOnMainThread: cvt_is_main_thread(), thread: cvt_this_thread(),
        isWait: isWait))
    condition.unlock()
  }

  var isMainThreadWaiting: Bool {
    condition.lock()
    defer { condition.unlock() }
    return mainThread.isWaiting
  }

  func endMainThreadUse() {
    condition.lock()
    mainThread.end()
    // A block of the main queue may have waited for the thread.
    queueUse.changes()
    condition.unlock()
  }

  func wake(upTo instant: Nanoseconds) {
    var outdated: [Escape] = []
    condition.lock()
    if instant > now.pointee {
      // The place of the sleep is known only after the task has begun to wait.
      if let task = realSleeper.flatMap({ tasks[$0] }) {
        EscapeLedger.shared.sleptByRealClock(task.waiting ?? task.origin)
      }
      outdated = EscapeLedger.shared.timePasses(from: now.pointee, to: instant)
      now.pointee = instant
      steps &+= 1
    }
    while let sleep = sleeps.popDue(at: instant) {
      noteEnd(of: sleep)
      queue.append(sleep.entry)
    }
    condition.unlock()
    withExtendedLifetime(outdated) {}
    resumeWaits()
  }

  func hold(_ owner: AnyObject) {
    condition.lock()
    owners.hold(owner)
    for entry in mainThread.take(of: owner) + queueUse.take(of: owner) {
      owners.keep(entry, of: owner)
    }
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
    _ = mainThread.take(of: owner) + queueUse.take(of: owner)
    for entry in owners.drop(owner) {
      guard let wait = entry.wait else { continue }
      if wait.returnsIfDropped { queue.append(entry) } else { wait.whenDropped() }
    }
    queueUse.lose(usesOf: owner)
    waits.remove { wait in
      guard wait.owner === owner, !wait.returnsIfDropped, !wait.mustEnd else { return false }
      wait.whenDropped()
      return true
    }
    waits.haveDead = true
    departures += 1
    let tasks = unfinished { $0.owner === owner }
    for task in tasks { task.giveUp() }
    return tasks
  }

  /// The captured tasks that have not finished, without child tasks, in the order in which they
  /// began. The lock is held.
  func unfinished(where isIncluded: (TaskRecord) -> Bool) -> [TaskRecord] {
    tasks.values.filter { isIncluded($0) && !$0.isOver }.sorted { $0.id < $1.id }
  }

  /// A report on a task that has not finished. The lock is held.
  func unfinishedTask(_ record: TaskRecord) -> UnfinishedTask {
    UnfinishedTask(
      record, isBody: isBody(record), isHeld: record.owner.map(owners.isHeld) ?? false)
  }

  /// The number of jobs that came from outside.
  func countArrivals() -> Int {
    condition.lock()
    defer { condition.unlock() }
    return arrivals
  }

  /// The state of captured tasks on threads that are not captured.
  enum Elsewhere { case none, waiting, running }

  /// Whether a captured task runs, or waits to run, on a thread that is not captured: on an actor
  /// that captured work and other work share. Called when no captured job can run, or all of them
  /// only yield; jobs that have arrived since then count too.
  /// - Complexity: O(*n*) in the number of unfinished tasks that are not child tasks.
  func atOthers() -> Elsewhere {
    condition.lock()
    defer { condition.unlock() }
    // Jobs that wait for the main thread, which waits or is held.
    var queued = Set(mainThread.jobs.compactMap(\.task))
    if idling.isLong {
      for entry in queue.rest {
        queued.formUnion(entry.task.map { [$0] } ?? waitingTasks(of: entry).map(cvt_task_id))
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
      if task.block == nil, task.blocked == nil, owners.admits(task.owner),
        !queued.contains(task.id)
      {
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

  /// Waits until outside work resumes a continuation.
  /// - Returns: False if the time is up first.
  func waitForOutside(since arrivals: Int, for patience: Duration) -> Bool {
    let end = RealTime.now + patience / .seconds(1)
    let driver = cvt_pause_driver()
    defer { cvt_resume_driver(driver) }
    condition.lock()
    defer { condition.unlock() }
    while queue.isEmpty, self.arrivals == arrivals {
      guard end.age < 0, condition.wait(forReal: -end.age) else { return false }
    }
    return true
  }
}
