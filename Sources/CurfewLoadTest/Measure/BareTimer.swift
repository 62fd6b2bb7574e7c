#if os(Linux)
  package import CurfewSystem

  /// The timer that a floor waits with, and its clock: the kernel's, or in a test one whose
  /// lateness is known.
  package protocol FloorTimer: ~Copyable {
    /// The time of the clock, in nanoseconds.
    var now: Int64 { get }
    /// The time until the timer fires, in nanoseconds; 0 if it has fired or is not set.
    var remaining: Int64 { get }
    /// Sets the timer to an instant of the clock.
    func set(_ instant: Int64?)
    /// Waits until the timer fires. False means that the time is up or a signal has arrived.
    func take(within milliseconds: Int32) -> Bool
  }

  extension TimerDescriptor: FloorTimer {
    /// The time of `CLOCK_MONOTONIC`.
    package var now: Int64 { SystemClock.monotonic.now }
  }

  /// The floor of a load test: one `timerfd`, one `poll`, a sorted array, and no loop or queue
  /// of any library.
  ///
  /// It does only the work of every program that waits for deadlines and for something else. No
  /// program that waits through the kernel can do less. A program that does more may still be less
  /// late, because its cores are awake when the timer fires.
  package struct BareTimer {
    /// The longest time to notice a stop, in milliseconds.
    private static let patience: Int32 = 100
    /// The number of wake-ups for each of which the kernel is asked once to what instant the timer
    /// is set: a floor that sets its timer late would flatter every ratio. The call takes about
    /// 200 ns.
    private static let samplePeriod = 16

    private let deadlines: [Int64]

    /// Creates a floor for deadlines in nanoseconds of `CLOCK_MONOTONIC`, in ascending order.
    package init(deadlines: [Int64]) { self.deadlines = deadlines }

    /// Waits on this thread until the last deadline has fired or `isStopped` returns true.
    /// `isStopped` is called at every wake-up, and about ten times a second in between.
    package func run(until isStopped: () -> Bool = { false }) throws(SystemError) -> Lateness {
      run(on: try TimerDescriptor(on: .monotonic), until: isStopped)
    }

    /// The same, with a timer whose clock the deadlines are on.
    package func run<Timer: FloorTimer & ~Copyable>(
      on timer: borrowing Timer, until isStopped: () -> Bool = { false }
    ) -> Lateness {
      var log = FiringLog(deadlines)
      var next = 0
      log.start()
      while next < deadlines.count, !isStopped() {
        timer.set(deadlines[next])
        if log.wakeUps % BareTimer.samplePeriod == 0 {
          log.armedLate = max(log.armedLate, BareTimer.delay(of: timer, after: deadlines[next]))
        }
        guard timer.take(within: Self.patience) else { continue }
        log.wakeUps += 1
        while next < deadlines.count {
          let now = timer.now
          guard deadlines[next] <= now else { break }
          log.fire(next, at: now)
          next += 1
        }
      }
      return log.finish()
    }

    /// The least time after its deadline at which the timer will fire; 0 if it is on time. The
    /// clock is read first, so that a delay between the two calls cannot look like a late timer.
    private static func delay<Timer: FloorTimer & ~Copyable>(
      of timer: borrowing Timer, after deadline: Int64
    ) -> Int64 {
      let now = timer.now
      let remaining = timer.remaining
      return remaining > 0 ? max(0, now + remaining - deadline) : 0
    }
  }
#endif
