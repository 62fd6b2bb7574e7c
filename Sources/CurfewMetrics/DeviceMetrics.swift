public import CoreMetrics
public import Curfew
internal import CurfewSystem

/// Reports a device's counts and its lateness to swift-metrics, and so to the program's backend.
///
/// ```swift
/// let metrics = DeviceMetrics(device)
/// await metrics.run(every: .seconds(10))
/// ```
///
/// Each report covers the time since the previous one. Reporting does not slow the device down. The
/// labels, after the name and an underscore (`curfew_events`):
///
/// | label | kind | dimension | meaning |
/// |---|---|---|---|
/// | `events` | counter | | events that have entered the engine |
/// | `expirations` | counter | | expiration handlers that the device has decided to call, and cancellations of jobs |
/// | `handlers_called` | counter | | expiration handlers of tasks that were called, and jobs that were cancelled |
/// | `handlers_left_out` | counter | | expiration handlers of tasks that were not called, because the task, the process or the device had ended |
/// | `handlers_missed` | counter | | handlers, including those of wakes, that were never called because their process had ended (`DeviceLateness.missedHandlers`); some are also counted in `handlers_left_out`, for others the device had not decided the call yet |
/// | `process_ends` | counter | `reason` | processes that have ended, by reason: `backgroundTaskAssertionTimeout`, … |
/// | `process_ends_warned_too_late` | counter | | processes that have ended and whose warning was decided only after their time was over |
/// | `jobs_admitted` | counter | | jobs of `Device.withGrant` that received a grant |
/// | `jobs_denied` | counter | `reason` | jobs that were denied, by `GrantDeniedError.reason`: `draining`, … |
/// | `jobs_finished` | counter | | jobs that finished before their grants ended, with a value or an error |
/// | `jobs_warned` | counter | | jobs that were warned and cancelled before their grants ended |
/// | `jobs_expired` | counter | | jobs whose grants ended first: each call threw a `GrantExpiredError` |
/// | `jobs_outlived` | counter | | jobs that finished after their grants had ended |
/// | `jobs_revoked` | counter | | jobs whose grants were revoked, because the device was closed or restarted |
/// | `jobs_running` | gauge | | jobs that hold a grant at the report |
/// | `warning_lateness` | timer | | time from the instant at which a warning was due to its decision |
/// | `handler_lateness` | timer | | time from the instant at which an expiration handler was due to its first line |
/// | `grant_end_lateness` | timer | | time from the instant at which a grant was due to end to the cancellation of its job; one value for each `GrantExpiredError` |
///
/// Every job is counted once: `jobs_admitted` is the sum of `jobs_finished`, `jobs_expired`,
/// `jobs_revoked` and `jobs_running`. The amount by which `jobs_expired` exceeds `jobs_outlived`
/// is the number of bodies that are still running without a grant.
///
/// Each length is reported to a timer as the upper bound of its bucket in a `LatenessHistogram`:
/// too long by a 32nd at most, never too short.
public final class DeviceMetrics: Sendable {
  private let device: Device
  private let counters: [(counter: Counter, count: @Sendable (Snapshot) -> Int)]
  private let timers:
    [(timer: CoreMetrics.Timer, lateness: @Sendable (Snapshot) -> LatenessHistogram)]
  private let running: Gauge
  /// Creates the counter of the jobs that were denied for a reason.
  private let deniedJobs: @Sendable (_ reason: String) -> Counter
  private let last = LastReport()

  /// Creates the metrics of a device. The first report covers everything since the device
  /// was created.
  ///
  /// - Parameters:
  ///   - device: Kept alive.
  ///   - name: The prefix of the labels.
  ///   - dimensions: Added to all metrics, for instance to identify the device.
  ///   - factory: Creates the metrics; by default the program's factory, `MetricsSystem.factory`.
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
        counter("handlers_left_out") { $0.counts.skippedHandlers },
        counter("handlers_missed") { $0.lateness.missedHandlers },
        counter("process_ends_warned_too_late") { $0.lateness.lateWarnedEnds },
        counter("jobs_admitted") { $0.counts.jobsAdmitted },
        counter("jobs_finished") { $0.counts.jobsFinished },
        counter("jobs_warned") { $0.counts.jobsWarned },
        counter("jobs_expired") { $0.counts.jobsExpired },
        counter("jobs_outlived") { $0.counts.jobsOutlived },
        counter("jobs_revoked") { $0.counts.jobsRevoked },
      ]
      + TerminationReason.allCases.map { reason in
        counter("process_ends", [("reason", "\(reason)")]) { $0.counts.processEnds(for: reason) }
      }
    timers = [
      timer("warning_lateness") { $0.lateness.warnings },
      timer("handler_lateness") { $0.lateness.firstLines },
      timer("grant_end_lateness") { $0.lateness.jobEnds.cancelled },
    ]
    running = Gauge(label: "\(name)_jobs_running", dimensions: dimensions, factory: factory)
    deniedJobs = { reason in
      Counter(
        label: "\(name)_jobs_denied", dimensions: dimensions + [("reason", reason)],
        factory: factory)
    }
  }

  /// Reports the changes since the last report. May be called from any thread, at any interval.
  /// - Complexity: O(handlers that were called and grants that ended since the last report).
  public func report() {
    // Two concurrent reports would report the same changes twice.
    last.lock.withLock {
      let now = Snapshot(counts: device.counts, lateness: device.lateness)
      for (counter, count) in counters {
        let difference = count(now) - count(last.snapshot)
        if difference > 0 { counter.increment(by: difference) }
      }
      for reason in now.counts.jobDenialReasons {
        let difference =
          now.counts.jobsDenied(for: reason) - last.snapshot.counts.jobsDenied(for: reason)
        if difference > 0 { last.deniedJobs(reason, deniedJobs).increment(by: difference) }
      }
      running.record(now.counts.jobsRunning)
      for (timer, lateness) in timers {
        for bucket in lateness(now).since(lateness(last.snapshot)).buckets {
          for _ in 0..<bucket.count { timer.recordNanoseconds(bucket.upperBound.wholeNanoseconds) }
        }
      }
      last.snapshot = now
    }
  }

  /// Reports at this interval until the task is cancelled, and then once more.
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

/// A device's counts and lateness at one time.
private struct Snapshot: Sendable {
  var counts = DeviceCounts()
  var lateness = DeviceLateness()
}

/// The last report, and the lock that guards it.
private final class LastReport: @unchecked Sendable {
  let lock = Lock()
  var snapshot = Snapshot()
  private var deniedJobs: [String: Counter] = [:]

  /// The counter of the jobs that were denied for a reason. Created when it is first needed,
  /// because reasons are known only when they occur.
  func deniedJobs(_ reason: String, _ create: (String) -> Counter) -> Counter {
    if let counter = deniedJobs[reason] { return counter }
    let counter = create(reason)
    deniedJobs[reason] = counter
    return counter
  }
}

extension Swift.Duration {
  /// The length in whole nanoseconds, the unit of a histogram.
  fileprivate var wholeNanoseconds: Int64 {
    components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
  }
}
