/// Runs an engine for a host, which pulls what happens and says what its apps do.
///
/// It keeps the order of rule C2. A step runs to its end, with everything that apps do inside what it delivers to them, before the next is taken; at one instant
/// come the engine's deadlines, then what apps do of themselves in the order in which they set it off, then the look at memory (rule M1), then what the host says from outside.
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
public struct Driver: ~Copyable {
  /// What a host is given.
  public enum Item: Hashable, Sendable, BitwiseCopyable {
    /// Something came out of the engine: do it, or tell it.
    case action(Action)
    /// An app has been called, and what came out before has been seen: it may do something (`say`), and has the turn again after that; return (`say(.returned)`);
    /// or take its time (`rest`). Who does none of that keeps it, and says `returned` whenever it comes.
    case turn(AppID)
    /// What was planned under this number is due.
    case due(UInt32)
  }

  /// Something planned, to be taken back.
  public typealias Plan = TimerQueue.ID

  /// What decides. To look at.
  public internal(set) var engine: Engine
  @usableFromInline var actions = ActionBuffer()
  /// How many of them have been pulled.
  @usableFromInline var pulled = 0
  private var turns = Turns()
  /// What is planned: the hosts' numbers, and the ends of rests.
  private var plans = TimerQueue()
  /// For each app the end of its rest.
  private var rests = Column<Plan>()
  /// A host's number that is due.
  private var due: UInt32?

  /// A number with this bit is the end of an app's rest.
  private static let restBit: UInt32 = 1 << 31

  /// A driver of an engine that nobody else has told anything of this instant.
  public init(_ engine: consuming Engine) { self.engine = engine }

  private init(_ engine: consuming Engine, copying other: borrowing Driver) {
    self.engine = engine
    actions = other.actions.copy()
    plans = other.plans.copy()
    turns = other.turns.copy()
    rests = other.rests.copy()
    (pulled, due) = (other.pulled, other.due)
  }

  /// A driver of its own in the same place.
  /// - Complexity: O(apps + assertions + deadlines).
  public func copy() -> Driver { Driver(engine.copy(), copying: self) }

  /// Where it is.
  public var now: Instant { engine.now }

  /// When something happens next of itself; not after `now` in the middle of a step, nil where only the host can make something happen.
  /// - Complexity: O(1).
  public var nextInstant: Instant? {
    let next = min(engine.nextDeadline ?? .distantFuture, plans.nextDeadline ?? .distantFuture)
    return next == .distantFuture ? nil : next
  }

  /// Whether nothing is to come of itself but opportunities for fetches and keep-alives, which alone do not keep a run going (rule W3).
  public var hasOnlyOpportunities: Bool { plans.isEmpty && engine.hasOnlyOpportunities }

  /// Makes an app known; see `Engine.addApp`.
  public mutating func addApp(_ manifest: Manifest = Manifest()) -> AppID { engine.addApp(manifest) }

  // MARK: What goes in

  /// Tells the engine what happens now: inside a turn what the app does, else what comes from outside. What follows is to be pulled.
  /// - Complexity: that of `Engine.handle`.
  @inline(__always)
  public mutating func say(_ event: Event) {
    turns.isGiven = false
    engine.handle(event, at: engine.now, into: &actions)
  }

  /// The same at a later instant, up to which nothing is due, with everything pulled that came before.
  public mutating func say(_ event: Event, at instant: Instant) {
    move(to: instant)
    say(event)
  }

  /// Tells the engine what happens now, and says what the caller is answered.
  public mutating func ask(_ event: Event) -> Answer {
    engine.answer = .nothing
    say(event)
    return engine.answer
  }

  /// The same at a later instant, up to which nothing is due.
  public mutating func ask(_ event: Event, at instant: Instant) -> Answer {
    move(to: instant)
    return ask(event)
  }

  /// The app whose turn it is takes so long, and has the turn again then, unless it has been called with something else by then, or has ended.
  public mutating func rest(_ app: AppID, for length: Interval) {
    precondition(engine.owesReturn(app), "App \(app.rawValue) is not being called")
    turns.remove(app)
    while rests.count <= Int(app.rawValue) { rests.append(.none) }
    endRest(app)
    rests[Int(app.rawValue)] = plans.insert(now + length, payload: app.rawValue | Driver.restBit)
  }

