import CurfewEngine

/// The life of one app, step by step: its open spans, and the spans that begin or end in each step.
///
/// The spans of a state, a process and a visit are fields, because an app has at most one of each
/// at a time and its subject is known.
///
/// Invariants: tasks, sessions, deferrals, wakes and a visit are open only in a process; a visit is
/// open only in the background; no two open spans have the same subject.
struct AppLife: Sendable {
  /// The app's place among the apps that are read.
  let number: Int
  private var appState = AppState.notRunning
  private var stateBegin = Instant.zero
  private var processBegin: Instant?
  private var isBackgroundLaunch = false
  private var visitBegin: Instant?
  private var visitFrom = AppState.notRunning
  /// Tasks, sessions, deferrals, wakes and requests, in the order in which they began.
  private var open: [LifeSpan] = []
  private var openTasks = 0
  /// The instant at which a suspended app entered the background, until it is known whether the app
  /// is on its way to the front. If it is not, a visit begins at this instant.
  private var thawBegin: Instant?
  /// Whether a suspended app is on its way to the front.
  private var isReturning = false
  private var hasGrant = false

  init(_ number: Int) { self.number = number }

  // MARK: States and processes

  var state: LifeSpan { LifeSpan(.state(appState), from: stateBegin) }
  private var process: LifeSpan? {
    processBegin.map { LifeSpan(.process(isInBackground: isBackgroundLaunch), from: $0) }
  }
  private var visit: LifeSpan? { visitBegin.map { LifeSpan(.visit(from: visitFrom), from: $0) } }

  mutating func move<R: LifeReader>(
    _ from: AppState, _ to: AppState, at now: Instant, _ reader: inout R
  ) {
    settle(&reader)
    if to != .background, let visit {
      reader.ended(visit.ended(at: now, .next(to)), of: number)
      visitBegin = nil
    }
    reader.ended(state.ended(at: now, .next(to)), of: number)
    (appState, stateBegin) = (to, now)
    if from == .notRunning {
      (processBegin, isBackgroundLaunch) = (now, to == .background)
      reader.began(LifeSpan(.process(isInBackground: to == .background), from: now), of: number)
    }
    if R.readsDetails { reader.began(state, of: number) }
    if to == .background {
      // A suspended app with a session runs again because the session was renewed after a deferral.
      if from == .suspended, !hasSession { thawBegin = now } else { enter(from, now, &reader) }
    } else if to == .inactive, from == .notRunning || from == .background {
      reader.happened(
        .opened(from == .notRunning ? .cold : isReturning ? .warm : .live), of: number)
      isReturning = false
    }
  }

  private var hasSession: Bool {
    open.contains { if case .session = $0.subject { true } else { false } }
  }

  mutating func call<R: LifeReader>(_ callback: Callback, _ reader: inout R) {
    if callback == .willEnterForeground {
      (isReturning, thawBegin) = (thawBegin != nil, nil)
    } else {
      settle(&reader)
    }
    if R.readsDetails { reader.happened(.callback(callback), of: number) }
  }

  /// Records that the app's code runs. A suspended app that runs code is not on its way to
  /// the front.
  mutating func deliver<R: LifeReader>(_ moment: LifeMoment, _ reader: inout R) {
    settle(&reader)
    if R.readsDetails { reader.happened(moment, of: number) }
  }

  /// Begins the visit of an app that was suspended and stays in the background.
  private mutating func settle(_ reader: inout some LifeReader) {
    guard let begin = thawBegin else { return }
    thawBegin = nil
    enter(.suspended, begin, &reader)
  }

  private mutating func enter(_ from: AppState, _ begin: Instant, _ reader: inout some LifeReader) {
    (visitFrom, visitBegin, hasGrant) = (from, begin, false)
    reader.began(LifeSpan(.visit(from: from), from: begin), of: number)
    grant(&reader)
  }

  private mutating func grant(_ reader: inout some LifeReader) {
    guard visitBegin != nil, !hasGrant, openTasks > 0 else { return }
    hasGrant = true
    reader.happened(.granted, of: number)
  }

  /// Ends the process, after its state has changed. Requests belong to the system and stay open.
  mutating func die(
    _ reason: TerminationReason, isGrant: Bool, at now: Instant, _ reader: inout some LifeReader
  ) {
    if isGrant { expireAll(&reader) }
    let ending = LifeSpan.Ending.process(reason, isGrant: isGrant)
    var kept = 0
    for place in open.indices {
      if case .request = open[place].subject {
        open.swapAt(kept, place)
        kept += 1
      } else {
        reader.ended(open[place].ended(at: now, ending), of: number)
      }
    }
    open.removeSubrange(kept...)
    (openTasks, isReturning, thawBegin) = (0, false, nil)
    guard let process else { return }
    processBegin = nil
    reader.ended(process.ended(at: now, ending), of: number)
  }

  // MARK: Tasks

  mutating func beginTask(_ id: TaskID, at now: Instant, _ reader: inout some LifeReader) {
    guard id != .invalid else { return reader.happened(.taskDenied, of: number) }
    begin(.task(id), at: now, &reader)
    openTasks += 1
    grant(&reader)
  }

  mutating func endTask(_ id: TaskID, at now: Instant, _ reader: inout some LifeReader) {
    if end(.task(id), at: now, .app, &reader) { openTasks -= 1 }
  }

  mutating func expire(_ id: TaskID, _ reader: inout some LifeReader) {
    if let place = place(of: .task(id)) { expire(place, id, &reader) }
    reader.happened(.handler(.task(id)), of: number)
  }

