#if os(Linux)
  import CTimerDescriptor
  import Foundation

  /// A `timerfd`: a kernel timer that can be read once it has fired.
  package struct TimerDescriptor: ~Copyable {
    package let descriptor: Int32

    /// `timerfd_create`, for absolute instants of `clock`.
    ///
    /// - Parameter blocks: Whether `take` waits until the timer has fired.
    package init(on clock: SystemClock, blocks: Bool = false) throws(SystemError) {
      descriptor = timerfd_create(
        clock.identifier, (blocks ? 0 : Int32(TFD_NONBLOCK)) | Int32(TFD_CLOEXEC))
      guard descriptor >= 0 else { throw SystemError(attempt: "create a timerfd") }
    }

    deinit { close(descriptor) }

    /// `timerfd_settime`: fires at `instant`, at once if `instant` has passed, never for nil.
    /// Clears an earlier firing.
    package func set(_ instant: Int64?) {
      var setting = itimerspec()
      // All zeros would disarm it.
      if let instant { setting.it_value = timespec(nanoseconds: max(1, instant)) }
      precondition(
        timerfd_settime(descriptor, Int32(TFD_TIMER_ABSTIME), &setting, nil) == 0,
        "timerfd_settime failed: error \(errno)")
    }

    /// `timerfd_gettime`: the time until the timer fires, in nanoseconds; 0 if it has fired or is
    /// not set.
    package var remaining: Int64 {
      var setting = itimerspec()
      precondition(
        timerfd_gettime(descriptor, &setting) == 0, "timerfd_gettime failed: error \(errno)")
      return Int64(setting.it_value.tv_sec) * 1_000_000_000 + Int64(setting.it_value.tv_nsec)
    }

    /// Whether the timer has fired since the last `set` or `take`.
    package func take() -> Bool {
      var expirations: UInt64 = 0
      return read(descriptor, &expirations, MemoryLayout.size(ofValue: expirations)) > 0
    }

    /// The same, after waiting until the timer fires, the time is up, or a signal arrives.
    package func take(within milliseconds: Int32) -> Bool {
      var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      return poll(&watched, 1, milliseconds) > 0 && take()
    }
  }
#endif
