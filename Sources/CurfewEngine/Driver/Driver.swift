/// Runs an engine for a host, which pulls what happens and says what its apps do.
///
/// It keeps the order of rule C2. A step runs to its end, with everything that apps do inside what
/// it delivers to them, before the next is taken; at one instant come the engine's deadlines, then
/// what apps do of themselves in the order in which they set it off, then the look at memory (rule
/// M1), then what the host says from outside.
///
/// ```swift
/// driver.say(.launch(app))
/// while let next = driver.next() {
///   switch next {
///   case .action(let action): print(driver.now, action)
///   case .turn(let app): driver.say(.returned(app))
///   case .due: break
///   }
/// }
/// ```
///
/// Nothing is allocated once it has grown.
///
/// Apps that answer what they are called with by causing it again would keep a run at one instant
/// for ever: in virtual time the driver stops then, and `standstill` says why (rule C4).
public struct Driver: ~Copyable {
  /// When steps that are due are taken.
  public enum Pace: UInt8, Sendable {
    /// Each at its own instant: virtual time.
    case punctual
    /// When the host comes to it, which is then the instant of all that is due: real time. `next`
    /// needs a limit. Real time never stands still, so an app that causes its own calls keeps its
    /// host busy; that is the program's business.
    case late
  }

  /// What a host is given.
  public enum Item: Hashable, Sendable, BitwiseCopyable {
    /// Something came out of the engine: do it, or tell it.
    case action(Action)
    /// An app that has been called may do something: the host says it, and the app has the turn
    /// again when what came of it has been pulled; or says that it has `returned`; or lets it
    /// `rest`. A turn is offered once: where the host pulls on without any of these, the app stays
    /// busy until the host says `returned`.
    case turn(AppID)
    /// What was planned under this number is due.
    case due(UInt32)
  }

  /// Something planned, to be taken back.
  public struct Plan: Hashable, Sendable, BitwiseCopyable {
    fileprivate let id: TimerQueue.ID
    /// Places are used again; what was planned in one has a number of its own, the low half
    /// of its ticket.
    fileprivate let ticket: UInt32

    /// Nothing; to cancel it does nothing.
    public static var none: Plan { Plan(id: .none, ticket: 0) }
  }

  /// What decides. To look at.
  public internal(set) var engine: Engine
  let pace: Pace
  @usableFromInline var actions = ActionBuffer()
  /// How many of them have been pulled.
  @usableFromInline var pulled = 0
  private(set) var turns = Turns()
  /// What is planned: the hosts' numbers, and the ends of rests.
  private(set) var plans = TimerQueue()
  /// For each app the end of its rest.
  private(set) var rests = Column<Plan>()
  /// Whether something that is said may end a rest, or is watched.
  var heedsEvents = false
  /// The step count of the present instant (rule C4).
  var count = StepCount()
  /// The standstill that has stopped the driver; nil while time passes. Until `resume()` no step is
  /// taken and no turn is given.
  public internal(set) var standstill: Standstill?
  /// A host's number that is due.
  private var due: UInt32?
  /// Whether the last step was the engine's, and nothing that an app did of itself.
  public private(set) var hasAdvanced = false

  /// A number with this bit is the end of an app's rest.
  private static let restBit: UInt32 = 1 << 31

  /// A driver of an engine of which nobody is being called.
  public init(_ engine: consuming Engine, pace: Pace = .punctual) {
    precondition(engine.calls == 0, "An app is in the middle of a callback; copy its driver")
    self.engine = engine
    self.pace = pace
  }

  private init(_ engine: consuming Engine, copying other: borrowing Driver) {
    self.engine = engine
    pace = other.pace
    actions = other.actions.copy()
    plans = other.plans.copy()
    turns = other.turns.copy()
    rests = other.rests.copy()
    (pulled, due, hasAdvanced) = (other.pulled, other.due, other.hasAdvanced)
    (heedsEvents, count, standstill) = (other.heedsEvents, other.count, other.standstill)
  }

  /// A driver of its own in the same place.
  /// - Complexity: O(apps + assertions + deadlines).
  public func copy() -> Driver { Driver(engine.copy(), copying: self) }

  /// Where it is.
  public var now: Instant { engine.now }

  /// Whether all has been pulled that came of the last step and of what was said since.
  public var isStepFinished: Bool {
    pulled == actions.count && turns.isEmpty && due == nil && (pulled == 0 || !isTurnToCome)
  }

  /// When something happens next of itself; not after `now` in the middle of a step, nil where only
  /// the host can make something happen, and at a standstill.
  /// - Complexity: O(1); before `pull` has answered nil, O(actions that have been pulled).
  public var nextInstant: Instant? {
    if standstill != nil { return nil }
    guard isStepFinished else { return now }
    let next = min(engine.nextDeadline ?? .distantFuture, plans.nextDeadline ?? .distantFuture)
    return next == .distantFuture ? nil : next
  }

