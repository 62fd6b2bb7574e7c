import CurfewEngine
import CurfewPolicy

/// A device's jobs, and the seats that they run on. A seat is an app that runs one job at a time.
/// For each name, there are as many seats as jobs of that name have ever run at one time.
///
/// A seat has no code: its callbacks return at once.
///
/// Invariants: a free seat has no job and is listed once; no two jobs share a seat. Whenever
/// the device's lock is released, no job is being admitted, and every seat has returned from
/// its callback.
struct JobRoom {
  /// Seats without a job, by the jobs' name; the seat that was freed last is used first.
  private var free: [String: [AppID]] = [:]
  /// The number of seats of each name.
  private var counts: [String: Int] = [:]
  /// Indexed by the apps' numbers; nil for an app that is not a seat.
  private var seats: ContiguousArray<Seat?> = []
  /// The job that is being admitted, until its grant begins.
  private var coming: Job?
  /// Seats that have been called and have not returned yet.
  private var returns: [AppID] = []
  var outlived = Recent<GrantedJob>()

  /// A seat with its job.
  private struct Seat {
    var job: Job?
  }

  var isInUse: Bool { !seats.isEmpty }

  var running: [GrantedJob] { seats.compactMap { $0?.job?.record } }

  private subscript(app: AppID) -> Seat? {
    get { app.rawValue < seats.count ? seats[Int(app.rawValue)] : nil }
    set {
      while seats.count <= app.rawValue { seats.append(nil) }
      seats[Int(app.rawValue)] = newValue
    }
  }

  func isSeat(_ app: AppID) -> Bool { self[app] != nil }

  /// The job of a seat.
  func job(of app: AppID) -> Job? { self[app]?.job }

  mutating func takeSeat(_ name: String) -> AppID? { free[name]?.popLast() }

  mutating func addSeat(_ app: AppID) { self[app] = Seat() }

  /// A name for another seat.
  mutating func nextName(_ name: String) -> String {
    counts[name, default: 0] += 1
    return counts[name] == 1 ? name : "\(name) \(counts[name] ?? 0)"
  }

  mutating func admit(_ job: Job) { coming = job }

  /// Begins the grant of the job that was admitted.
  mutating func begin(_ app: AppID, _ wake: AdmittedWake, as name: String, at now: Instant) {
    guard let job = coming.take() else { return }
    job.seat = app
    job.wake = wake.id
    job.record = GrantedJob(
      name: job.name, app: name, grant: Duration(job.times.length), origin: job.origin, began: now)
    self[app]?.job = job
  }

  /// Takes the job from its seat, and frees the seat.
  mutating func leave(_ app: AppID) -> Job? {
    guard let job = job(of: app) else { return nil }
    self[app]?.job = nil
    free[job.name, default: []].append(app)
    return job
  }

  /// Frees the seat of a job that was not admitted.
  mutating func giveBack(_ app: AppID, _ name: String) {
    coming = nil
    free[name, default: []].append(app)
  }

  mutating func noteCall(of app: AppID) { returns.append(app) }

  mutating func nextReturn() -> AppID? { returns.popLast() }

  /// - Complexity: O(apps).
  func checkInvariants() {
    precondition(
      coming == nil && returns.isEmpty,
      "a job is still being admitted, or a seat has not returned")
    var seen = Set<AppID>()
    for app in free.values.joined() {
      precondition(
        isSeat(app) && job(of: app) == nil && seen.insert(app).inserted,
        "app \(app.rawValue) is not a free seat")
    }
    for (place, seat) in seats.enumerated() {
      guard let job = seat?.job else { continue }
      precondition(
        job.seat.map { $0.rawValue == place } ?? false,
        "job '\(job.name)' is in the seat of another job")
    }
  }
}

extension DeviceState {
  /// A seat for a job of that name: a free seat, or a new one.
  mutating func seat(for name: String) -> AppID {
    while let app = jobs.takeSeat(name) { if !driver.engine.isRemoved(app) { return app } }
    var manifest = AppManifest()
    manifest.handlesWakeExpiration = true
    var free = jobs.nextName(name)
    while apps[named: free] != nil { free = jobs.nextName(name) }
    let app = add(free, manifest, nil)
    jobs.addSeat(app)
    return app
  }

  /// Acts on an action that concerns a seat.
  /// - Returns: Whether the action needs no further handling.
  mutating func actOnJob(_ action: Action, _ call: borrowing Call, _ core: DeviceCore) -> Bool {
    if let app = action.called {
      guard jobs.isSeat(app) else { return false }
      jobs.noteCall(of: app)
      switch action {
      case .wakeBegan(_, let wake):
        jobs.begin(app, wake, as: apps[app].name, at: now)
        counts.jobsAdmitted += 1
      case .wakeWarned(_, _, let due): warnJob(of: app, due: due, call, core)
      default: break
      }
      return true
    }
    switch action {
    case .wakeOverran(let app, let wake, let limit) where jobs.isSeat(app):
      if limit == .warning || policy.policy.wakes[wake.kind]?.overrun != .tell {
        expireJob(of: app, wake.kind, limit, call, core)
      }
      return true
    case .wakeCompleted(let app, _): return jobs.isSeat(app)
    case .terminated(let app, _):
      if let job = jobs.leave(app) { lose(job) }
    default: break
    }
    return false
  }

