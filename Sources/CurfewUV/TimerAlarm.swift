import CLibuv
internal import Curfew
import CurfewSystem

/// One `uv_timer`, used if the kernel has no timer with a descriptor.
///
/// libuv counts whole milliseconds from a time that it has cached and truncated, and so fires up
/// to 1 ms early. Here the truncated part is added to the time to wait, the sum is rounded up,
/// and the clock is read again when the timer fires.
final class TimerAlarm: Alarm, @unchecked Sendable {
  private enum State {
    case unopened
    case open(LoopHandle<uv_timer_t>)
    case closed
  }

  let gate = TickGate()
  private let core: LoopCore
  private let source: UVClock.Source
  private let lock = Lock()
  // The lock guards the properties below.
  private var state = State.unopened
  private var wanted: Int64?
  private var isPosted = false
  private var count = 0

  init(on core: LoopCore, source: UVClock.Source) {
    self.core = core
    self.source = source
  }

  var armings: Int { lock.withLock { count } }

  /// Never: libuv accounts for its own timers.
  var wakeUp: Int64 { .max }

  func set(_ instant: Int64?) {
    let isNews = lock.withLock {
      if case .closed = state { return false }
      count += 1
      wanted = instant
      guard case .open = state, !isPosted else { return false }
      isPosted = true
      return true
    }
    if isNews { core.perform { self.apply() } }
  }

  func open() {
    lock.withLock {
      guard case .unopened = state else { return }
      let timer = LoopHandle<uv_timer_t>()
      require(uv_timer_init(core.loop, timer.pointer), "create a timer")
      timer.keep(self)
      state = .open(timer)
    }
    apply()
  }

  /// Sets libuv's timer to the wanted instant. Must be called on the loop's thread.
  private func apply() {
    lock.withLock {
      isPosted = false
      guard case .open(let timer) = state else { return }
      guard let wanted else {
        uv_timer_stop(timer.pointer)
        return
      }
      uv_update_time(core.loop)
      let answer = uv_timer_start(
        timer.pointer,
        {
          let alarm = LoopHandle.owner(of: $0, as: TimerAlarm.self)
          alarm.core.inCallback { alarm.fire() }
        }, timeout(until: wanted), 0)
      require(answer, "start a timer")
    }
  }

  /// The timeout in whole milliseconds from the loop's own time. At least 1: with 0, a tick that
  /// keeps requesting an instant in the past would never leave the loop.
  private func timeout(until wanted: Int64) -> UInt64 {
    let truncated = uv_hrtime() - uv_now(core.loop) * 1_000_000
    let rest = UInt64(max(0, wanted - source.read())) + truncated
    return max(1, rest / 1_000_000 + (rest % 1_000_000 > 0 ? 1 : 0))
  }

  private func fire() {
    let isDue = lock.withLock {
      guard let wanted, wanted <= source.read() else { return false }
      self.wanted = nil
      return true
    }
    // The timer fired early, or its instant is no longer wanted.
    if !isDue { apply() }
    gate.pass(isDue: isDue)
  }

  func close() {
    let last = lock.withLock {
      defer { state = .closed }
      return state
    }
    if case .open(let timer) = last { timer.close() }
  }

  func closeUnopened() -> Bool {
    lock.withLock {
      if case .open = state { return false }
      state = .closed
      return true
    }
  }
}