  /// Whether nothing is to come of itself but opportunities for fetches, keep-alives and requests,
  /// and further terms of sessions, which alone keep no run going (W3, W5, L4).
  public var hasOnlyOpportunities: Bool {
    isStepFinished && plans.isEmpty && engine.hasOnlyOpportunities
  }

  /// Makes an app known; see `Engine.addApp`.
  public mutating func addApp(_ manifest: Manifest = Manifest()) -> AppID {
    engine.addApp(manifest)
  }

  // MARK: What goes in

  /// Tells the engine what happens now: inside a turn what the app does, else what comes from
  /// outside. What follows is to be pulled.
  /// - Complexity: that of `Engine.handle`.
  public mutating func say(_ event: Event) {
    heed(event)
    engine.handle(event, into: &actions)
  }

  /// Tells the engine what happens now, and says what the caller is answered.
  public mutating func ask(_ event: Event) -> Answer {
    heed(event)
    return engine.answer(event, into: &actions)
  }

  /// The same after moving to a later instant.
  /// - Precondition: As `move`.
  public mutating func say(_ event: Event, at instant: Instant) {
    if instant > now { move(to: instant) }
    say(event)
  }

  /// The same after moving to a later instant.
  /// - Precondition: As `move`.
  public mutating func ask(_ event: Event, at instant: Instant) -> Answer {
    if instant > now { move(to: instant) }
    return ask(event)
  }

  /// The app whose turn it is takes so long, and has the turn again then, unless it has returned
  /// or been called again, or has ended.
  /// - Precondition: It has been given the turn, and has said nothing since: what it says ends
  ///   the turn, and pulling gives it the next.
  public mutating func rest(_ app: AppID, for length: Interval) {
    precondition(
      turns.given == app && length >= .zero,
      "App \(app.rawValue) rests for \(length.nanoseconds) ns outside a turn; pull first")
    turns.takeAway()
    while rests.count <= Int(app.rawValue) { rests.append(.none) }
    heedsEvents = true
    rests[Int(app.rawValue)] = insert(app.rawValue | Driver.restBit, at: now + length)
  }

  /// Asks for `.due(number)` at an instant: something that an app does of itself, if nothing
  /// intervenes. At `distantFuture` it never comes.
  /// - Precondition: The number is less than 2³¹, and the instant has not passed.
  public mutating func plan(_ number: UInt32, at instant: Instant) -> Plan {
    precondition(
      number < Driver.restBit && instant >= now,
      "A plan of number \(number) for \(instant.nanoseconds) ns")
    if count.watch != nil, instant == now { count.watch?.notePlan() }
    return insert(number, at: instant)
  }

  /// Takes back what was planned; nothing to do where it has become due.
  public mutating func cancel(_ plan: Plan) {
    if plans.holds(plan.id, ticket: plan.ticket) { plans.cancel(plan.id) }
  }

  // MARK: What comes out

  /// The rest of the current step; nil when it is finished, or at a standstill.
  /// - Complexity: O(1).
  @inlinable
  public mutating func pull() -> Item? {
    pulled < actions.count ? .action(pullAction()) : pullAfterActions()
  }

  /// Takes the next step, if one is due until `limit`.
  /// - Returns: Whether there was one. What it leads to is to be pulled. At a `standstill` there is
  ///   none; otherwise all that apps have caused at this instant is done.
  /// - Precondition: The step before is finished.
  public mutating func step(until limit: Instant) -> Bool {
    if standstill != nil { return false }
    precondition(isStepFinished, "A step before all of the last has been pulled")
    return takeStep(until: limit)
  }

  /// Takes steps up to `limit` and returns the next thing that happens. Returns nil when there is
  /// none: the instant is `limit` then, but stays at a `standstill`. Without a limit it goes on
  /// until nothing is to come.
  /// - Precondition: In real time (`Pace.late`) there is a limit.
  @inlinable
  public mutating func next(until limit: Instant = .distantFuture) -> Item? {
    pulled < actions.count ? .action(pullAction()) : nextStep(until: limit)
  }

  /// Lets time pass in which nothing is due.
  /// - Precondition: The last step is finished, and nothing is due before `instant`, which is not
  ///   before `now`. Time does not stand still.
  public mutating func move(to instant: Instant) {
    precondition(
      standstill == nil,
      "Time stands still at \(now.nanoseconds) ns, and was moved to \(instant.nanoseconds) ns")
    precondition(
      nextInstant ?? .distantFuture >= instant,
      "From \(now.nanoseconds) ns to \(instant.nanoseconds) ns past what is due")
    engine.setNow(instant)
  }

