import CurfewSystem

/// The timer on which a deputy sleeps: a kernel timer that the leader sets and only deputies read.
struct StandbyTimer: ~Copyable {
  #if os(Linux)
    private let timer: TimerDescriptor
  #endif

  /// Returns nil if the system has no such timer: then there are no deputies.
  init?() {
    #if os(Linux)
      guard let timer = try? TimerDescriptor(on: .monotonic, blocks: true) else { return nil }
      self.timer = timer
    #else
      return nil
    #endif
  }

  /// Makes the timer fire at an instant of the monotonic clock, at once if it has passed, never
  /// for nil.
  borrowing func set(_ instant: Int64?) {
    #if os(Linux)
      timer.set(instant)
    #endif
  }

  /// Sleeps until the timer fires; may return spuriously.
  borrowing func wait() {
    #if os(Linux)
      _ = timer.take()
    #endif
  }
}
