package import CurfewEngine
package import CurfewPolicy
package import CurfewTrace

/// Reads a trace line by line and keeps of one app what led to its present state.
///
/// Whatever is kept is a story: lines in order. A state's is that of what brought the app there
/// and of what it held; who comes to hold nothing is suspended because of what it held last. Of
/// other apps and the device only what may cause something is kept: who was opened, and who took
/// up memory.
package struct WhyReading: Sendable {
  let app: String
  let policy: PolicyFile
  private var explanations: TraceExplanations
  /// How many lines have been read.
  private(set) var number = 0

  private(set) var state = AppState.notRunning
  private(set) var since = Instant.zero
  /// Of the state.
  private(set) var story = Story()
  private(set) var denials: [Why.Denial] = []
  private(set) var holds: [Hold] = []

  /// What entered last, if nothing else has been looked at since: what the lines after it
  /// follow from.
  private var cause: Story.Mark?
  /// What entered before, at the same instant: some of it is done app by app.
  private var deviceWide: Story.Mark?
  private(set) var doings = Doings()
  /// To go back to where an event made no sense.
  private var doingsBefore = Doings()
  /// Of what the app is on its way to.
  private(set) var course = Story()
  /// Of its present stay in the background.
  private(set) var stay = Story()
  /// Of what ended last that had kept it running.
  private(set) var release = Story()
  /// Requests, by their identifiers: whoever is woken later has asked for it.
  private var requests: [String: Story.Mark] = [:]
  /// The request that has just started.
  private var started: Story?
  /// How it came about that sessions are put off.
  private(set) var deferrals: [KindName: Story] = [:]

  /// Before the first line.
  package init(_ app: String, _ policy: PolicyFile, _ explanations: TraceExplanations) {
    (self.app, self.policy, self.explanations) = (app, policy, explanations)
  }

  /// Takes in the next line.
  /// - Complexity: O(what the app holds).
  package mutating func add(_ line: TraceLine) {
    number += 1
    let isOwn = line.app == app
    let line = isOwn ? detailed(line) : line
    let why = explanations.explanations(of: line)
    let mark = Story.Mark(number: number, line: line, explanations: isOwn ? why : [])
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

  /// What is so after the last line.
  package func why(at instant: Instant) -> Why {
    Why(
      app: app, instant: instant, state: state, since: since, chain: steps(of: story),
      denials: denials, holdings: holds.map(\.what))
  }

  // MARK: What enters

  private mutating func take(_ deed: Deed, _ mark: Story.Mark, isOwn: Bool) {
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

  /// Another app of the name of one that was removed.
  private init(from other: WhyReading) {
    self.init(other.app, other.policy, other.explanations)
    (number, doings.growth) = (other.number, other.doings.growth)
  }

  private mutating func note(_ deed: Deed, _ mark: Story.Mark, isOwn: Bool) {
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

  private mutating func noteOwn(_ deed: Deed, _ mark: Story.Mark) {
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

  /// What a line of this instant follows from: what entered just before it, or at the same instant,
  /// where that is done app by app.
  func causeNow(_ time: Instant) -> Story.Mark? {
    cause ?? (deviceWide?.line.time == time ? deviceWide : nil)
  }

  // MARK: What comes out

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
      // An interruption that is followed, or another gesture on top of it.
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
      // An interruption that was sent away.
      course = Story(doings.coming)
      story = course + mark
    default: story = course + mark
    }
    if from == .notRunning || from == .suspended { denials = [] }
    (state, since) = (to, mark.line.time)
  }

  /// How the wake came about that has the app run now.
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
      // How it began, and when it was put off last: not each of its terms.
      deferrals[kind] = Story(release.marks.first) + mark
    case .end:
      guard deferrals.removeValue(forKey: kind) == nil else { break }
      // Where a fact has failed its decision stands before, and that is why.
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
    case .overrun, .overBudget:
      letGo(
        mark, because: holds.first { isMeant($0.what) }.flatMap { comer(kind, $0) }, where: isMeant)
    case .complete: letGo(mark, where: isMeant)
    }
  }

  /// Who came to the device while a wake was held that lasts only as long as nobody is there.
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

  private mutating func end(_ process: TerminatedProcess, _ mark: Story.Mark) {
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
  /// What becomes of a session or a wake of this kind at its limit.
  func overrun(of kind: KindName) -> Overrun? {
    policy.names.kind(kind).flatMap { policy.wakes[$0]?.overrun ?? policy.sessions[$0]?.overrun }
  }
}
