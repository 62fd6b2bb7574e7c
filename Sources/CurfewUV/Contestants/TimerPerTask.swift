#if os(Linux)
  /// The alternative in a load test: the code that one writes with libuv alone, a `uv_timer` for
  /// each task.
  ///
  /// All timers are created beforehand. Each is started on the loop when its task begins, by
  /// one `timerfd` that is set to the next begin. A begin stands for a call that may come at any
  /// instant; a `uv_timer` for it would begin every task on a whole millisecond, where nothing
  /// is rounded.
  package struct TimerPerTask {
    /// The treatment of the part of a millisecond that `uv_timer` cannot count.
    package enum Rounding: String, Sendable, CaseIterable {
      /// The first whole millisecond of the loop's time that is not before the deadline:
      /// the smallest timeout that is never early.
      case up
      /// The task's length in whole milliseconds, rounded down, from the loop's own time: naive
      /// code that ignores all of this.
      case none
    }

    private let deadlines: [Int64]
    private let begins: [Int64]
    private let rounding: Rounding

    /// Creates the tasks: deadlines in nanoseconds of `CLOCK_MONOTONIC`, in ascending order,
    /// and for each the instant at which its task begins. Without `begins` all tasks begin at once.
    package init(deadlines: [Int64], begins: [Int64]? = nil, rounding: Rounding) {
      let begins =
        begins ?? Array(repeating: UVClock.Source.monotonic.read(), count: deadlines.count)
      precondition(
        begins.count == deadlines.count, "\(begins.count) begins of \(deadlines.count) tasks")
      self.deadlines = deadlines
      self.begins = begins
      self.rounding = rounding
    }

    /// Runs a loop on this thread until the last deadline has fired, or until `isStopped` returns
    /// true; it is called ten times a second.
    package func run(until isStopped: @escaping () -> Bool = { false }) throws(UVError)
      -> Lateness
    {
      let run = try TimerPerTaskRun(
        deadlines: deadlines, begins: begins, rounding: rounding, isStopped: isStopped)
      return run.finish()
    }
  }
#endif
