import CurfewEngine

/// The life of one app, step by step: which spans are open, and which begin and end with each step.
///
/// The spans of a state and of a process are kept as fields. Their places among the open ones would
/// change with each step.
///
/// Invariants: tasks, sessions, deferrals, wakes and a visit are open only in a process; a visit is
/// open only in the background; no two open spans have the same subject.
struct AppLife: Sendable {
  private(set) var state = LifeSpan(.state(.notRunning), from: .zero)
  private(set) var process: LifeSpan?
  private(set) var visit: LifeSpan?
  /// Tasks, sessions, deferrals, wakes and requests, in the order in which they began.
  private(set) var open: [LifeSpan] = []
  private var openTasks = 0
  /// The visit that a suspended app makes, if it does not turn out to be on its way to the front.
  private var thawed: LifeSpan?
  /// Whether a suspended app is on its way to the front.
  private var isReturning = false
  private var hasGrant = false

  // MARK: States and processes

  mutating func move(_ from: AppState, _ to: AppState, at now: Instant, _ changes: inout LifeSteps) {
    settle(&changes)
    if to != .background, let visit {
      changes.append(.ended(visit.ended(at: now, .next(to))))
      self.visit = nil
    }
    changes.append(.ended(state.ended(at: now, .next(to))))
    state = LifeSpan(.state(to), from: now)
    if from == .notRunning {
      let begun = LifeSpan(.process(isInBackground: to == .background), from: now)
      process = begun
      changes.append(.began(begun))
    }
    changes.appendDetail(.began(state))
    if to == .background {
      let begun = LifeSpan(.visit(from: from), from: now)
      // A session that was put off and goes on is why the app runs again.
      if from == .suspended, !hasSession { thawed = begun } else { enter(begun, &changes) }
    } else if to == .inactive, from == .notRunning || from == .background {
      changes.append(.moment(.opened(from == .notRunning ? .cold : isReturning ? .warm : .live)))
      isReturning = false
    }
  }

  private var hasSession: Bool { open.contains { if case .session = $0.subject { true } else { false } } }

  mutating func call(_ callback: Callback, _ changes: inout LifeSteps) {
    if callback == .willEnterForeground {
      (isReturning, thawed) = (thawed != nil, nil)
    } else {
      settle(&changes)
    }
    changes.appendDetail(.moment(.callback(callback)))
  }

  /// An app that came out of suspension stays in the background: a visit.
  mutating func settle(_ changes: inout LifeSteps) {
    guard let thawed else { return }
    self.thawed = nil
    enter(thawed, &changes)
  }

  private mutating func enter(_ begun: LifeSpan, _ changes: inout LifeSteps) {
    (visit, hasGrant) = (begun, false)
    changes.append(.began(begun))
    grant(&changes)
  }

  private mutating func grant(_ changes: inout LifeSteps) {
    guard visit != nil, !hasGrant, openTasks > 0 else { return }
    hasGrant = true
    changes.append(.moment(.granted))
  }

  /// The process has ended; its state has said so already. Requests are the system's, and stay.
  mutating func die(_ reason: TerminationReason, isGrant: Bool, at now: Instant, _ changes: inout LifeSteps) {
    if isGrant { expireAll(&changes) }
    let ending = LifeSpan.Ending.process(reason, isGrant: isGrant)
    var kept = 0
    for place in open.indices {
      if case .request = open[place].subject {
        open.swapAt(kept, place)
        kept += 1
      } else {
        changes.append(.ended(open[place].ended(at: now, ending)))
      }
    }
    open.removeSubrange(kept...)
    (openTasks, isReturning, thawed) = (0, false, nil)
    guard let process else { return }
    self.process = nil
    changes.append(.ended(process.ended(at: now, ending)))
  }

  // MARK: Tasks

  mutating func beginTask(_ id: TaskID, at now: Instant, _ changes: inout LifeSteps) {
    begin(.task(id), at: now, &changes)
    openTasks += 1
    grant(&changes)
  }

  mutating func endTask(_ id: TaskID, at now: Instant, _ changes: inout LifeSteps) {
    if end(.task(id), at: now, .app, &changes) { openTasks -= 1 }
  }

  mutating func expire(_ id: TaskID, _ changes: inout LifeSteps) {
    guard let place = place(of: .task(id)), !open[place].isExpired else { return }
    open[place].isExpired = true
    changes.append(.moment(.expired(id)))
  }

  /// The time of every open task has run out.
  mutating func expireAll(_ changes: inout LifeSteps) {
    for place in open.indices {
      guard case .task(let id) = open[place].subject, !open[place].isExpired else { continue }
      open[place].isExpired = true
      changes.append(.moment(.expired(id)))
    }
  }

  // MARK: What else lasts

  mutating func begin(_ subject: LifeSpan.Subject, at now: Instant, _ changes: inout LifeSteps) {
    let span = LifeSpan(subject, from: now)
    open.append(span)
    changes.append(.began(span))
  }

  /// Returns whether the span was open.
  /// - Complexity: O(open spans).
  @discardableResult
  mutating func end(
    _ subject: LifeSpan.Subject, at now: Instant, _ ending: LifeSpan.Ending, _ changes: inout LifeSteps
  ) -> Bool {
    guard let place = place(of: subject) else { return false }
    changes.append(.ended(open.remove(at: place).ended(at: now, ending)))
    return true
  }

  /// Ends the request with this identifier, whatever its kind.
  mutating func endRequest(_ identifier: UInt32, at now: Instant, _ ending: LifeSpan.Ending, _ changes: inout LifeSteps) {
    let place = open.firstIndex { if case .request(identifier, _) = $0.subject { true } else { false } }
    if let place { changes.append(.ended(open.remove(at: place).ended(at: now, ending))) }
  }

  /// The newest spans are looked at first: they end first as a rule, and an app may hold thousands.
  private func place(of subject: LifeSpan.Subject) -> Int? { open.lastIndex { $0.subject == subject } }

  /// The run is over: every span ends here.
  mutating func finish(at now: Instant, _ changes: inout LifeSteps) {
    settle(&changes)
    for span in open + [visit, process].compactMap(\.self) + [state] { changes.append(.ended(span.ended(at: now, .run))) }
    (open, visit, process) = ([], nil, nil)
  }
}

/// The changes of one action or line, gathered. Their places are used again, so that reading allocates nothing.
@usableFromInline struct LifeSteps: Sendable {
  /// The changes, and behind `count` those of actions before.
  @usableFromInline var places: [LifeChange] = []
  @usableFromInline var count = 0
  /// Whether only changes that figures count are gathered.
  var isTerse = false
  private var app = 0
  private var time = Instant.zero

  mutating func removeAll() { count = 0 }

  /// The changes that follow are of this app.
  mutating func begin(of app: Int, at time: Instant) { (self.app, self.time) = (app, time) }

  mutating func append(_ body: LifeChange.Body) {
    let change = LifeChange(app: app, time: time, body: body)
    if count < places.count { places[count] = change } else { places.append(change) }
    count += 1
  }

  /// Appends a change that no figure counts.
  mutating func appendDetail(_ body: @autoclosure () -> LifeChange.Body) { if !isTerse { append(body()) } }
}
