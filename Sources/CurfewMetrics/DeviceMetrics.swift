public import CoreMetrics
public import Curfew
internal import CurfewSystem

/// Tells a device's counts and its lateness to swift-metrics, and so to whatever backend the
/// program has.
///
/// ```swift
/// let metrics = DeviceMetrics(device)
/// await metrics.run(every: .seconds(10))
/// ```
///
/// What was counted since the last report is told with the next; the device is not slowed down by
/// it. Its labels, behind the name and an underscore (`curfew_events`):
///
/// | label | kind | dimension | what |
/// |---|---|---|---|
/// | `events` | counter | | what has entered the engine |
/// | `expirations` | counter | | expiration handlers that were to be called |
/// | `handlers_called` | counter | | those of tasks that were |
/// | `handlers_left_out` | counter | | those of tasks that were not: their task, process or device had ended |
/// | `handlers_missed` | counter | | handlers, of wakes too, that were never called because their process had ended (`DeviceLateness.missedHandlers`): some are among those left out, others were not yet to be called |
/// | `process_ends` | counter | `reason` | processes that have ended, by reason: `backgroundTaskAssertionTimeout`, … |
/// | `process_ends_warned_too_late` | counter | | those whose warning was decided when their time was over |
/// | `warning_lateness` | timer | | from when a warning was due until it was decided |
/// | `handler_lateness` | timer | | from when an expiration handler was due until its first line |
///
/// A timer is told each length as the upper bound of its bucket in a `LatenessHistogram`: too long
/// by a 32nd at most, never too short.
public final class DeviceMetrics: Sendable {
  private let device: Device
  private let counters: [(counter: Counter, count: @Sendable (Snapshot) -> Int)]
  private let timers:
    [(timer: CoreMetrics.Timer, lateness: @Sendable (Snapshot) -> LatenessHistogram)]
  private let last = LastReport()

  /// Metrics of a device that has not been told of yet: the first report tells everything since it
  /// was made.
  ///
  /// - Parameters:
  ///   - device: Kept alive.
  ///   - name: What labels begin with.
  ///   - dimensions: What all of them are told with, such as which device it is.
  ///   - factory: Where they are made; without one the program's, `MetricsSystem.factory`.
  public init(
    _ device: Device, name: String = "curfew", dimensions: [(String, String)] = [],
    factory: (any MetricsFactory)? = nil
  ) {
    let factory = factory ?? MetricsSystem.factory
    func counter(
      _ label: String, _ own: [(String, String)] = [],
      _ count: @escaping @Sendable (Snapshot) -> Int
    ) -> (Counter, @Sendable (Snapshot) -> Int) {
      (Counter(label: "\(name)_\(label)", dimensions: dimensions + own, factory: factory), count)
    }
    func timer(
      _ label: String, _ lateness: @escaping @Sendable (Snapshot) -> LatenessHistogram
    ) -> (CoreMetrics.Timer, @Sendable (Snapshot) -> LatenessHistogram) {
      (
        CoreMetrics.Timer(label: "\(name)_\(label)", dimensions: dimensions, factory: factory),
        lateness
      )
    }
    self.device = device
    counters =
      [
        counter("events") { $0.counts.events },
        counter("expirations") { $0.counts.expirations },
        counter("handlers_called") { $0.counts.handlersCalled },
        counter("handlers_left_out") { $0.counts.handlersLeftOut },
        counter("handlers_missed") { $0.lateness.missedHandlers },
        counter("process_ends_warned_too_late") { $0.lateness.endsWarnedTooLate },
      ]
      + TerminationReason.allCases.map { reason in
        counter("process_ends", [("reason", "\(reason)")]) { $0.counts.processEnds(for: reason) }
      }
    timers = [
      timer("warning_lateness") { $0.lateness.warnings },
      timer("handler_lateness") { $0.lateness.firstLines },
    ]
  }

  /// Tells what has come since the last report. From any thread, at the program's own pace.
  /// - Complexity: O(handlers that were called since the last report).
  public func report() {
    // Two at once would tell the same twice.
    last.lock.withLock {
      let now = Snapshot(counts: device.counts, lateness: device.lateness)
      for (counter, count) in counters {
        let difference = count(now) - count(last.snapshot)
        if difference > 0 { counter.increment(by: difference) }
      }
      for (timer, lateness) in timers {
        for bucket in lateness(now).since(lateness(last.snapshot)).buckets {
          for _ in 0..<bucket.count { timer.recordNanoseconds(bucket.upperBound.wholeNanoseconds) }
        }
      }
      last.snapshot = now
    }
  }

  /// Reports again and again until its task is cancelled, and once more then.
  /// - Precondition: The interval is longer than zero.
  public func run(every interval: Swift.Duration) async {
    precondition(interval > .zero, "A report every \(interval)")
    while !Task.isCancelled {
      report()
      try? await Task.sleep(for: interval)
    }
    report()
  }
}

/// A device's figures at one time.
private struct Snapshot: Sendable {
  var counts = DeviceCounts()
  var lateness = DeviceLateness()
}

/// What was told last, under its lock.
private final class LastReport: @unchecked Sendable {
  let lock = Lock()
  var snapshot = Snapshot()
}

extension Swift.Duration {
  /// What a histogram's lengths are made of.
  fileprivate var wholeNanoseconds: Int64 {
    components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
  }
}
