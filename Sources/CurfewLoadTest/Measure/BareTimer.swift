#if os(Linux)
  package import CurfewSystem
  package import CurfewUV

  /// The floor of a load test: one `timerfd`, one `poll`, a sorted array, and no loop or queue
  /// of any library.
  ///
  /// It does only the work of every program that waits for deadlines and for something else. No
  /// program that waits through the kernel can do less. A program that does more may still be less
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
        // False means that `patience` has passed or a signal has arrived.
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
