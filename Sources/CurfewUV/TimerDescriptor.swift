#if os(Linux)
  import CLibuv
  #if canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  /// A `timerfd`: a timer of the kernel's that can be read once it has fired.
  struct TimerDescriptor: ~Copyable {
    let descriptor: Int32

    /// `timerfd_create`, for absolute instants of `source`.
    ///
    /// - Parameter blocks: Whether `take` waits until it has fired.
    init(_ source: UVClock.Source, blocks: Bool = false) throws(UVFailure) {
      descriptor = timerfd_create(source.identifier, (blocks ? 0 : Int32(TFD_NONBLOCK)) | Int32(TFD_CLOEXEC))
      guard descriptor >= 0 else { throw UVFailure(answer: -errno, attempt: "make a timerfd") }
    }

    deinit { close(descriptor) }

    /// `timerfd_settime`: fires at `instant`, at once if that has passed, never for nil; and forgets that it has fired, if it has.
    func set(_ instant: Int64?) {
      var setting = itimerspec()
      if let instant {
        // All zeros would disarm.
        let instant = max(1, instant)
        setting.it_value = timespec(tv_sec: Int(instant / 1_000_000_000), tv_nsec: Int(instant % 1_000_000_000))
      }
      precondition(timerfd_settime(descriptor, Int32(TFD_TIMER_ABSTIME), &setting, nil) == 0, "timerfd_settime failed: error \(errno)")
    }

    /// Whether it has fired since it was last set or asked.
    func take() -> Bool {
      var expirations: UInt64 = 0
      return read(descriptor, &expirations, MemoryLayout.size(ofValue: expirations)) > 0
    }
  }
#endif
