import CLibuv
internal import Curfew
import CurfewSystem

/// The threads that run a loop of our own, one at a time: who runs it leads.
///
/// A tick may leave work for after it, an app's handler as a rule. The leader does that itself,
/// between two rounds of the loop: nobody has to wake up for it. Meanwhile it is away, and a
/// deputy, which sleeps on a kernel timer of its own, stands by: that timer is set to the loop's
/// next deadline. A leader that comes back in time takes it back, and nobody has woken up. One
/// that does not is replaced: the deputy leads from there on, and has a new deputy started; the old
/// leader, when it comes back, becomes a deputy again, or ends where there is one (decision 0010).
final class LoopCrew: @unchecked Sendable {
  /// How many threads there may be. With all of them in handlers that do not return, the last leads
  /// and does nothing else: handlers go to other threads then.
  static let limit = 8

  /// What a handler takes that ends its task and returns, in nanoseconds, with some to spare.
  private static let usualWork: Int64 = 20_000

  private let core: LoopCore
  private let start: ThreadStart
  /// What wakes the deputy. It blocks: a deputy sleeps in `read`.
  private let alarm: StandbyTimer?
  private let lock = Lock()

  // All of it within the lock.
  private var leader: ThreadID?
  /// Whether the leader is in work of a tick's, and the loop is nobody's.
  private var isAway = false
  /// When the deputy wakes up, while the leader is away; in nanoseconds of the monotonic clock.
  private var standby = Int64.max
  private var deputies = 0
  /// Threads that have been started and have not looked yet.
  private var starting = 0
  private var threads = 0
  /// Those that are in work of a tick's.
  private var busy = 0
  private var isOver = false
  /// What the tick that is running leaves to be done after it.
  private var work: (@Sendable () -> Void)?

  /// Starts the first thread, which runs `core`'s loop until it has closed.
  init(running core: LoopCore, start: ThreadStart = .system) throws(UVFailure) {
    self.core = core
    self.start = start
    alarm = StandbyTimer()
    core.run(by: self)
    countThread()
    let answer = startCounted()
    guard answer == 0 else {
      throw UVFailure(answer: -answer, attempt: "start a thread for a loop")
    }
  }

  /// One more, to be started without the lock. That is held.
  private func countThread() {
    threads += 1
    starting += 1
  }

  /// Answers an error number. Without a deputy the loop runs as well: handlers go to other threads,
  /// and it is tried again.
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

  /// Whether this thread runs the loop, and is in it.
  var isLeading: Bool { lock.withLock { !isAway && isLeader } }

  private var isLeader: Bool { leader == .current }

  // MARK: What is done after a tick

  /// Has the leader do `work` when the loop's round is over. Only from a tick.
  /// - Returns: false where nobody would stand by, or where the next deadline is so near that
  ///   the deputy would have to wake up as a rule; then it is not done.
  func runAfterTick(_ work: @escaping @Sendable () -> Void) -> Bool {
    lock.withLock {
      guard deputies > 0, self.work == nil, !isOver, !isAway, isLeader else { return false }
      guard core.nextWanted > UVClock.Source.monotonic.read() + LoopCrew.usualWork else {
        return false
      }
      self.work = work
      return true
    }
  }

  /// The loop is wanted at `instant` of the monotonic clock, by whoever runs it then; at once
  /// for 0.
  func want(at instant: Int64) {
    lock.withLock {
      guard isAway, instant < standby else { return }
      standby = instant
      alarm?.set(instant)
    }
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

  /// Waits until no thread is left but those in handlers, once the loop has been closed by
  /// somebody else.
  func waitUntilOver() {
    lock.withLock {
      while !isOver || threads > busy { lock.wait() }
    }
  }

  /// Runs the loop until it is over, or until somebody else does.
  private func lead() {
    while core.runOnce() {
      lock.lock()
      // Here, where it delays nobody: at the first round after a deputy has become the leader,
      // and at the very first.
      let wantsDeputy =
        deputies + starting == 0 && threads < LoopCrew.limit && alarm != nil && !isOver
      if wantsDeputy { countThread() }
      guard let work = work.take() else {
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
      alarm?.set(0)
      // Who closes the loop does not wait for a handler.
      if work != nil { busy += 1 }
      lock.broadcast()
      return work.take()
    }
    guard let last else { return }
    last()
    lock.withLock { busy -= 1 }
  }

  /// Does `work` while the deputy stands by. The lock is held on the way in and not on the way out.
  /// - Returns: Whether this thread still leads.
  private func leave(for work: consuming @escaping @Sendable () -> Void) -> Bool {
    busy += 1
    isAway = true
    standby = core.nextWanted
    if standby < .max { alarm?.set(standby) }
    lock.unlock()
    work()
    // What it has captured ends before the loop is run again.
    _ = consume work
    return lock.withLock {
      busy -= 1
      guard isLeader else { return false }
      if standby < .max { alarm?.set(nil) }
      isAway = false
      return true
    }
  }

  /// Sleeps until the leader has been away for too long, and takes its place; comes back for
  /// nothing where it has not. The lock is held on the way in and out.
  private func standBy() {
    deputies += 1
    lock.unlock()
    alarm?.wait()
    lock.lock()
    deputies -= 1
    guard isAway, !isOver, standby <= UVClock.Source.monotonic.read() else { return }
    leader = nil
    isAway = false
  }
}