  /// Tells of what happened when something was overdue, as a trace may that nobody could
  /// have recorded.
  package mutating func sayOverdue(_ event: Event, at instant: Instant) {
    engine.setNow(instant)
    say(event)
  }
}

// MARK: - Within

extension Driver {
  /// The turn goes on with what is said in it; who returns rests no more.
  @inline(__always)
  private mutating func heed(_ event: Event) {
    if heedsEvents { heedClosely(event) }
    turns.isGiven = false
  }

  @inline(never)
  private mutating func heedClosely(_ event: Event) {
    count.watch?.note(event, by: turns.given)
    if case .returned(let app) = event { endRest(app) }
  }

  @inline(__always)
  private mutating func insert(_ number: UInt32, at instant: Instant) -> Plan {
    let ticket = plans.takeTicket()
    return Plan(
      id: plans.insert(instant, payload: number, ticket: ticket),
      ticket: UInt32(truncatingIfNeeded: ticket))
  }

  @inline(__always)
  mutating func takeStep(until limit: Instant) -> Bool {
    let (deadline, plan) = (
      engine.nextDeadline ?? .distantFuture, plans.nextDeadline ?? .distantFuture
    )
    let next = min(deadline, plan)
    guard next <= limit, next < .distantFuture else {
      if next > now { finishInstant() }
      return false
    }
    let instant = max(pace == .late ? limit : next, now)
    if instant > now {
      finishInstant()
    } else if count.taken >= count.limit, standsStill() {
      return false
    }
    count.taken += 1
    count.atStep = count.taken
    let isPlanDue = plan <= instant && plan < .distantFuture
    hasAdvanced = !isPlanDue || deadline <= instant && !engine.isOnlyMemoryDue(at: instant)
    if hasAdvanced { return engine.advance(to: instant, into: &actions) }
    takePlan(at: instant)
    return true
  }

  private mutating func takePlan(at instant: Instant) {
    engine.setNow(instant)
    guard let expired = plans.popFirst(notAfter: instant) else { return }
    guard expired.payload >= Driver.restBit else {
      count.watch?.noteDue(expired.payload)
      return due = expired.payload
    }
    turns.add(AppID(rawValue: expired.payload & ~Driver.restBit))
  }

  @usableFromInline
  mutating func nextStep(until limit: Instant) -> Item? {
    precondition(
      pace == .punctual || limit < .distantFuture,
      "In real time next(until:) needs a limit: the instant that it is")
    if standstill != nil { return nil }
    repeat {
      if pulled < actions.count { return .action(pullAction()) }
      if engine.calls == 0, turns.isEmpty, rests.count == 0, due == nil {
        forgetActions()  // As it nearly always is.
      } else if let item = pullAfterActions() {
        return item
      } else if standstill != nil {
        return nil
      }
    } while takeStep(until: limit) && due == nil
    if let number = due {
      due = nil
      return .due(number)
    }
    if standstill == nil, limit > now, limit < .distantFuture { engine.setNow(limit) }
    return nil
  }

  @inlinable
  mutating func pullAction() -> Action {
    let action = actions[pulled]
    pulled += 1
    return action
  }

  @usableFromInline
  mutating func pullAfterActions() -> Item? {
    if engine.calls > 0 || rests.count > 0 { noteCalls() } else { turns.removeAll() }
    forgetActions()
    if let number = due {
      due = nil
      return .due(number)
    }
    if count.taken > count.limit, !turns.isEmpty, standsStill(inStep: true) { return nil }
    return turns.give(engine).map { .turn($0) }
  }

  @inline(__always)
  private mutating func forgetActions() {
    actions.removeAll()
    pulled = 0
  }

  /// Who has been called in what was pulled gets a turn: nearly always, all have returned by now.
  /// Who is called or has ended rests no more.
  @inline(never)
  private mutating func noteCalls() {
    for index in 0..<actions.count {
      if let app = actions[index].called {
        count.taken += 1
        if count.watch != nil {
          count.watch?.noteCall(of: app, actions[index].moment(in: engine.policy.names))
        }
        turns.add(app)
        endRest(app)
      } else if case .terminated(let app, _) = actions[index] {
        endRest(app)
      }
    }
  }

  private var isTurnToCome: Bool {
    engine.calls > 0
      && (0..<actions.count).contains { index in
        actions[index].called.map { engine.owesReturn($0) } ?? false
      }
  }

  private mutating func endRest(_ app: AppID) {
    guard Int(app.rawValue) < rests.count else { return }
    cancel(rests[Int(app.rawValue)])
  }
}
