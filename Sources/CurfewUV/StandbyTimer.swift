import CurfewSystem

/// What a deputy sleeps on: a kernel timer of its own, set by the leader and read by nobody else.
struct StandbyTimer: ~Copyable {
  #if os(Linux)
    private let timer: TimerDescriptor
  #endif

  /// nil where the system has none to give: then there are no deputies.
  init?() {
    #if os(Linux)
      guard let timer = try? TimerDescriptor(on: .monotonic, blocks: true) else { return nil }
      self.timer = timer
    #else
      return nil
    #endif
  }

  /// Fires at that instant of the monotonic clock, at once where it has passed; not at all for nil.
  borrowing func set(_ instant: Int64?) {
    #if os(Linux)
      timer.set(instant)
    #endif
  }

  /// Sleeps until it fires; may come back for nothing.
  borrowing func wait() {
    #if os(Linux)
      _ = timer.take()
    #endif
  }
}
