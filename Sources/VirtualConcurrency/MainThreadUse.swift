internal import CVirtualTime

/// Calls that hold the main thread, and the main-actor jobs that wait until those calls return.
/// Guarded by the scheduler's lock.
struct MainThreadUse {
  /// A call in progress.
  struct Hold {
    /// The owner of the called code.
    let owner: AnyObject?
    /// Whether the call is on the main thread itself, where nothing else can run meanwhile.
    let isOnMainThread: Bool
    /// The thread that makes the call.
    let thread: UnsafeMutableRawPointer?
    /// Whether the main thread waits, rather than runs a call.
    let isWait: Bool
  }

  /// The calls in progress.
  struct Holds {
    fileprivate var all: [Hold] = []

    /// Whether a job may run now. A call on another thread stands for its owner's main thread, so
    /// only other owners' jobs run meanwhile.
    func admits(_ entry: Scheduler.Entry) -> Bool {
      guard entry.lane == .main else { return true }
      return all.allSatisfy { hold in
        guard !hold.isOnMainThread, let owner = entry.owner else { return false }
        return owner !== hold.owner
      }
    }
  }

  private(set) var holds = Holds()
  private var waiting = Queue<Scheduler.Entry>()
  /// Whether a hold has ended since no waiting job was able to run.
  private var hasNews = false

  /// Jobs that wait, in order.
  var jobs: [Scheduler.Entry] { waiting.rest }

  /// Whether the main thread waits.
  var isWaiting: Bool { holds.all.contains(where: \.isWait) }

  var isHeldByThisThread: Bool {
    holds.all.contains { !$0.isWait && $0.thread == cvt_this_thread() }
  }

  mutating func begin(_ hold: Hold) { holds.all.append(hold) }

  /// Ends the calling thread's latest call. A call that waits may outlast later calls of others.
  mutating func end() {
    if let place = holds.all.lastIndex(where: { $0.thread == cvt_this_thread() }) {
      holds.all.remove(at: place)
      hasNews = true
    }
  }

  func admits(_ entry: Scheduler.Entry) -> Bool { holds.admits(entry) }

  mutating func keep(_ entry: Scheduler.Entry) { waiting.append(entry) }

  /// Notes that jobs which wait may be able to run.
  mutating func changes() { hasNews = true }

  /// Takes the first waiting job that may run now. It runs before all jobs that entered the
  /// queue later.
  mutating func take() -> Scheduler.Entry? {
    guard hasNews else { return nil }
    // A closure over `self` would copy the jobs.
    let entry = waiting.removeFirst { [holds] in holds.admits($0) }
    if entry == nil { hasNews = false }
    return entry
  }

  /// Takes the first waiting job that matches.
  mutating func takeOutOfTurn(where isMeant: (Scheduler.Entry) -> Bool) -> Scheduler.Entry? {
    waiting.removeFirst(where: isMeant)
  }

  /// Takes the jobs of an owner that wait, in order.
  mutating func take(of owner: AnyObject) -> [Scheduler.Entry] {
    waiting.removeAll { $0.owner === owner }
  }
}

extension Capture {
  /// Calls an owner's code, which holds the main thread until it returns. If the call is on
  /// the main thread, all main-actor jobs wait meanwhile; otherwise, only the jobs of this owner
  /// and the jobs without an owner. Tasks that the code begins belong to the owner.
  package func call<Result>(for owner: AnyObject, _ body: () throws -> Result) rethrows -> Result {
    let clock = cvt_clock()
    // The clock of code that is dead runs ahead.
    defer { if !hasEnded { cvt_set_clock(clock) } }
    return try holdingMainThread(for: owner) { try withOwner(owner, body) }
  }

  /// Calls `body`, which waits for other work. The main thread runs nothing else meanwhile, if this
  /// is the main thread.
  func holdingMainThreadIfHere(_ body: () -> Void) {
    let isHere = cvt_is_main_thread()
    if isHere { scheduler.beginMainThreadUse(by: nil, isWait: true) }
    body()
    if isHere, !hasEnded { scheduler.endMainThreadUse() }
  }

  func holdingMainThread<Result>(for owner: AnyObject?, _ body: () throws -> Result) rethrows
    -> Result
  {
    guard !hasEnded else { return try body() }
    scheduler.beginMainThreadUse(by: owner)
    defer { scheduler.endMainThreadUse() }
    return try body()
  }
}
