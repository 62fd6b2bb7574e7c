package import CurfewEngine
package import CurfewPolicy
package import CurfewTrace

/// Reads a trace line by line and keeps the lines that led to one app's current state.
///
/// Lines are kept as stories. The story of a state has the lines that brought the app there,
/// and the lines of the assertions it held: an app is suspended because its last assertion ended.
/// For other apps and the device, only possible causes are kept: launches and growth of memory use.
package struct WhyReading: Sendable {
  let app: String
  let policy: PolicyFile
  private var explanations: TraceExplanations
  /// The number of lines read.
  private(set) var number = 0

  private(set) var state = AppState.notRunning
  private(set) var since = Instant.zero
  /// The story of the state.
  private(set) var story = Story()
  private(set) var denials: [Why.Denial] = []
  private(set) var holds: [Hold] = []

  /// The newest event, unless the engine has advanced since: the lines after it are its effects.
  private var cause: Story.Mark?
  /// The newest device-wide event of the same instant, because some of its effects follow app
  /// by app.
  private var deviceWide: Story.Mark?
  private(set) var doings = Doings()
  /// The causes before the newest event, restored if that event was illegal.
  private var doingsBefore = Doings()
  /// The story of the app's current change of state.
  private(set) var course = Story()
  /// The story of the current stay in the background.
  private(set) var stay = Story()
  /// The story of the last assertion that ended.
  private(set) var release = Story()
  /// Requests by identifier, since a later wake may come from a request.
  private var requests: [String: Story.Mark] = [:]
  /// The request that has just started.
  private var started: Story?
  /// The stories of deferred sessions.
  private(set) var deferrals: [KindName: Story] = [:]

  /// Creates a reading that has not read any line.
  package init(_ app: String, _ policy: PolicyFile, _ explanations: TraceExplanations) {
    (self.app, self.policy, self.explanations) = (app, policy, explanations)
  }

  /// Reads the next line.
  /// - Complexity: O(assertions that the app holds).
  package mutating func add(_ line: TraceLine) {
    number += 1
    let isOwn = line.app == app
    let line = isOwn ? detailed(line) : line
    let why = explanations.explanations(of: line)
    let mark = Story.Mark(
      number: number, line: line, explanations: isOwn ? why : [],
      times: isOwn ? explanations.deliveredTimes : nil)
    switch line.body {
    case .event(let deed): take(deed, mark, isOwn: isOwn)
    case .advance:
      if cause?.line.time == line.time, cause?.line.app == nil { deviceWide = cause }
      cause = nil
    case .diagnostic(.illegalEvent, _): (doings, cause) = (doingsBefore, nil)
    case .state(.notRunning, _) where !isOwn: doings.growth = Story(causeNow(line.time)) + mark
    default: if isOwn { takeOwn(mark) }
    }
  }

  /// Explains the state after the last line.
  package func why(at instant: Instant) -> Why {
    Why(
      app: app, instant: instant, state: state, since: since, chain: steps(of: story),
      denials: denials, holdings: holds.map(\.what))
  }

  // MARK: Input

  private mutating func take(_ deed: EngineInput, _ mark: Story.Mark, isOwn: Bool) {
    if let deviceWide, deviceWide.line.time < mark.line.time { self.deviceWide = nil }
    switch deed.verb {
    case .return, .begin, .setWakeHandler: return cause = nil
    case .addApp: if isOwn { self = WhyReading(from: self) }
    default: break
    }
    (cause, doingsBefore) = (mark, doings)
    note(deed, mark, isOwn: isOwn)
    if isOwn { noteOwn(deed, mark) }
  }

  /// Creates the reading of a new app with the name of a removed app.
  private init(from other: WhyReading) {
    self.init(other.app, other.policy, other.explanations)
    (number, doings.growth) = (other.number, other.doings.growth)
  }

  private mutating func note(_ deed: EngineInput, _ mark: Story.Mark, isOwn: Bool) {
    let isMeant = isOwn || mark.line.app == nil
    if deed.verb == .launch || deed.verb == .unlock { doings.arrival = mark }
    switch deed.verb {
    case .launch: if isOwn { doings.coming = mark } else { doings.leaving = mark }
    case .unlock, .ignoreInterruption: if isMeant { doings.coming = mark }
    case .home, .lock, .interrupt, .acceptInterruption: if isMeant { doings.leaving = mark }
    case .forceQuit: if isOwn { (doings.leaving, doings.quit) = (mark, mark) }
    case .setFootprint: doings.growth = Story(mark)
    case .setDevice: if deed.device?.memory != nil { doings.growth = Story(mark) }
    default: break
    }
  }

  private mutating func noteOwn(_ deed: EngineInput, _ mark: Story.Mark) {
    switch deed.verb {
    case .setFootprint: doings.own.footprint = mark
    case .useCPU: doings.own.processor = mark
    case .lockFile: doings.own.lockedFile = mark
    case .setMinimumFetchInterval: doings.intervals[.fetch] = mark
    case .setKeepAlive: doings.intervals[.voipKeepAlive] = mark
    case .setInterval: if let kind = deed.kind { doings.intervals[kind] = mark }
    case .crash: doings.own.crash = mark
    case .removeApp: if state == .notRunning { (story, since) = (Story(mark), mark.line.time) }
    default: break
    }
  }

  /// The event that a line of this instant follows from: the event just before the line,
  /// or a device-wide event at the same instant.
  func causeNow(_ time: Instant) -> Story.Mark? {
    cause ?? (deviceWide?.line.time == time ? deviceWide : nil)
  }

  // MARK: Output

  private mutating func takeOwn(_ mark: Story.Mark) {
    switch mark.line.body {
    case .state(let from, let to): move(from, to, mark)
    case .callback(.lifecycle(let callback)): take(callback, mark)
    case .task(let change, let id, let name): take(change, id, name, mark)
    case .expiration(let id, _, let reason, _):
      let cut = reason == .timeLimit ? nil : causeNow(mark.line.time)
      for place in holds.indices
      where holds[place].what.kind == .finiteTask && holds[place].what.number == id.rawValue {
        holds[place].story = holds[place].story + Story(cut) + mark
      }
    case .session(let kind, let change, _): take(kind, change, mark)
    case .decision(let kind, let wake, let denied, _): decide(kind, wake, denied, mark)
    case .wake(let kind, let id, _, let change, _): take(kind, id, change, mark)
    case .request(let identifier, _, let change): take(identifier, change, mark)
    case .terminated(let process): end(process, mark)
    default: break
    }
  }

  private mutating func take(_ callback: Callback, _ mark: Story.Mark) {
    doings.own.callback = mark
    switch callback {
    case .willResignActive: course = Story(doings.leaving)
    case .willEnterForeground: course = Story(doings.coming)
    case .willTerminate: if state != .background { course = course + Story(doings.leaving) }
    case .willFinishLaunching, .didFinishLaunching, .didBecomeActive, .didEnterBackground,
      .didReceiveMemoryWarning:
      break
    }
  }

  private mutating func move(_ from: AppState, _ to: AppState, _ mark: Story.Mark) {
    let cause = Story(causeNow(mark.line.time))
    switch (from, to) {
    case (_, .notRunning): return
    case (.notRunning, .inactive):
      course = Story(doings.coming)
      story = course + mark
    case (_, .background):
      // The user accepted an interruption, or made another gesture after it.
      if from == .inactive, let last = doings.leaving, last.number > course.marks.last?.number ?? 0
      {
        course = course + last
      }
      stay =
        (from == .inactive ? course : wakeStory ?? (doings.coming.map { Story($0) } ?? cause))
        + mark
      (story, release) = (stay, Story())
    case (.background, .suspended): story = stay + release + mark
    case (.inactive, .active)
    where doings.coming.map { $0.number > course.marks.last?.number ?? 0 } ?? false:
      // The user dismissed an interruption.
      course = Story(doings.coming)
      story = course + mark
    default: story = course + mark
    }
    if from == .notRunning || from == .suspended { denials = [] }
    (state, since) = (to, mark.line.time)
  }

  /// The story of the wake that makes the app run now.
  private var wakeStory: Story? {
    holds.last {
      policy.policy.names.class(of: $0.what.kind) != .task
        && $0.story.marks.last?.number == number - 1
    }?.story
  }

  private mutating func take(
    _ change: TraceLine.TaskChange, _ id: TaskID, _ name: String, _ mark: Story.Mark
  ) {
    switch change {
    case .begin where id == .invalid: break
    case .begin:
      hold(
        Why.Holding(kind: .finiteTask, name: name, number: id.rawValue, since: mark.line.time),
        Story(mark))
    case .end: letGo(mark) { $0.kind == .finiteTask && $0.number == id.rawValue }
    }
  }

  private mutating func take(
    _ kind: KindName, _ change: TraceLine.SessionChange, _ mark: Story.Mark
  ) {
    switch change {
    case .begin:
      hold(Why.Holding(kind: kind, name: nil, number: nil, since: mark.line.time), Story(mark))
    case .renew:
      hold(
        Why.Holding(kind: kind, name: nil, number: nil, since: mark.line.time),
        (deferrals.removeValue(forKey: kind) ?? Story()) + mark)
    case .overrun where policy.overrun(of: kind) == .kill,
      .overBudget where policy.overrun(of: kind) == .kill:
      letGo(mark) { $0.kind == kind }
    case .warning, .overrun, .overBudget:
      for place in holds.indices where holds[place].what.kind == kind {
        holds[place].story = holds[place].story + mark
      }
    case .defer:
      letGo(mark) { $0.kind == kind }
      // Keeps the session's beginning and its newest deferral, not the terms in between.
      deferrals[kind] = Story(release.marks.first) + mark
    case .end:
      guard deferrals.removeValue(forKey: kind) == nil else { break }
      // If a fact denied the session, the decision is on an earlier line, and its event is
      // the cause.
      let isDenied = denials.contains { $0.kind == kind && $0.last == mark.line.time }
      letGo(mark, because: isDenied ? causeNow(mark.line.time) : nil) { $0.kind == kind }
    case .denied: break
    }
  }

  private mutating func decide(
    _ kind: KindName, _ wake: WakeID?, _ denied: Denials, _ mark: Story.Mark
  ) {
    guard denied.isEmpty else {
      if let wake { letGo(mark) { $0.kind == kind && $0.number == wake.rawValue } }
      return deny(kind, denied, mark)
    }
    denials.removeAll { $0.kind == kind }
    guard let wake else { return }
    let identifier = started?.marks.last?.line.body.request
    let source = started ?? Story(causeNow(mark.line.time) ?? doings.intervals[kind])
    hold(
      Why.Holding(kind: kind, name: identifier, number: wake.rawValue, since: mark.line.time),
      source + mark)
    started = nil
  }

  private mutating func deny(_ kind: KindName, _ reasons: Denials, _ mark: Story.Mark) {
    started = nil
    let time = mark.line.time
    let before = denials.firstIndex { $0.kind == kind && $0.reasons == reasons }.map {
      denials.remove(at: $0)
    }
    denials.append(
      Why.Denial(
        kind: kind, reasons: reasons, count: (before?.count ?? 0) + 1, first: before?.first ?? time,
        last: time,
        explanations: mark.explanations))
  }

  private mutating func take(
    _ kind: KindName, _ id: WakeID, _ change: TraceLine.WakeChange, _ mark: Story.Mark
  ) {
    let isMeant = { (held: Why.Holding) in held.kind == kind && held.number == id.rawValue }
    switch change {
    case .begin, .warning:
      for place in holds.indices where isMeant(holds[place].what) {
        holds[place].story =
          holds[place].story + Story(change == .warning ? comer(kind, holds[place]) : nil) + mark
      }
    case .overrun where policy.overrun(of: kind) == .tell,
      .overBudget where policy.overrun(of: kind) == .tell:
      break
    case .overrun, .overBudget, .unhandled:
      letGo(
        mark, because: holds.first { isMeant($0.what) }.flatMap { comer(kind, $0) }, where: isMeant)
    case .complete: letGo(mark, where: isMeant)
    }
  }

  /// The user's return during a wake that lasts only as long as the device is idle.
  private func comer(_ kind: KindName, _ hold: Hold) -> Story.Mark? {
    let waitsForIdle =
      policy.policy.names.kind(kind).flatMap { policy.policy.wakes[$0]?.waitsForIdle } ?? false
    let start =
      hold.story.marks.last { !$0.line.body.isWarning && !$0.line.body.isEvent }?.number ?? 0
    return waitsForIdle ? doings.arrival.flatMap { $0.number > start ? $0 : nil } : nil
  }

  private mutating func take(_ identifier: String, _ change: RequestChange, _ mark: Story.Mark) {
    switch change {
    case .submitted, .replaced: requests[identifier] = mark
    case .started: started = Story(requests[identifier]) + mark
    case .cancelled, .refused: break
    }
  }

  private mutating func hold(_ what: Why.Holding, _ story: Story) {
    holds.append(Hold(what: what, story: story))
  }

  private mutating func letGo(
    _ mark: Story.Mark, because cause: Story.Mark? = nil, where isMeant: (Why.Holding) -> Bool
  ) {
    guard let place = holds.firstIndex(where: { isMeant($0.what) }) else { return }
    release = holds.remove(at: place).story + Story(cause) + mark
  }

  private mutating func end(_ process: RecordedProcessEnd, _ mark: Story.Mark) {
    story = storyBefore(the: process, at: mark.line.time) + mark
    (state, since) = (.notRunning, mark.line.time)
    (holds, course, stay, release, started, deferrals) = ([], Story(), Story(), Story(), nil, [:])
    (doings.own, doings.quit) = (OwnDoings(), nil)
  }
}

extension TraceLine.Body {
  /// The identifier of a request.
  fileprivate var request: String? {
    if case .request(let identifier, _, _) = self { identifier } else { nil }
  }
}

extension PolicyFile {
  /// The policy's answer to a session or wake of this kind that reaches its limit.
  func overrun(of kind: KindName) -> Overrun? {
    policy.names.kind(kind).flatMap { policy.wakes[$0]?.overrun ?? policy.sessions[$0]?.overrun }
  }
}
