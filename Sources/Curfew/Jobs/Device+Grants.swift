public import CurfewEngine

/// Runs pieces of work of bounded length, each with its own clock (rule W7). Meant for programs
/// whose apps no user opens, such as servers.
extension Device {
  /// Runs `body` within its own grant, with a warning before the grant ends.
  ///
  /// ```swift
  /// let thumbnail = try await device.withGrant(.seconds(30), warning: .seconds(5), named: "resize") { try await resize(photo) }
  /// ```
  ///
  /// The grant begins with the call. At `warning` before its end, `onWarning` is called and the
  /// Swift task that runs `body` is cancelled; the rest of the grant is a grace period. If the body
  /// finishes before the grant ends, this function returns its value or throws its error. Swift
  /// cannot stop a body that does not finish. So at the end of the grant this function throws
  /// `GrantExpiredError` without waiting any longer. The body continues alone, and `overrunJobs`
  /// records it with the place that began it and the time that it really took. Warning and end are
  /// never early; how late they are depends on the host.
  ///
  /// The body is also cancelled when the caller is cancelled; the grant is not affected.
  /// If the device is closed or restarted, the grant is revoked and the body is cancelled;
  /// this call then waits until the body finishes. On a virtual clock `advance(by:)` determines
  /// the end of the grant, and the body runs in real time, except in a test whose device comes
  /// from `CurfewTesting`.
  ///
  /// - Parameters:
  ///   - length: The length of the grant, limited by the policy's row of `kind`.
  ///   - warning: The time from the warning to the end. The default is the warning of the policy's
  ///     row, but at most half the length. Zero means no warning: the body is then cancelled at
  ///     the end.
  ///   - name: The name in traces and records. Name the kind of work, not the single job, because
  ///     the state of a name is never released. A job runs as an app of that name; if several jobs
  ///     run at one time, a number is appended.
  ///   - kind: The policy's kind: `job` in the profile `server`.
  ///   - fileID: The caller's file; left to the compiler.
  ///   - line: The caller's line; left to the compiler.
  ///   - onWarning: A closure that is called at the warning, before the cancellation. Keep it
  ///     short: on a virtual clock, the warnings of other jobs wait while it runs.
  ///   - body: The work.
  /// - Throws: `GrantDeniedError` if the policy denies the grant; `body` is then not called.
  ///   `GrantExpiredError` if the body outlives its grant. Otherwise the error that `body` throws.
  /// - Precondition: The policy knows a wake of this kind. The length is at least a nanosecond,
  ///   and longer than the warning, which is longer than a real clock's leeway. No app has been
  ///   registered under the name.
  /// - Complexity: O(1), or O(jobs of that name) if more of them run at one time than ever before.
  public func withGrant<Result: Sendable>(
    _ length: Duration, warning: Duration? = nil, named name: String = "job",
    kind: KindName = "job", fileID: StaticString = #fileID,
    line: UInt = #line, onWarning: (@Sendable () -> Void)? = nil,
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    let number = core.number(of: kind, .wake)
    let times = core.times(length, warning, number)
    let job = GrantedWork<Result>(name, times, CallSite(fileID, line), onWarning)
    try core.begin(job, number)
    return try await withTaskCancellationHandler {
      try await job.run(body, core)
    } onCancel: {
      job.cancel()
    }
  }

  /// The jobs that hold a grant, in the order in which their apps were created.
  /// - Complexity: O(jobs that have run at one time).
  public var runningJobs: [GrantedJob] { core.query { $0.jobs.running } }

  /// Returns when no job holds a grant, or when the device is closed. Used to shut down a server:
  ///
  /// ```swift
  /// device.setFact("draining", to: true)
  /// await device.drained()
  /// ```
  ///
  /// Jobs that are admitted meanwhile are waited for as well. So set a fact that denies new jobs
  /// first; then the call returns at the latest when the last grant ends. The body of a job that
  /// outlived its grant, or lost it, may still be running. If the calling task is cancelled,
  /// the call returns at once.
  public func drained() async { await core.waitUnlessCancelled(for: .drained) }

  /// The jobs whose bodies had not finished when their grants ended, oldest first. At least
  /// the last 1,000 are kept.
  public var overrunJobs: [GrantedJob] { core.query { $0.jobs.outlived.elements } }
}

extension DeviceCore {
  fileprivate func times(_ length: Duration, _ warning: Duration?, _ kind: AssertionKind)
    -> RunTimes
  {
    let length = Interval(length)
    let warning =
      warning.map { Interval($0) }
      ?? min(
        policy.policy.wakes[kind]?.warning ?? .zero, Interval(nanoseconds: length.nanoseconds / 2))
    precondition(
      length > .zero && warning >= .zero && warning < length,
      "The warning of a grant must be shorter than its length, found \(warning) and \(length)")
    let leeway = clock?.leeway ?? .zero
    precondition(
      warning == .zero || leeway < warning || leeway == .zero,
      "The clock's leeway of \(leeway) is not shorter than the warning of \(warning): the warning could come after the end of the grant. Warn earlier, or create the clock with less leeway"
    )
    return RunTimes(length: length, warning: warning)
  }
}
