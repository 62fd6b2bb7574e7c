import CurfewEngine
import CurfewPolicy
import CurfewTrace

/// The stories that explain why a process ended.
extension WhyReading {
  /// Adds the engine's details to a line that was read from a file, as far as earlier lines
  /// contain them.
  func detailed(_ line: TraceLine) -> TraceLine {
    guard case .terminated(var process) = line.body, process.details == nil else { return line }
    var details = RecordedProcessEnd.Details(limit: .length, ages: [])
    switch process.reason {
    case .appWatchdog:
      if case .callback(.lifecycle(let callback))? = doings.own.callback?.line.body {
        details.callback = callback
      }
    case .backgroundTaskAssertionTimeout:
      let isTask = process.tasks != nil
      let run = isTask ? nil : release.marks.last?.line.body.overrun
      (details.kind, details.limit) = (isTask ? .finiteTask : run?.kind, run?.limit ?? .length)
      details.expiration =
        isTask ? holds.lazy.compactMap { $0.story.marks.last?.line.body.expiration }.first : nil
    default: break
    }
    process.details = details
    return TraceLine(time: line.time, app: line.app, .terminated(process))
  }

  func storyBefore(the end: RecordedProcessEnd, at time: Instant) -> Story {
    switch end.reason {
    case .backgroundTaskAssertionTimeout where end.tasks == nil: stay + release
    case .backgroundTaskAssertionTimeout:
      holds.reduce(stay) {
        $1.what.kind == .finiteTask && end.tasks?.contains($1.what.name ?? "") ?? false
          ? $0 + $1.story : $0
      }
    case .tooManyBackgroundTasks, .abnormalExit, .badAccess, .illegalInstruction, .oomKill, .signal,
      .spawnFailed, .hostFailure:
      warnings(at: time) + Story(causeNow(time))
    case .normalAppExit:
      doings.own.crash?.line.time == time ? warnings(at: time) + Story(doings.own.crash) : course
    case .appWatchdog: (state == .background ? stay : course) + Story(doings.own.callback)
    case .cpuResourceLimit: stay + Story(doings.own.processor)
    case .memoryResourceLimit: Story(doings.own.footprint)
    case .memoryPressure: Story(story.marks.last) + doings.growth
    case .suspendedWithLockedFile: stay + release + Story(doings.own.lockedFile)
    case .userForceQuit, .reboot: Story(end.reason == .reboot ? causeNow(time) : doings.quit)
    }
  }

  /// The warnings of the wakes that the app holds, or completed at this instant: it may have exited
  /// because of them.
  private func warnings(at time: Instant) -> Story {
    let completed = release.marks.last?.line.time == time ? release : Story()
    return (holds.map(\.story) + [completed]).reduce(Story()) {
      $0 + Story($1.marks.filter { $0.line.body.isWarning })
    }
  }
}

extension TraceLine.Body {
  /// The kind of the session or wake that overran, and the limit that it exceeded.
  fileprivate var overrun: (kind: KindName, limit: RunLimit)? {
    switch self {
    case .session(let kind, .overrun, _), .wake(let kind, _, _, .overrun, _): (kind, .length)
    case .session(let kind, .overBudget, _), .wake(let kind, _, _, .overBudget, _): (kind, .budget)
    case .wake(let kind, _, _, .unhandled, _): (kind, .warning)
    default: nil
    }
  }

  /// The reason why a handler was called.
  fileprivate var expiration: ExpirationReason? {
    if case .expiration(_, _, let reason, _) = self { reason } else { nil }
  }
}
