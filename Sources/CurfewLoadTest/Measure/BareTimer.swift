#if os(Linux)
  package import CurfewSystem
  package import CurfewUV

  /// The floor of a load test: one `timerfd`, one `poll`, a sorted array, and no loop or queue
  /// of any library.
  ///
  /// It does only what every program must do that waits for deadlines and for something else.
  /// Nothing that waits through the kernel does less. A program with more work may still be less
  /// late, because its cores are awake when the timer fires.
  package struct BareTimer {
    /// The longest time to notice a stop, in milliseconds.
    private static let patience: Int32 = 100

    private let deadlines: [Int64]

    /// Creates a floor for deadlines in nanoseconds of `CLOCK_MONOTONIC`, in ascending order.
    package init(deadlines: [Int64]) { self.deadlines = deadlines }

    /// Waits on this thread until the last deadline has fired or `isStopped` returns true.
    /// `isStopped` is called at every wake-up, and about ten times a second in between.
    package func run(until isStopped: () -> Bool = { false }) throws(SystemError) -> Lateness {
      let timer = try TimerDescriptor(on: .monotonic)
      var log = FiringLog(deadlines)
      var next = 0
      log.start()
      while next < deadlines.count, !isStopped() {
        timer.set(deadlines[next])
        // If false, the patience has run out or a signal has come.
        guard timer.take(within: Self.patience) else { continue }
        log.wakeUps += 1
        while next < deadlines.count, deadlines[next] <= SystemClock.monotonic.now {
          log.fire(next)
          next += 1
        }
      }
      return log.finish()
    }
  }
#endif