  private mutating func warnJob(
    of app: AppID, due: Instant, _ call: borrowing Call, _ core: DeviceCore
  ) {
    guard let job = jobs.job(of: app) else { return }
    job.isWarned = true
    counts.jobsWarned += 1
    counts.expirations += 1
    noteWarning(due: due, call, making(call, core))
    outgoing.notices.append { core.warn(job, due: due) }
  }

  private mutating func expireJob(
    of app: AppID, _ kind: AssertionKind, _ limit: RunLimit, _ call: borrowing Call,
    _ core: DeviceCore
  ) {
    guard let job = jobs.leave(app), var record = job.record else { return }
    record.expired = now
    job.fate = .expired(jobs.outlived.append(record))
    let length = min(job.times.length, policy.policy.wakes[kind]?.length ?? job.times.length)
    // The engine does not report the instant at which a budget ran out.
    job.due = limit == .length ? record.began + length : now
    counts.jobsExpired += 1
    if !job.isWarned {
      counts.expirations += 1
      noteWarning(due: job.due, call, making(call, core))
    }
    let error = GrantExpiredError(job: record)
    outgoing.notices.append { core.expire(job, error) }
  }

  /// Cancels a job that has lost its grant. The job then has no deadline: its caller waits until
  /// the body finishes.
  mutating func lose(_ job: Job) {
    job.fate = .lost
    counts.jobsRevoked += 1
    outgoing.notices.append { job.cancel() }
  }

  /// Counts the cancellation of a job's body, which is the job's expiration handler.
  fileprivate mutating func countCall(of job: Job, due: Instant, at instant: Instant) {
    counts.handlersCalled += 1
    lateness?.firstLines.record(instant - due)
  }

  /// Tells the engine that a seat has returned from its callback.
  mutating func sayReturnOfSeat() -> Bool {
    while let app = jobs.nextReturn() {
      guard driver.engine.owesReturn(app) else { continue }
      say(.returned(app))
      return true
    }
    return false
  }
}

extension DeviceCore {
  /// Requests a job's grant, which begins now.
  func begin(_ job: Job, _ kind: AssertionKind) throws(GrantDeniedError) {
    var seat = AppID(rawValue: 0)
    let denial = tell { state in
      seat = state.seat(for: job.name)
      state.jobs.admit(job)
      return .deliver(seat, kind, for: job.times)
    } answered: { state, answer -> Decision? in
      if case .decision(_, let denied, _) = answer, denied.isEmpty { return nil }
      state.jobs.giveBack(seat, job.name)
      return state.decision(answer, seat)
    }
    guard case .some(nil) = denial else {
      let error = GrantDeniedError(job: job.name, decision: denial ?? nil)
      let reason = error.reason
      withState { $0.counts.countDenial(reason) }
      throw error
    }
  }

  /// Warns a job and cancels its body. Called outside the lock.
  fileprivate func warn(_ job: Job, due: Instant) {
    withState { $0.countCall(of: job, due: due, at: timeNow($0)) }
    job.warn()
  }

  /// Cancels the body of a job whose grant is over, and ends its call. Called outside the lock.
  fileprivate func expire(_ job: Job, _ error: GrantExpiredError) {
    let firstLine = withState { timeNow($0) }
    job.cancel()
    withState { state in
      if !job.isWarned { state.countCall(of: job, due: job.due, at: firstLine) }
      let late = timeNow(state) - job.due
      state.lateness?.jobEnds.cancelled.record(late)
    }
    job.expire(error)
  }

  /// The time by the clock, which may be ahead of the engine. The lock is held.
  private func timeNow(_ state: borrowing DeviceState) -> Instant {
    clock.map { max($0.now(), state.now) } ?? state.now
  }

  /// Notes that a job's body has finished.
  /// - Returns: Whether the result counts, because the grant was not over.
  func finish(_ job: Job) -> Bool {
    var isInTime = false
    tell { state in
      guard case .granted = job.fate, let seat = job.seat, let wake = job.wake else { return nil }
      job.fate = .completed
      isInTime = true
      state.counts.jobsFinished += 1
      _ = state.jobs.leave(seat)
      return .completeWake(seat, WakeChoice(id: wake), nil)
    }
    if isInTime { return true }
    return withState { state in
      guard case .expired(let number) = job.fate else { return true }
      let now = state.now
      state.jobs.outlived.change(number) { $0.ended = now }
      state.counts.jobsOutlived += 1
      let late = timeNow(state) - job.due
      state.lateness?.jobEnds.bodyReturned.record(late)
      return false
    }
  }
}
