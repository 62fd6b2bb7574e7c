import CLibuv
internal import Curfew
import CurfewSystem

/// The threads that run a loop of our own, one at a time. The thread that runs the loop is
/// the leader.
///
/// A tick may leave work for later, usually an app's handler. The leader does that work itself,
/// between two rounds of the loop, so no other thread has to wake up for it. Meanwhile the leader
/// is away, and a deputy stands by, asleep on its own kernel timer, which fires at the loop's next
/// deadline or before. If the leader comes back in time, it moves that timer to a later instant,
/// and the deputy never wakes up. Otherwise the deputy becomes the leader and starts a new deputy.
/// When the old leader comes back, it becomes a deputy, or ends if there is one (decision 0010).
final class LoopCrew: @unchecked Sendable {
  /// The maximum number of threads. If all but one are in handlers that do not return, the last
  /// thread leads and runs no handlers. Handlers then go to threads outside the crew.
  static let limit = 8

  /// The time that a handler needs to end its task and return, in nanoseconds, with a reserve.
  /// Cancelling a Swift task, which wakes a thread, takes as long. If the next deadline is nearer,
  /// the handler goes to another thread, because that costs less than a deputy that takes over.
  private static let usualWork: Int64 = 40_000

  private let core: LoopCore
  private let start: ThreadStart
  /// The timer that wakes the deputy. Its descriptor blocks: a deputy sleeps in `read`.
  private let alarm: StandbyTimer?
  private let lock = Lock()

  // The lock guards the properties below.
  private var leader: ThreadID?
  /// Whether the leader is doing a tick's work, so that no thread runs the loop.
  private var isAway = false
  /// The instant at which the deputy takes over while the leader is away, in nanoseconds of the
  /// monotonic clock; known from the tick that leaves the work.
  private var standby = Int64.max
  /// The instant at which the deputy's timer fires: not later than `standby` while the leader
  /// is away; `Int64.max` if the timer is not set.
  private var alarmInstant = Int64.max
  /// Whether the leader set the deputy's timer when it last came back, so that nobody waits for it.
  private var isAlarmLeft = false
  /// The instant that an alarm of the loop was set to last; `Int64.max` if it has ticked since.
  private var lastWanted = Int64.max
  /// The time after `lastWanted` to which the leader sets the deputy's timer when it comes back.
  private var grace = StandbyGrace()
  private var deputies = 0
  /// Threads that have been started and have not run yet.
  private var starting = 0
  private var threads = 0
  /// Threads that are doing a tick's work.
  private var busy = 0
  private var isOver = false
  /// The work that the current tick leaves until after the round.
  private var work: (@Sendable () -> Void)?

  /// Starts the first thread, which runs `core`'s loop until it has closed.
  init(running core: LoopCore, start: ThreadStart = .system) throws(UVError) {
    self.core = core
    self.start = start
    alarm = StandbyTimer()
    core.run(by: self)
    countThread()
    let answer = startCounted()
    guard answer == 0 else {
      throw UVError(answer: -answer, attempt: "start a thread for a loop")
    }
  }

  /// Counts one more thread. The caller holds the lock, and starts the thread after releasing it.
  private func countThread() {
    threads += 1
    starting += 1
  }

  /// Starts the counted thread; returns 0 or an error number. The loop also runs without a deputy:
  /// handlers then go to threads outside the crew, and the start is tried again.
  private func startCounted() -> Int32 {
    let answer = start.start("curfew.loop") { [self] in serve() }
    if answer != 0 {
      lock.withLock {
        threads -= 1
        starting -= 1
      }
    }
    return answer
  }

  /// Whether this thread is the leader and not away.
  var isLeading: Bool { lock.withLock { !isAway && isLeader } }

  private var isLeader: Bool { leader == .current }

  // MARK: Work after a tick

  /// Makes the leader do `work` after the loop's round. Must be called from a tick.
  /// - Returns: false if the work will not be done: no deputy would stand by, or the next deadline
  ///   is so near that the deputy would usually have to wake up.
  func runAfterTick(_ work: @escaping @Sendable () -> Void) -> Bool {
    lock.withLock {
      guard deputies > 0, self.work == nil, !isOver, !isAway, isLeader else { return false }
      standby = core.nextWanted
      guard standby > UVClock.Source.monotonic.read() + LoopCrew.usualWork else { return false }
      self.work = work
      return true
    }
  }

