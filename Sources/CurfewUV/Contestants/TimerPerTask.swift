#if os(Linux)
  /// The alternative of a load test: what one writes with libuv alone, a `uv_timer` for each task.
  ///
  /// All timers are made beforehand. Each is started on the loop when its task begins, by one
  /// `timerfd` that is set to the next begin: a begin is a call that comes at any instant, and
  /// a `uv_timer` in its place would have begun every task on a whole millisecond, where nothing
  /// is rounded.
  package struct TimerPerTask {
    /// What becomes of the part of a millisecond that `uv_timer` cannot count.
    package enum Rounding: String, Sendable, CaseIterable {
      /// The first whole millisecond of the loop's time that is not before the deadline: the least
      /// that is never early.
      case up
      /// The task's length in whole milliseconds, the rest cut off, from the loop's own time: what
      /// one writes who has not heard of any of this.
      case none
    }

    private let deadlines: [Int64]
    private let begins: [Int64]
    private let rounding: Rounding

    /// Deadlines as nanoseconds of `CLOCK_MONOTONIC`, in ascending order, and for each the instant
    /// at which its task begins; without these all begin at once.
    package init(deadlines: [Int64], begins: [Int64]? = nil, rounding: Rounding) {
      let begins =
        begins ?? Array(repeating: UVClock.Source.monotonic.read(), count: deadlines.count)
      precondition(
        begins.count == deadlines.count, "\(begins.count) begins of \(deadlines.count) tasks")
      self.deadlines = deadlines
      self.begins = begins
      self.rounding = rounding
    }

    /// Runs a loop on this thread until the last deadline has fired or `isStopped`, which is asked
    /// ten times a second.
    package func run(until isStopped: @escaping () -> Bool = { false }) throws(UVFailure)
      -> Lateness
    {
      let run = try TimerPerTaskRun(
        deadlines: deadlines, begins: begins, rounding: rounding, isStopped: isStopped)
      return run.finish()
    }
  }
#endif
