import CurfewEngine
import CurfewTrace

/// The course of an app's work: finished, cut off, held or dropped.
extension DeviceRun {
  /// Finishes work, and ends its task, wake or session.
  mutating func finish(_ place: Int) {
    let work = works[place]
    switch work.what {
    case .task(let model, let task, _, _):
      let delay = (driver.now - work.since).nanoseconds
      meter.note(work: model, of: work.app) {
        $0[.completed] += 1
        $0.delay.record(delay)
      }
      remove(place)
      if let task { say(.endTask(work.app, task)) }
    case .wake(let wake, let hasNewData):
      remove(place)
      say(.completeWake(work.app, WakeChoice(id: wake.id), hasNewData ? .newData : .noData))
    case .session(let kind):
      // A deferred session stops when its app runs again.
      let state = driver.engine.state(of: work.app)
      guard state != .suspended else {
        works[place].left = .zero
        works[place].runningSince = nil
        return
      }
      remove(place)
      say(.stopSession(work.app, kind))
    case .own(let number):
      remove(place)
      if let behavior = plan.sorts[apps[Int(work.app.rawValue)].sort].model.behavior {
        behave(work.app, behavior, planned: number)
      }
    }
  }

  /// Ends the task whose handler has run, unless its handler leaks the task.
  /// - Returns: Whether the task was ended.
  mutating func endExpired(_ id: AppID) -> Bool {
    guard case .expiration(let task) = apps[Int(id.rawValue)].delivery else { return false }
    guard let place = place(of: task, id) else { return false }
    guard case .task(_, _, leaks: false, _) = works[place].what else { return false }
    cutOff(place)
    say(.endTask(id, task))
    return true
  }

  private func place(of task: BackgroundTask, _ id: AppID) -> Int? {
    apps[Int(id.rawValue)].works.first {
      if case .task(_, task, _, _) = works[$0].what { true } else { false }
    }
  }

  /// Completes a wake that is about to end, with the result `failed`.
  mutating func giveUp(_ wake: AdmittedWake, _ id: AppID) {
    guard dropWake(wake.id, of: id) else { return }
    say(.completeWake(id, WakeChoice(id: wake.id), .failed))
  }

  /// Forgets the work of a wake.
  /// - Returns: Whether the wake had any work.
  @discardableResult
  mutating func dropWake(_ wake: WakeID, of id: AppID) -> Bool {
    let place = apps[Int(id.rawValue)].works.first {
      if case .wake(let own, _) = works[$0].what { own.id == wake } else { false }
    }
    if let place { remove(place) }
    return place != nil
  }

  private func place(of session: AssertionKind, _ id: AppID) -> Int? {
    apps[Int(id.rawValue)].works.first {
      if case .session(session) = works[$0].what { true } else { false }
    }
  }

  /// Forgets the planned end of a session.
  /// - Returns: Whether the workload had begun the session.
  @discardableResult
  mutating func dropSession(_ kind: AssertionKind, of id: AppID) -> Bool {
    guard let place = place(of: kind, id) else { return false }
    remove(place)
    return true
  }

  mutating func resumeSession(_ kind: AssertionKind, of id: AppID) {
    if let place = place(of: kind, id), works[place].runningSince == nil { resume(place) }
  }

  /// Resumes the plans of an app's closure when the app runs again.
  mutating func resumeOwn(of id: AppID) {
    for place in apps[Int(id.rawValue)].works where works[place].runningSince == nil {
      if case .own = works[place].what { resume(place) }
    }
  }

  /// Drops all work when the process ends.
  mutating func dropAll(of id: AppID) {
    for place in apps[Int(id.rawValue)].works {
      if case .task = works[place].what { cutOff(place) } else { remove(place) }
    }
  }

  /// Holds an app's work when it is suspended: tasks are cut off, and plans of its closure are
  /// paused. Wakes and sessions are not affected.
  mutating func holdWork(of id: AppID) {
    for place in apps[Int(id.rawValue)].works {
      switch works[place].what {
      case .task: cutOff(place)
      case .own: pause(place)
      case .wake, .session: break
      }
    }
  }

  /// Cuts off work that cannot continue: the work is lost, or waits until the user opens the
  /// app again.
  private mutating func cutOff(_ place: Int) {
    guard case .task(let index, _, let leaks, let hasHandler) = works[place].what else { return }
    let wasRunning = works[place].runningSince != nil
    pause(place)
    let work = works[place]
    let model = plan.sorts[apps[Int(work.app.rawValue)].sort].model.tasks[index]
    let done = work.length.nanoseconds - work.left.nanoseconds
    if wasRunning { meter.note(work: index, of: work.app) { $0[.cutOff] += 1 } }
    works[place].what = .task(index, nil, leaks: leaks, hasHandler: hasHandler)
    switch model.unfinished {
    case .lost:
      meter.note(work: index, of: work.app) {
        $0[.lost] += 1
        $0.wasted += max(0, done)
      }
      remove(place)
    case .again:
      meter.note(work: index, of: work.app) { $0.wasted += max(0, done) }
      works[place].left = work.length
    case .rest: break
    }
  }
}