  /// Makes sure that the loop runs at `instant` of the monotonic clock; at once for 0, and never
  /// for `Int64.max`.
  ///
  /// - Parameter isExact: Whether the alarm is due at `instant`. If not, the instant at which
  ///   it is due is unknown on this clock, and the deputy's timer is cancelled after a handler.
  func want(at instant: Int64, isExact: Bool) {
    lock.withLock {
      // The timer has fired for the last time, so that the deputy ends.
      guard !isOver else { return }
      if instant > 0 { lastWanted = isExact ? instant : .max }
      if isAway || work != nil {
        standby = min(standby, instant)
        if isAway { setAlarm(by: standby) }
      } else if !isLeader {
        // A tick of the leader may still leave work.
        cancelVainAlarm()
      }
    }
  }

  /// Makes the deputy's timer fire by `instant`. The lock is held, here and below.
  private func setAlarm(by instant: Int64) {
    guard instant < alarmInstant else { return }
    isAlarmLeft = false
    moveAlarm(to: instant)
  }

  private func moveAlarm(to instant: Int64) {
    alarmInstant = instant
    alarm?.set(instant == .max ? nil : instant)
  }

  /// Cancels the deputy's timer if it would fire before a handler can move it.
  private func cancelVainAlarm() {
    if alarmInstant < .max, alarmInstant <= lastWanted { moveAlarm(to: .max) }
  }

  // MARK: A thread

  private func serve() {
    lock.lock()
    starting -= 1
    while !isOver {
      if leader == nil {
        leader = .current
        lock.unlock()
        lead()
        lock.lock()
      } else if deputies > 0 {
        break
      } else {
        standBy()
      }
    }
    threads -= 1
    lock.broadcast()
    lock.unlock()
  }

  /// Waits until the loop is over and all threads except those in handlers have ended.
  func waitUntilOver() {
    lock.withLock {
      while !isOver || threads > busy { lock.wait() }
    }
  }

  /// Runs the loop until it is over, or until another thread leads.
  private func lead() {
    while core.runOnce() {
      lock.lock()
      // The deputy is started here, where this delays nothing: in the very first round, and in the
      // first round after a deputy has become the leader.
      let wantsDeputy =
        deputies + starting == 0 && threads < LoopCrew.limit && alarm != nil && !isOver
      if wantsDeputy { countThread() }
      guard let work = work.take() else {
        cancelVainAlarm()
        lock.unlock()
        if wantsDeputy { _ = startCounted() }
        continue
      }
      guard leave(for: work) else { return }
    }
    core.finish()
    let last = lock.withLock {
      isOver = true
      leader = nil
      moveAlarm(to: 0)
      // The thread that closes the loop does not wait for a handler.
      if work != nil { busy += 1 }
      lock.broadcast()
      return work.take()
    }
    guard let last else { return }
    last()
    lock.withLock { busy -= 1 }
  }

  /// Does `work` while the deputy stands by. The lock is held on entry and not on return.
  /// - Returns: Whether this thread is still the leader.
  private func leave(for work: consuming @escaping @Sendable () -> Void) -> Bool {
    busy += 1
    isAway = true
    if core.hasOwnTimers { standby = core.nextWanted }
    setAlarm(by: standby)
    lock.unlock()
    work()
    // Releases the captures of `work` before the loop runs again.
    _ = consume work
    return lock.withLock {
      busy -= 1
      guard isLeader else { return false }
      isAway = false
      grace.noteTimelyHandler()
      if alarmInstant < .max {
        isAlarmLeft = true
        let (later, isNever) = lastWanted.addingReportingOverflow(grace.length)
        moveAlarm(to: isNever ? .max : later)
      }
      return true
    }
  }

  /// Sleeps until the timer fires, and takes the leader's place if the leader has been away for too
  /// long. If the timer was set for an earlier handler, it is set again. Spurious returns are
  /// harmless. The lock is held on entry and on return.
  private func standBy() {
    deputies += 1
    lock.unlock()
    alarm?.wait()
    lock.lock()
    deputies -= 1
    let now = UVClock.Source.monotonic.read()
    let hasFired = alarmInstant <= now
    if hasFired { alarmInstant = .max }
    guard isAway, !isOver, standby <= now else {
      if hasFired, isAlarmLeft { grace.noteVainWake() }
      if isAway { setAlarm(by: standby) }
      return
    }
    leader = nil
    isAway = false
  }
}
