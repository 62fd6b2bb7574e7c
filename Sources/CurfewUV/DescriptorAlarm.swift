internal import Curfew

#if os(Linux)
  import CLibuv
  import CurfewSystem

  /// One `timerfd`, watched by one `uv_poll`.
  ///
  /// The kernel sets the timer from whatever thread asks, so an earlier deadline needs no word
  /// to the loop.
  final class DescriptorAlarm: Alarm, @unchecked Sendable {
    let gate = TickGate()
    private let core: LoopCore
    private let source: UVClock.Source
    private let lock = Lock()
    // All of it within the lock. The timer is set in there too, lest its descriptor be closed,
    // and be somebody else's, just before.
    /// Nil once it is closed.
    private var timer: TimerDescriptor?
    /// Nil until it is opened, and once it is closed.
    private var poll: LoopHandle<uv_poll_t>?
    private var count = 0
    /// What it is set to, on its own clock.
    private var instant: Int64?

    init(on core: LoopCore, source: UVClock.Source) throws(UVFailure) {
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
      if let instant { core.want(at: onMonotonicClock(instant)) }
    }

    /// When the loop is to be looked after, for those who wait on the monotonic clock. That stands
    /// still while the machine sleeps: for another clock never later than in a second.
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

    private func fire() {
      // False where another thread has set the timer anew since the loop woke up: what it was set
      // for before is no longer asked for.
      let isDue = lock.withLock {
        let isDue = timer?.take() ?? false
        if isDue { instant = nil }
        return isDue
      }
      gate.pass(isDue: isDue)
    }

    func close() {
      lock.withLock {
        // First the handle, then the descriptor: libuv asks for this order, and for no more.
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
