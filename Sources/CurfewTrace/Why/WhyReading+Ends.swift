import CurfewEngine

/// What led to the end of a process.
extension WhyReading {
  /// The end of a process as the engine knows it: of a line that was read from a file, as far as the lines before tell.
  func detailed(_ line: TraceLine) -> TraceLine {
    guard case .terminated(var process) = line.body, process.details == nil else { return line }
    var details = TerminatedProcess.Details(limit: .length, ages: [])
    switch process.reason {
    case .appWatchdog:
      if case .callback(.lifecycle(let callback))? = own.callback?.line.body { details.callback = callback }
    case .backgroundTaskAssertionTimeout:
      let isTask = process.tasks != nil
      details.kind = isTask ? .finiteTask : release.marks.last?.line.body.wake?.kind
      details.limit = !isTask && release.marks.last?.line.body.wake?.change == .overBudget ? .budget : .length
      details.expiration = isTask ? holds.lazy.compactMap { $0.story.marks.last?.line.body.expiration }.first : nil
    default: break
    }
    process.details = details
    return TraceLine(time: line.time, app: line.app, .terminated(process))
  }

  func storyBefore(the end: TerminatedProcess, at time: Instant) -> Story {
    switch end.reason {
    case .backgroundTaskAssertionTimeout where end.tasks == nil: stay + release
    case .backgroundTaskAssertionTimeout:
      holds.reduce(stay) { $1.what.kind == .finiteTask && end.tasks?.contains($1.what.name ?? "") ?? false ? $0 + $1.story : $0 }
    case .tooManyBackgroundTasks, .abnormalExit, .badAccess, .illegalInstruction: Story(causeNow(time))
    case .normalAppExit: own.crash?.line.time == time ? Story(own.crash) : course
    case .appWatchdog: (state == .background ? stay : course) + Story(own.callback)
    case .cpuResourceLimit: stay + Story(own.processor)
    case .memoryResourceLimit: Story(own.footprint)
    case .memoryPressure: Story(story.marks.last) + growth
    case .suspendedWithLockedFile: stay + release + Story(own.lockedFile)
    case .userForceQuit, .reboot: Story(end.reason == .reboot ? causeNow(time) : gestures.leaving)
    }
  }
}

extension TraceLine.Body {
  /// What became of a wake, and its kind.
  fileprivate var wake: (kind: KindName, change: TraceLine.WakeChange)? {
    if case .wake(let kind, _, _, let change, _) = self { (kind, change) } else { nil }
  }

  /// Why a handler was due.
  fileprivate var expiration: ExpirationReason? { if case .expiration(_, _, let reason, _) = self { reason } else { nil } }
}
