internal import Curfew

#if os(Linux)
  import CLibuv
  import CurfewSystem

  /// One `timerfd`, watched by one `uv_poll`.
  ///
  /// The kernel sets the timer on the calling thread, so an earlier deadline need not wake
  /// the loop.
  final class DescriptorAlarm: Alarm, @unchecked Sendable {
    let gate = TickGate()
    private let core: LoopCore
    private let source: UVClock.Source
    private let lock = Lock()
    // The lock guards the properties below. The timer is also set under the lock: otherwise its
    // descriptor could be closed, and reused for another file, just before the call.
    /// The timer; nil after the alarm is closed.
    private var timer: TimerDescriptor?
    /// The handle; nil until the alarm is opened, and after it is closed.
    private var poll: LoopHandle<uv_poll_t>?
    private var count = 0
    /// The instant that the alarm is set to, on its own clock.
    private var instant: Int64?

    init(on core: LoopCore, source: UVClock.Source) throws(UVError) {
      (self.core, self.source) = (core, source)
      timer = try TimerDescriptor(source)
    }

    var armings: Int { lock.withLock { count } }

    var wakeUp: Int64 { lock.withLock { instant.map(onMonotonicClock) } ?? .max }

    func set(_ instant: Int64?) {
      lock.withLock {
        guard timer != nil else { return }
        timer?.set(instant)
        self.instant = instant
        count += 1
      }
      core.want(
        at: instant.map(onMonotonicClock) ?? .max, isExact: source == .monotonic)
    }

    /// The instant at which the loop must run, on the monotonic clock that waiting threads use.
    /// That clock stands still while the machine sleeps; for an alarm on another clock the result
    /// is at most a second ahead.
    private func onMonotonicClock(_ instant: Int64) -> Int64 {
      source == .monotonic
        ? instant
        : UVClock.Source.monotonic.read() + min(1_000_000_000, max(0, instant - source.read()))
    }

    func open() {
      lock.withLock {
        guard poll == nil, let descriptor = timer?.descriptor else { return }
        let poll = LoopHandle<uv_poll_t>()
        require(uv_poll_init(core.loop, poll.pointer, descriptor), "watch a timerfd")
        poll.keep(self)
        let answer = uv_poll_start(poll.pointer, Int32(UV_READABLE.rawValue)) { handle, _, _ in
          let alarm = LoopHandle.owner(of: handle, as: DescriptorAlarm.self)
          alarm.core.inCallback { alarm.fire() }
        }
        require(answer, "watch a timerfd")
        self.poll = poll
      }
    }

    /// Ticks. The timer is not read: setting it clears it, and nearly every tick sets it. If
    /// another thread has set it since the loop woke up, the tick finds nothing due.
    private func fire() {
      let (isDue, before) = lock.withLock {
        defer { instant = nil }
        return (instant != nil, count)
      }
      gate.pass(isDue: isDue)
      // Otherwise the loop would wake up again at once.
      lock.withLock { if count == before { _ = timer?.take() } }
    }

    func close() {
      lock.withLock {
        // Closes the handle first, then the descriptor: libuv requires this order.
        poll?.close()
        poll = nil
        timer = nil
      }
    }

    func closeUnopened() -> Bool {
      lock.withLock {
        if poll != nil { return false }
        timer = nil
        return true
      }
    }
  }
#endif
