internal import CurfewSystem
internal import CurfewText

/// One contestant in one repetition of a workload: a process, a warm-up and the measured segments.
package struct ContestantSession {
  /// The name in the run, which may have the commit of another clone.
  let name: String
  let workshop: Workshop
  let kind: WorkloadKind
  let plan: Plan
  let planPath: String
  let repetition: Int
  /// The number of measured segments after the warm-up.
  let measuredSegments: Int
  /// Whether a segment is repeated because of the load of others, although its answer is right.
  let isGated: Bool
  let patience: Double
  /// The share of the cores' time from which others disturb a segment.
  let loadLimit: Double

  package private(set) var ready = ContestantProcess.Ready()
  package private(set) var segments: [SegmentRecord] = []
  /// The parts of the answers that all contestants must agree on, by the number of the segment in
  /// the process.
  package private(set) var agreements: [Int: String] = [:]
  /// The segments that the process has run.
  private var count = 0
  /// The segment that the process was asked for last.
  private var current = 0
  /// The places in `segments` of those that are too short for the load to be known.
  private var short: [Int] = []
  private let busy = BusyProcesses()

  package init(
    name: String, workshop: Workshop, kind: WorkloadKind, plan: Plan, planPath: String,
    repetition: Int, measuredSegments: Int, isGated: Bool, patience: Double,
    loadLimit: Double = LoadGate.limit
  ) {
    (self.name, self.workshop, self.kind) = (name, workshop, kind)
    (self.plan, self.planPath, self.repetition) = (plan, planPath, repetition)
    (self.measuredSegments, self.isGated) = (measuredSegments, isGated)
    (self.patience, self.loadLimit) = (patience, loadLimit)
  }

  /// The place of a mistake: `segment 1 of repetition 3, after 2 that were repeated`.
  var place: String {
    let repeated = segments.count { $0.isRepeated }
    return "segment \(current) of repetition \(repetition)"
      + (repeated > 0 ? ", after \(repeated) that \(repeated == 1 ? "was" : "were") repeated" : "")
  }

  /// Runs the contestant to its end, which is the end of its process.
  package mutating func run() throws(ContestantProcess.Problem) {
    let process = try ContestantProcess(workshop, patience: patience)
    ready = try process.begin(plan.workload, plan: planPath)
    let start = LoadGate.Reading(process)
    for number in 0...measuredSegments { try measure(number, process) }
    try settleShortSegments(process, since: start)
    try process.end()
  }

  // MARK: One segment

  /// An attempt at a segment.
  private struct Attempt {
    var measurement: SegmentMeasurement
    var verdict: AnswerVerdict
    var share: Double?
    /// Whether the time was long enough for the share to be known.
    var isLong: Bool
    var isDisturbed: Bool
    /// Whether cancelled timers fired that the verdict leaves out, because the load of others can
    /// be the cause.
    var isExcused: Bool
  }

  /// Measures a segment, and repeats it if it was disturbed.
  private mutating func measure(_ number: Int, _ process: ContestantProcess)
    throws(ContestantProcess.Problem)
  {
    var (late, disturbed) = (0, 0)
    current = number
    while true {
      guard let attempt = try attempt(number, late: late, &disturbed, process) else {
        late += 1
        guard late < ContestantSession.lateAttempts else {
          throw .tooSlow("it was not ready in time for three attempts at segment \(number)")
        }
        continue
      }
      let mustRepeat = attempt.isExcused || attempt.isDisturbed && isGated && number > 0
      switch attempt.verdict {
      case .right(let findings):
        // The load of others makes no timer early, so the warm-up must not be early either.
        if number > 0 || findings.early > 0 {
          record(attempt, findings, number, isRepeated: mustRepeat)
        }
        if let agreement = findings.agreement {
          agreements[attempt.measurement.index] = agreement
        }
        if !mustRepeat { return }
      case .wrong(let mistake): throw .wrong(mistake)
      case .unreadable(let mistake): throw process.failure(mistake)
      }
      disturbed += 1
      try check(disturbed, number, attempt.share, process)
      process.repeats(number)
    }
  }

  private func isDisturbed(_ share: Double?) -> Bool { share.map { $0 > loadLimit } ?? false }

  /// The attempts at a segment that a contestant is not ready for.
  private static let lateAttempts = 3

  /// The time from a question to the start of its deadlines, in which all timers are armed. Grants
  /// have one length, so their apps enter the background at the distances of the deadlines.
  private func lead(late: Int) -> Int64 {
    var lead = 50_000_000 + Int64(plan.size) * 5_000
    if kind.entersBackground, case .timers(let timers) = plan.expectation {
      lead += 100_000_000 + (timers.dues.max() ?? 0) / 4 * 5
    }
    return lead << (2 * Int64(late))
  }

  /// Asks for a segment and its answer; returns nil if the contestant was late although the machine
  /// was idle.
  private mutating func attempt(
    _ number: Int, late: Int, _ disturbed: inout Int, _ process: ContestantProcess
  ) throws(ContestantProcess.Problem) -> Attempt? {
    let before = LoadGate.Reading(process)
    let window = kind.isRealTime ? LoadGate.leastWindow : 0
    let asked = SystemClock.monotonic.now
    let start = kind.isRealTime ? asked + lead(late: late) : nil
    var processorAtStart: Int64?
    let segment = try process.segment(number, start: start) { process in
      guard kind.entersBackground, let start else { return }
      SystemClock.monotonic.sleep(until: start)
      processorAtStart = process.use.processorNanoseconds
    }
    let (use, heard) = (process.use, SystemClock.monotonic.now)
    let load = LoadGate.share(since: before, process, atLeast: window)
    guard case .measured(let began, let ended) = segment else {
      guard isDisturbed(load.share) else { return nil }
      disturbed += 1
      try check(disturbed, number, load.share, process)
      return try attempt(number, late: late, &disturbed, process)
    }
    guard began >= asked, ended <= heard else {
      throw process.failure("its instants \(began) and \(ended) are not of CLOCK_MONOTONIC")
    }
    let measurement = SegmentMeasurement(
      index: count, start: start, began: began, ended: ended,
      processorNanoseconds: use.processorNanoseconds - before.contestant,
      processorFromStart: processorAtStart.map { use.processorNanoseconds - $0 },
      peakMemory: use.peakMemory)
    count += 1
    let answer = try process.answer(number)
    let isLong = load.length >= LoadGate.leastWindow
    var attempt = Attempt(
      measurement: measurement, verdict: plan.expectation.judge(answer, measurement),
      share: load.share, isLong: isLong, isDisturbed: isLong && isDisturbed(load.share),
      isExcused: false)
    // No load excuses a timer that is lost, unknown or fired twice.
    if attempt.isDisturbed, case .wrong = attempt.verdict,
      case .timers(let timers) = plan.expectation
    {
      attempt.verdict = timers.judge(timers.withoutCancelled(answer), measurement)
      attempt.isExcused = true
    }
    return attempt
  }

  private func check(
    _ disturbed: Int, _ number: Int, _ share: Double?, _ process: ContestantProcess
  ) throws(ContestantProcess.Problem) {
    guard disturbed >= LoadGate.attempts else { return }
    throw .disturbed(
      "others took \(HumanNumber.percent(share ?? 0)) of the cores' time in the last of \(disturbed) attempts at segment \(number) of repetition \(repetition); the busiest: \(busy.busiest(besides: process.group))"
    )
  }

  private mutating func record(
    _ attempt: Attempt, _ findings: SegmentFindings, _ number: Int, isRepeated: Bool
  ) {
    if !attempt.isLong, number > 0 { short.append(segments.count) }
    segments.append(
      SegmentRecord(
        contestant: name, repetition: repetition, segment: number,
        attempt: segments.count { $0.segment == number } + 1, isRepeated: isRepeated,
        began: attempt.measurement.began, ended: attempt.measurement.ended,
        processorNanoseconds: attempt.measurement.processorNanoseconds,
        othersShare: attempt.isLong ? attempt.share : nil, figures: findings.figures,
        early: findings.early, earliestNanoseconds: findings.earliestNanoseconds))
  }

  // MARK: Short segments

  /// Takes the load over the whole repetition for segments that are too short for it, and repeats
  /// them if they were disturbed.
  private mutating func settleShortSegments(
    _ process: ContestantProcess, since first: LoadGate.Reading
  ) throws(ContestantProcess.Problem) {
    guard isGated else { return }
    var (start, attempts) = (first, 0)
    while !short.isEmpty {
      let share = LoadGate.share(since: start, process, atLeast: LoadGate.leastWindow).share
      let isDisturbed = isDisturbed(share)
      for place in short {
        segments[place].othersShare = share
        segments[place].isRepeated = isDisturbed
      }
      guard isDisturbed else { return }
      attempts += 1
      try check(attempts, segments[short[0]].segment, share, process)
      let numbers = short.map { segments[$0].segment }
      short = []
      start = LoadGate.Reading(process)
      for number in numbers {
        process.repeats(number)
        try measure(number, process)
      }
    }
  }
}

extension TimerExpectation {
  /// The answer without the timers that the plan cancels. A contestant that gets no core cancels
  /// too late.
  fileprivate func withoutCancelled(_ answer: JSONValue) -> JSONValue {
    guard case .object(var members) = answer, let pairs = answer["late"]?.elements else {
      return answer
    }
    members["late"] = .array(
      pairs.filter { pair in
        guard let k = pair.numbers?.first, let index = Int(exactly: k),
          cancels.indices.contains(index)
        else { return true }
        return cancels[index] == TimerExpectation.never
      })
    return .object(members)
  }
}
