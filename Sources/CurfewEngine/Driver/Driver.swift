/// Runs an engine for a host. The host pulls actions and reports what its apps do.
///
/// The driver keeps the order of rule C2. A step runs to its end, with everything that apps do
/// during its deliveries, before the next step is taken. Within one instant the order is:
/// the engine's deadlines; the apps' voluntary acts, in the order in which they were planned;
/// the examination of memory (rule M1); events from outside.
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
/// The driver does not allocate unless its buffers have to grow.
///
/// An app may answer a call by causing the same call again, and so keep a run at one instant
/// forever. In virtual time the driver then stops, and `standstill` says why (rule C4).
public struct Driver: ~Copyable {
  /// The instants at which due steps are taken.
  public enum Pace: UInt8, Sendable {
    /// Virtual time: each step is taken at its own instant.
    case punctual
    /// Real time: due steps are taken when the host calls, at the instant of that call. `next`
    /// needs a limit. Real time never stands still. An app that causes its own calls keeps its host
    /// busy, and the driver does not prevent this.
    case late
  }

  /// An item that the host pulls.
  public enum Item: Hashable, Sendable, BitwiseCopyable {
    /// The engine emitted an action: perform or report it.
    case action(Action)
    /// An app that has been called may act. The host does one of three things: it says an event
    /// of the app, and the app gets the turn again when the resulting actions have been pulled;
    /// it says that the app has `returned`; or it lets the app `rest`. A turn is offered once.
    /// If the host does none of these and pulls the next item, the app stays busy until the host
    /// says `returned`.
    case turn(AppID)
    /// The host's plan with this number is due.
    case due(UInt32)
  }

  /// A plan, for cancelling it.
  public struct Plan: Hashable, Sendable, BitwiseCopyable {
    let id: TimerQueue.ID
    /// The low half of the plan's ticket. Places in the queue are reused; the ticket distinguishes
    /// plans that have had the same place.
    let ticket: UInt32

    /// No plan. Cancelling it has no effect.
    public static var none: Plan { Plan(id: .none, ticket: 0) }
  }

  /// The engine, for reading.
  public internal(set) var engine: Engine
  let pace: Pace
  @usableFromInline var actions: ActionBuffer
  /// The number of actions that have been pulled.
  @usableFromInline var pulled = 0
  var turns = Turns()
  /// The planned deadlines: the host's plans, and the ends of rests.
  var plans = TimerQueue()
  /// The end of each app's rest.
  var rests = Column<Plan>()
  /// The number of rests whose ends are planned.
  var resting = 0
  /// Whether events must be examined, because an event may end a rest or the instant is watched.
  var heedsEvents = false
  /// The step count of the current instant (rule C4).
  var count = StepCount()
  /// The standstill that has stopped the driver; nil while time passes. No step is taken and no
  /// turn is given until `resume()`.
  public internal(set) var standstill: Standstill?
  /// The number of the host's plan that is due.
  var due: UInt32?
  /// Whether the last step was the engine's, rather than a voluntary act of an app. A trace has
  /// a line `advance` for each such step.
  public internal(set) var hasAdvanced = false

  /// Marks a number as the end of an app's rest.
  static let restBit: UInt32 = 1 << 31

  /// Creates a driver for an engine.
  /// - Parameters:
  ///   - engine: The engine, which the driver consumes.
  ///   - pace: The instants at which due steps are taken: `late` in real time.
  ///   - kinds: The actions that the host wants. It gets the others only if they are `calls`.
  ///     A host that records needs all of them.
  /// - Precondition: No app of the engine is being called.
  public init(_ engine: consuming Engine, pace: Pace = .punctual, wanting kinds: ActionKinds = .all)
  {
    precondition(engine.calls == 0, "An app is in the middle of a callback; copy its driver")
    self.engine = engine
    self.pace = pace
    actions = ActionBuffer(of: kinds)
  }

