public import CurfewEngine

/// Runs pieces of work of bounded length, each with its own clock (rule W7). It is for programs
/// without apps that a user opens.
extension Device {
  /// Runs `body` within its own grant: a warning comes before the end, and the grant is over
  /// exactly at the end.
  ///
  /// ```swift
  /// let thumbnail = try await device.withGrant(.seconds(30), warning: .seconds(5), named: "resize") { try await resize(photo) }
  /// ```
  ///
  /// The grant begins with the call. At `warning` before its end, `onWarning` is called and the
  /// Swift task that runs `body` is cancelled; the rest is its grace period. If the body finishes
  /// by then, its value or error is returned. Swift cannot stop a body that does not finish: at
  /// the end of the grant this throws `GrantExpiredError` without waiting any longer, the body goes
  /// on alone, and `overrunJobs` records it with the place that began it and the time it really
  /// took. Warning and end are never early; the host decides how late they come.
  ///
  /// The body is also cancelled when the caller is cancelled; that changes nothing else.
  /// It is cancelled too when the device is closed or restarted, which revokes its grant: then this
  /// call waits for the body, however long it takes. On a virtual clock `advance(by:)` determines
  /// the end of the grant, and the body runs in real time, except in a test that has its device
  /// from `CurfewTesting`.
  ///
  /// - Parameters:
  ///   - length: The length of the grant, limited by the policy's row of `kind`.
  ///   - warning: The time from the warning to the end. The default is that of the policy's row,
  ///     but at most half the length. Zero means no warning: the body is then cancelled at the end.
  ///   - name: The name in traces and records. It names the kind of work, not the piece, because
  ///     the state of a name is kept for good. A job runs as an app of that name or, if several run
  ///     at one time, of that name and a number.
  ///   - kind: The policy's kind: `job` in the profile `server`.
  ///   - fileID: The place that calls; left to the compiler.
  ///   - line: The place that calls; left to the compiler.
  ///   - onWarning: A closure that is called at the warning, before the cancellation. Keep it
  ///     short: the warnings of other jobs wait for its thread.
  ///   - body: The work.
  /// - Throws: `GrantDeniedError` if the policy denies it, without calling `body`;
  ///   `GrantExpiredError`; otherwise the error that `body` throws.
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

  /// The jobs that hold a grant, in the order in which their apps were first needed.
  /// - Complexity: O(jobs that have run at one time).
  public var runningJobs: [GrantedJob] { core.query { $0.jobs.running } }

  /// The jobs whose bodies had not finished when their grants ended, oldest first. If there are
  /// many, at least the last thousand are kept.
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
      "A grant of \(length) with a warning of \(warning)")
    let leeway = clock?.leeway ?? .zero
    precondition(
      warning == .zero || leeway < warning || leeway == .zero,
      "A clock with a leeway of \(leeway) and a warning of \(warning): the warning could come after the end of the grant. Warn earlier, or make the clock with less leeway"
    )
    return RunTimes(length: length, warning: warning)
  }
}