  /// Asks for `.due(number)` at an instant: something that an app does of itself, if nothing intervenes.
  /// - Precondition: The number is less than 2³¹.
  public mutating func plan(_ number: UInt32, at instant: Instant) -> Plan {
    precondition(number < Driver.restBit, "A plan of number \(number)")
    return plans.insert(instant, payload: number)
  }

  /// Takes back what was planned and has not become due.
  public mutating func cancel(_ plan: Plan) { plans.cancel(plan) }

  // MARK: What comes out

  /// What is left of the step that is being taken; nil when it is finished.
  /// - Complexity: O(1).
  @inlinable
  public mutating func pull() -> Item? { pulled < actions.count ? .action(pullAction()) : pullRest() }

  /// Takes the next step, if one is due until `limit`, at the instant at which it is due.
  /// - Returns: Whether there was one. What it leads to is to be pulled.
  public mutating func step(until limit: Instant) -> Bool {
    let (deadline, plan) = (engine.nextDeadline ?? .distantFuture, plans.nextDeadline ?? .distantFuture)
    let next = min(deadline, plan)
    guard next <= limit, next < .distantFuture else { return false }
    return take(atOnce: deadline <= plan && !(deadline == plan && engine.isOnlyMemoryDue), at: max(next, now))
  }

  /// Takes the next step that is due at `instant`, however late: a host in real time is where its clock is.
  public mutating func step(at instant: Instant) -> Bool {
    let deadline = engine.nextDeadline ?? .distantFuture
    let isPlanDue = plans.nextDeadline.map { $0 <= instant } ?? false
    guard isPlanDue || deadline <= instant else { return false }
    return take(atOnce: deadline <= instant && !(isPlanDue && engine.isOnlyMemoryDue), at: instant)
  }

  /// What happens next, up to `limit`; nil when nothing more does, and then it is `limit`. Without a limit, until nothing is to come.
  @inlinable
  public mutating func next(until limit: Instant = .distantFuture) -> Item? {
    pulled < actions.count ? .action(pullAction()) : nextStep(until: limit)
  }

  @usableFromInline
  mutating func nextStep(until limit: Instant) -> Item? {
    repeat { if let item = pull() { return item } } while step(until: limit)
    if limit > now, limit < .distantFuture { engine.setNow(limit) }
    return nil
  }

  /// What is due by `instant`, which is now, however late; nil when nothing is.
  public mutating func next(at instant: Instant) -> Item? {
    repeat { if let item = pull() { return item } } while step(at: instant)
    if instant > now { engine.setNow(instant) }
    return nil
  }
}

extension Driver {
  private mutating func move(to instant: Instant) {
    precondition(pulled == actions.count || instant == now, "Actions of \(now.nanoseconds) ns have not been pulled")
    engine.setNow(instant)
  }

  /// Takes the engine's next step, or else what is planned next.
  @inline(__always)
  private mutating func take(atOnce isEngines: Bool, at instant: Instant) -> Bool {
    if isEngines { return engine.advance(to: instant, into: &actions) }
    engine.setNow(instant)
    guard let expired = plans.popFirst(notAfter: instant) else { return false }
    guard expired.payload >= Driver.restBit else {
      due = expired.payload
      return true
    }
    let app = AppID(rawValue: expired.payload & ~Driver.restBit)
    rests[Int(app.rawValue)] = .none
    turns.add(app)
    return true
  }

  @inlinable
  mutating func pullAction() -> Action {
    let action = actions[pulled]
    pulled += 1
    switch action {
    case .callback(let app, _), .expiration(let app, _, _, _), .wakeBegan(let app, _), .event(let app, _): noteCall(app)
    case .terminated(let app, _): endRest(app)
    default: break
    }
    return action
  }

  @usableFromInline
  mutating func noteCall(_ app: AppID) {
    turns.add(app)
    if rests.count > 0 { endRest(app) }
  }

  /// What comes when all that came out has been pulled.
  @usableFromInline
  mutating func pullRest() -> Item? {
    actions.removeAll()
    pulled = 0
    if let number = due {
      due = nil
      return .due(number)
    }
    return turns.give(engine).map { .turn($0) }
  }

  @usableFromInline
  mutating func endRest(_ app: AppID) {
    guard Int(app.rawValue) < rests.count, rests[Int(app.rawValue)] != .none else { return }
    plans.cancel(rests[Int(app.rawValue)])
    rests[Int(app.rawValue)] = .none
  }
}