  private init(_ engine: consuming Engine, copying other: borrowing Driver) {
    self.engine = engine
    pace = other.pace
    actions = other.actions.copy()
    plans = other.plans.copy()
    turns = other.turns.copy()
    rests = other.rests.copy()
    resting = other.resting
    (pulled, due, hasAdvanced) = (other.pulled, other.due, other.hasAdvanced)
    (heedsEvents, count, standstill) = (other.heedsEvents, other.count, other.standstill)
  }

  /// Returns a separate driver in the same state. Its host gets every action from now on, whatever
  /// this driver's host wants: copies explain what comes next.
  /// - Complexity: O(apps + assertions + deadlines).
  public func copy() -> Driver { Driver(engine.copy(), copying: self) }

  /// The kinds of actions that the host gets.
  package var kinds: ActionKinds { actions.kinds }

  /// The current instant.
  public var now: Instant { engine.now }

  /// Whether the results of the last step, and of everything said since, have been pulled.
  public var isStepFinished: Bool {
    pulled == actions.count && turns.isEmpty && due == nil && (pulled == 0 || !isTurnToCome)
  }

  /// The next instant at which something happens even if the host says nothing. In the middle
  /// of a step it is `now`. Nil if only the host can make something happen, or at a standstill.
  /// - Complexity: O(1); before `pull` has returned nil, O(pulled actions).
  public var nextInstant: Instant? {
    if standstill != nil { return nil }
    guard isStepFinished else { return now }
    let next = min(engine.nextLook, plans.first)
    return next == .distantFuture ? nil : next
  }

  /// Whether `nextInstant` is not after `now`.
  /// - Complexity: That of `nextInstant`.
  package var isDue: Bool {
    if standstill != nil { return false }
    guard isStepFinished else { return true }
    let next = min(engine.nextLook, plans.first)
    return next <= now && next < .distantFuture
  }

  /// Whether every deadline still to come is an opportunity for a fetch, a keep-alive or a request,
  /// or a further term of a session. Such deadlines alone do not keep a run going (W3, W5, L4).
  public var hasOnlyOpportunities: Bool {
    isStepFinished && plans.isEmpty && engine.hasOnlyOpportunities
  }

  /// Whether the app is in a callback or handler that has not returned. A turn is offered once,
  /// so a host that goes on where another has stopped finds its busy apps here.
  /// - Complexity: O(1).
  public func owesReturn(_ app: AppID) -> Bool { engine.owesReturn(app) }

  /// Adds an app; see `Engine.addApp`.
  public mutating func addApp(_ manifest: Manifest = Manifest()) -> AppID {
    engine.addApp(manifest)
  }

  // MARK: Input

  /// Sends an event to the engine now: an event of the app during a turn, otherwise an event from
  /// outside. The host must then pull the resulting actions.
  /// - Complexity: That of `Engine.handle`.
  @inlinable
  public mutating func say(_ event: Event) {
    // Nearly every call is answered by its return alone, so that this event has a short way.
    if case .returned(let app) = event { sayReturned(app) } else { sayAny(event) }
  }

  /// Sends an event to the engine now and returns the answer to its caller.
  @inlinable
  public mutating func ask(_ event: Event) -> EventAnswer {
    // The events of a background task have short ways, because an answer that is written by one
    // function and copied by others takes longer than the rest of the event.
    switch event {
    case .beginTask(let app, let label, let handler):
      var denial = EventAnswer.nothing
      return askToBegin(app, label, handler, &denial).map { .begun($0) } ?? denial
    case .endTask(let app, let task):
      sayEnd(of: task, app)
      return .nothing
    default: return askAny(event)
    }
  }

  /// Moves to `instant`, if it is later than `now`, and sends an event.
  /// - Precondition: That of `move(to:)`.
  public mutating func say(_ event: Event, at instant: Instant) {
    if instant > now { move(to: instant) }
    say(event)
  }

  /// Moves to `instant`, if it is later than `now`, sends an event and returns the answer.
  /// - Precondition: That of `move(to:)`.
  public mutating func ask(_ event: Event, at instant: Instant) -> EventAnswer {
    if instant > now { move(to: instant) }
    return ask(event)
  }

