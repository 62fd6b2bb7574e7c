import CurfewEngine

/// An event loop's timers in virtual time, on a `TimerQueue` alone: start, stop, repeat and close
/// as in libuv, sleeps as in a test clock. Times are in milliseconds.
struct TimerLoop: ~Copyable {
  /// The error of an operation on a timer that is closed or was never started.
  enum Failure: String, Error { case invalid = "EINVAL" }

  typealias Callback = (inout TimerLoop) throws -> Void

  struct Timer {
    var deadline = TimerQueue.ID.none
    var period: UInt64 = 0
    var callback: Callback?
    var wasStarted = false
    var isClosed = false
    var isReferenced = true
    /// Popped in this pass and not called yet.
    var isReady = false
    var fired = 0

    var isActive: Bool { deadline != .none || isReady }
  }

  private var queue = TimerQueue()
  private(set) var now = Instant.zero
  private var names: [String] = []
  private var timers: [Timer] = []
  private(set) var fires: [(at: Instant, name: String)] = []
  /// Notes by callbacks, in order.
  var notes: [String] = []
  /// Set by a callback to end `run`.
  var isStopped = false
  /// Runs once, after the first wait and before its timers, as libuv's check phase.
  var check: Callback?
  /// Runs once, before the wait that follows `check`, as libuv's prepare phase.
  var prepare: Callback?

  /// The timer of this name, created on first use.
  subscript(name: String) -> Timer {
    mutating get { timers[index(name)] }
  }

  private mutating func index(_ name: String) -> Int {
    if let index = names.firstIndex(of: name) { return index }
    names.append(name)
    timers.append(Timer())
    return names.count - 1
  }

  static func interval(_ milliseconds: UInt64) -> Interval {
    .milliseconds(Int64(clamping: milliseconds))
  }

  // MARK: Operations

  mutating func start(
    _ name: String, after delay: UInt64, every period: UInt64 = 0, _ callback: Callback? = nil
  ) throws {
    let timer = index(name)
    guard !timers[timer].isClosed else { throw Failure.invalid }
    stop(name)
    timers[timer].wasStarted = true
    timers[timer].period = period
    if let callback { timers[timer].callback = callback }
    arm(timer, after: delay)
  }

  private mutating func arm(_ timer: Int, after delay: UInt64) {
    timers[timer].deadline = queue.insert(now + TimerLoop.interval(delay), payload: UInt32(timer))
  }

  mutating func stop(_ name: String) {
    let timer = index(name)
    timers[timer].isReady = false
    guard timers[timer].deadline != .none else { return }
    queue.cancel(timers[timer].deadline)
    timers[timer].deadline = .none
  }

  /// Restarts a repeating timer's period.
  mutating func again(_ name: String) throws {
    let timer = index(name)
    guard timers[timer].wasStarted else { throw Failure.invalid }
    guard timers[timer].period > 0 else { return }
    stop(name)
    arm(timer, after: timers[timer].period)
  }

  mutating func close(_ name: String) {
    stop(name)
    timers[index(name)].isClosed = true
  }

  /// Takes effect when the timer is next armed.
  mutating func setRepeat(_ name: String, _ period: UInt64) { timers[index(name)].period = period }

  mutating func setCallback(_ name: String, _ callback: @escaping Callback) {
    timers[index(name)].callback = callback
  }

  /// Lets the loop end while this timer still waits.
  mutating func unreference(_ name: String) { timers[index(name)].isReferenced = false }

  mutating func dueIn(_ name: String) -> Interval? {
    let timer = self[name]
    return timer.deadline == .none ? nil : queue.deadline(of: timer.deadline) - now
  }

  // MARK: Running

  /// Whether any referenced timer waits.
  var isAlive: Bool { timers.contains { $0.isActive && $0.isReferenced } }

  /// Lets time pass without calling timers.
  mutating func jump(to instant: Instant) { now = max(now, instant) }

  /// Runs until nothing is left to wait for or a callback has stopped it.
  mutating func run(passes limit: Int = 10_000) throws {
    var passes = 0
    while !isStopped, isAlive, passes < limit {
      try runOnce()
      passes += 1
    }
  }

  /// One pass: waits for the first timer unless one is due, then calls those that are due.
  mutating func runOnce() throws {
    if check == nil, let prepare {
      self.prepare = nil
      try prepare(&self)
    }
    if let deadline = queue.nextDeadline { jump(to: deadline) }
    if let check {
      self.check = nil
      try check(&self)
    }
    try callDue()
  }

  /// Advances the time through every deadline, each called at its own instant.
  mutating func advance(by milliseconds: UInt64) throws {
    let end = now + TimerLoop.interval(milliseconds)
    while let deadline = queue.nextDeadline, deadline <= end {
      jump(to: deadline)
      try callDue()
    }
    now = end
  }

  /// Calls the timers that are due at the beginning of this pass. Timers started by a callback wait
  /// for the next pass; timers stopped by a callback are not called.
  private mutating func callDue() throws {
    var ready: [Int] = []
    while let expired = queue.popFirst(notAfter: now) {
      timers[Int(expired.payload)].deadline = .none
      timers[Int(expired.payload)].isReady = true
      ready.append(Int(expired.payload))
    }
    for timer in ready where timers[timer].isReady {
      timers[timer].isReady = false
      if timers[timer].period > 0 { arm(timer, after: timers[timer].period) }
      timers[timer].fired += 1
      fires.append((now, names[timer]))
      try timers[timer].callback?(&self)
    }
    queue.checkInvariants()
  }
}
