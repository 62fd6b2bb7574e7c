#if os(Linux)
  /// The alternative in a load test: code written with libuv alone, with a `uv_timer` for
  /// each task.
  ///
  /// All timers are created beforehand. One `timerfd`, set to the next begin, starts each timer on
  /// the loop when its task begins. A begin stands for a call that may come at any instant. With
  /// a `uv_timer` instead of the `timerfd`, every task would begin on a whole millisecond, and no
  /// deadline would be rounded.
  package struct TimerPerTask {
    /// The treatment of the part of a millisecond that `uv_timer` cannot count.
    package enum Rounding: String, Sendable, CaseIterable {
      /// The first whole millisecond of the loop's time that is not before the deadline:
      /// the smallest timeout that is never early.
      case up
      /// The task's length in whole milliseconds, rounded down, counted from the loop's own time:
      /// naive code that ignores rounding.
      case none
    }

    private let deadlines: [Int64]
    private let begins: [Int64]
    private let rounding: Rounding

    /// Creates a task for each of `deadlines`, which are in nanoseconds of `CLOCK_MONOTONIC`
    /// and in ascending order. `begins` has the instant at which each task begins; without it, all
    /// tasks begin at once.
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
    /// true. `isStopped` is called ten times a second.
    package func run(until isStopped: @escaping () -> Bool = { false }) throws(UVError)
      -> Lateness
    {
      let run = try TimerPerTaskRun(
        deadlines: deadlines, begins: begins, rounding: rounding, isStopped: isStopped)
      return run.finish()
    }
  }
#endif