  /// Lets the app that has the turn rest for `length`. Afterwards the app has the turn again,
  /// unless it has returned, been called again, or ended.
  /// - Precondition: The app has been given the turn and has said nothing since. An event ends
  ///   the turn; pull to get the next turn.
  public mutating func rest(_ app: AppID, for length: Interval) {
    precondition(
      turns.given == app && length >= .zero,
      "App \(app.rawValue) rests for \(length.nanoseconds) ns outside a turn; pull first")
    turns.takeAway()
    while rests.count <= Int(app.rawValue) { rests.append(.none) }
    heedsEvents = true
    resting += 1
    rests[Int(app.rawValue)] = insert(app.rawValue | Driver.restBit, at: now + length)
  }

  /// Requests the item `.due(number)` at an instant, for a voluntary act of an app. Cancel the plan
  /// if an event intervenes. A plan at `distantFuture` never becomes due.
  /// - Precondition: `number` is less than 2³¹, and `instant` has not passed.
  public mutating func plan(_ number: UInt32, at instant: Instant) -> Plan {
    precondition(
      number < Driver.restBit && instant >= now,
      "A plan of number \(number) for \(instant.nanoseconds) ns")
    if count.watch != nil, instant == now { count.watch?.notePlan() }
    return insert(number, at: instant)
  }

  /// Cancels a plan. Has no effect if the plan has become due.
  public mutating func cancel(_ plan: Plan) {
    if plans.holds(plan.id, ticket: plan.ticket) { plans.cancel(plan.id) }
  }

  /// The number of the plan that comes next; nil if there is none, or if the end of a rest comes
  /// before it. A host with many apps can load the data of that plan in time (see `prefetch`).
  /// - Complexity: O(1).
  public var nextPlan: UInt32? {
    guard let number = plans.firstPayload, number < Driver.restBit else { return nil }
    return number
  }

  /// Loads an app's record into the processor's cache, because the host will soon say an event
  /// of the app. With hundreds of thousands of apps, the event would otherwise wait for memory.
  public func prefetch(_ app: AppID) { engine.apps.prefetch(app) }

  // MARK: Output

  /// The next item of the current step; nil if the step is finished, or at a standstill.
  /// - Complexity: O(1).
  @inlinable
  public mutating func pull() -> Item? {
    pulled < actions.count ? .action(pullAction()) : pullAfterActions()
  }

  /// Takes the next step, if one is due by `limit`.
  /// - Returns: Whether a step was taken; its results must then be pulled. False at a `standstill`;
  ///   at any other time, false means that everything that apps caused at this instant is done.
  /// - Precondition: The previous step is finished.
  public mutating func step(until limit: Instant) -> Bool {
    if standstill != nil { return false }
    precondition(isStepFinished, "A step was requested before the previous one had been pulled")
    return takeStep(until: limit)
  }

  /// Takes steps up to `limit` and returns the next item. Returns nil if there is none; `now`
  /// is then `limit`, except at a `standstill`. Without a limit, runs until nothing is due.
  /// - Precondition: In real time (`Pace.late`) there is a limit.
  @inlinable
  public mutating func next(until limit: Instant = .distantFuture) -> Item? {
    pulled < actions.count ? .action(pullAction()) : nextStep(until: limit)
  }

  /// Moves to an instant before which nothing is due.
  /// - Precondition: The last step is finished, nothing is due before `instant`, `instant` is not
  ///   before `now`, and there is no standstill.
  public mutating func move(to instant: Instant) {
    precondition(
      standstill == nil,
      "Time stands still at \(now.nanoseconds) ns; it cannot move to \(instant.nanoseconds) ns")
    precondition(
      nextInstant ?? .distantFuture >= instant,
      "A move from \(now.nanoseconds) ns to \(instant.nanoseconds) ns passes a deadline")
    engine.setNow(instant)
  }

  /// Sends an event at an instant although deadlines before it are overdue. A trace that no run
  /// could have recorded may require this.
  package mutating func sayOverdue(_ event: Event, at instant: Instant) {
    engine.setNow(instant)
    say(event)
  }
}
