public import CurfewEngine

/// Work of bounded length, each piece with a clock of its own, without apps that anybody opens
/// (rule W7).
extension Device {
  /// Does `body` within a grant of its own: warned before the end, and over at the end, exactly.
  ///
  /// ```swift
  /// let thumbnail = try await device.withGrant(.seconds(30), warning: .seconds(5), named: "resize") { try await resize(photo) }
  /// ```
  ///
  /// The grant begins with the call. `warning` before its end `onWarning` is called and the Swift
  /// task that runs `body` is cancelled; what is left is its grace. A body that comes to an end by
  /// then, with a value or an error, hands that on. One that does not can be stopped by nobody in
  /// Swift: at the end of the grant this throws `GrantExpired` without waiting any longer, the body
  /// goes on alone, and `outlivedJobs` tells of it, with who began it and how long it really took.
  /// Neither comes early, ever; how much later than due they come is the host's affair.
  ///
  /// The body is cancelled as well when the caller is, which changes nothing else; and when
  /// the device is closed or restarted, which takes its grant away: then this waits for it, however
  /// long it takes. On a virtual clock the grant ends when `advance(by:)` says so, and the body
  /// runs in real time, but for a test that has its device from `CurfewTesting`.
  ///
  /// - Parameters:
  ///   - length: How long; no longer than the policy's row of `kind` allows counts.
  ///   - warning: How long before the end; as the policy's row says where absent, or half the
  ///     length where that is less. Zero for no warning: then the body is cancelled at the end.
  ///   - name: Names it in traces and records: the kind of work, not the piece, since what is kept
  ///     for a name is kept for good. A job runs as an app of that name or, where several do at one
  ///     time, of that name and a number.
  ///   - kind: What it is to the policy: `job` in the profile `server`.
  ///   - onWarning: Called at the warning, before the cancellation, on a thread that other jobs'
  ///     warnings wait for; it should be short.
  ///   - body: The work.
  /// - Throws: `GrantDenied` where the policy denies it, without calling `body`; `GrantExpired`;
  ///   otherwise what `body` throws.
  /// - Precondition: The policy knows a wake of this kind. The length is a nanosecond at least
  ///   and longer than the warning, which is longer than a real clock's leeway. No app has been
  ///   registered under the name.
  /// - Complexity: O(1), and O(jobs of that name) where more of them run at one time than ever.
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

  /// The jobs whose bodies had not ended when their grants did, the first first; of very many
  /// the last thousand and some.
  public var outlivedJobs: [GrantedJob] { core.query { $0.jobs.outlived.elements } }
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
      "A clock with a leeway of \(leeway) and a warning of \(warning): it could come when the grant is over. Warn earlier, or make the clock with less leeway"
    )
    return RunTimes(length: length, warning: warning)
  }
}