  /// Records that tasks are still open after the time of all tasks has run out.
  mutating func stillOpen(_ reader: inout some LifeReader) {
    expireAll(&reader)
    reader.happened(.diagnostic(.stillOpenAfterExpiration), of: number)
  }

  /// Marks every open task as expired.
  private mutating func expireAll(_ reader: inout some LifeReader) {
    for place in open.indices {
      if case .task(let id) = open[place].subject { expire(place, id, &reader) }
    }
  }

  private mutating func expire(_ place: Int, _ id: TaskID, _ reader: inout some LifeReader) {
    guard !open[place].isExpired else { return }
    open[place].isExpired = true
    reader.happened(.expired(id), of: number)
  }

  // MARK: Sessions, wakes and requests

  mutating func note(
    _ change: SessionChange, _ kind: KindNumber, goesOn: Bool, at now: Instant,
    _ reader: inout some LifeReader
  ) {
    let (session, deferral) = (
      LifeSpan.Subject.session(kind: kind), LifeSpan.Subject.deferral(kind: kind)
    )
    switch change {
    case .began: begin(session, at: now, &reader)
    case .denied: reader.happened(.sessionDenied(kind: kind), of: number)
    case .overran: overrun(session, .length, goesOn, at: now, &reader)
    case .overBudget: overrun(session, .budget, goesOn, at: now, &reader)
    // The overrun has already ended the session.
    case .deferred: begin(deferral, at: now, &reader)
    case .renewed:
      end(deferral, at: now, .renewed, &reader)
      begin(session, at: now, &reader)
    case .ended:
      end(session, at: now, .app, &reader)
      end(deferral, at: now, .app, &reader)
    }
  }

  mutating func note(
    _ change: TraceLine.WakeChange, _ wake: LifeSpan.Subject, goesOn: Bool, at now: Instant,
    _ reader: inout some LifeReader
  ) {
    switch change {
    case .begin:
      settle(&reader)
      begin(wake, at: now, &reader)
    case .warning: reader.happened(.handler(wake), of: number)
    case .complete: end(wake, at: now, .app, &reader)
    case .overrun: overrun(wake, .length, goesOn, at: now, &reader)
    case .overBudget: overrun(wake, .budget, goesOn, at: now, &reader)
    case .unhandled: overrun(wake, .warning, false, at: now, &reader)
    }
  }

  mutating func note(
    _ change: RequestChange, _ identifier: UInt32, _ kind: KindNumber, at now: Instant,
    _ reader: inout some LifeReader
  ) {
    switch change {
    case .submitted, .replaced:
      endRequest(identifier, at: now, .replaced, &reader)
      begin(.request(identifier: identifier, kind: kind), at: now, &reader)
    case .started: endRequest(identifier, at: now, .started, &reader)
    case .cancelled: endRequest(identifier, at: now, .app, &reader)
    case .refused(let error): reader.happened(.refused(kind: kind, error), of: number)
    }
  }

  /// Records that an admission was allowed or denied. A denial ends a wake that had been admitted.
  mutating func decide(
    _ kind: KindNumber, _ wake: WakeID?, isAllowed: Bool, at now: Instant,
    _ reader: inout some LifeReader
  ) {
    if !isAllowed, let wake { end(.wake(wake, kind: kind), at: now, .denied, &reader) }
    reader.happened(
      isAllowed ? .allowed(kind: kind, wake: wake) : .denied(kind: kind, wake: wake), of: number)
  }

  private mutating func overrun(
    _ subject: LifeSpan.Subject, _ limit: RunLimit, _ goesOn: Bool, at now: Instant,
    _ reader: inout some LifeReader
  ) {
    reader.happened(.overran(subject, limit), of: number)
    if !goesOn { end(subject, at: now, .overrun(limit), &reader) }
  }

  // MARK: Spans

  private mutating func begin(
    _ subject: LifeSpan.Subject, at now: Instant, _ reader: inout some LifeReader
  ) {
    let span = LifeSpan(subject, from: now)
    open.append(span)
    reader.began(span, of: number)
  }

  /// Ends a span. Returns whether it was open.
  /// - Complexity: O(open spans).
  @discardableResult
  private mutating func end(
    _ subject: LifeSpan.Subject, at now: Instant, _ ending: LifeSpan.Ending,
    _ reader: inout some LifeReader
  ) -> Bool {
    guard let place = place(of: subject) else { return false }
    reader.ended(open.remove(at: place).ended(at: now, ending), of: number)
    return true
  }

  /// Ends the request with this identifier, whatever its kind is.
  private mutating func endRequest(
    _ identifier: UInt32, at now: Instant, _ ending: LifeSpan.Ending,
    _ reader: inout some LifeReader
  ) {
    let place = open.firstIndex {
      if case .request(identifier, _) = $0.subject { true } else { false }
    }
    if let place { reader.ended(open.remove(at: place).ended(at: now, ending), of: number) }
  }

  /// Looks at the newest spans first: they usually end first, and an app may hold thousands.
  private func place(of subject: LifeSpan.Subject) -> Int? {
    open.lastIndex { $0.subject == subject }
  }

  /// Ends the run, and with it every span.
  mutating func finish(at now: Instant, _ reader: inout some LifeReader) {
    settle(&reader)
    for span in open { reader.ended(span.ended(at: now, .run), of: number) }
    if let visit { reader.ended(visit.ended(at: now, .run), of: number) }
    if let process { reader.ended(process.ended(at: now, .run), of: number) }
    reader.ended(state.ended(at: now, .run), of: number)
    (open, visitBegin, processBegin) = ([], nil, nil)
  }
}
