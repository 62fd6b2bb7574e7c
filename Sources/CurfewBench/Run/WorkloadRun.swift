@_spi(Seeds) internal import CurfewEngine
internal import CurfewSystem
internal import CurfewText
import Foundation

/// One workload at one size in a run.
struct WorkloadRun {
  let kind: WorkloadKind
  let size: Int
  let shape: String?
  private let contenders: [Contender]
  private(set) var record: WorkloadRecord
  /// Whether answers were compared with one another, because the plan does not give them.
  private(set) var lacksFloor = false

  init(_ kind: WorkloadKind, size: Int, shape: String?, among all: [Contender]) {
    (self.kind, self.size) = (kind, size)
    self.shape = kind.shapes.isEmpty ? nil : shape ?? kind.shapes[0]
    contenders = all.filter { $0.file.takesPart(in: kind) }
    record = WorkloadRecord(name: kind.name, size: size, shape: self.shape)
    record.figures = kind.figures
    record.contestants = contenders.map { $0.record(size: size) }
  }

  /// The title in progress and notes: `deadlines/1 at 2,000`.
  var title: String { "\(kind.name) at \(HumanCount.text(size))" }

  /// Whether a contestant can still be measured.
  var isOpen: Bool { record.contestants.contains { $0.outcome == .measured } }

  /// Runs every contestant once, in an order that the seed gives.
  ///
  /// - Returns: False if a signal interrupted it.
  mutating func repeatOnce(
    _ repetition: Int, options: RunOptions, folder: String, progress: (String) -> Void
  ) throws(SystemError) -> Bool {
    guard isOpen else { return true }
    let seed = options.seed &+ UInt64(repetition - 1)
    let plan = kind.plan(size: size, shape: shape, seed: seed)
    let path = "\(folder)/plan.jsonl"
    try WorkloadRun.write(plan.text, to: path)
    record.plans.append(PlanRecord(repetition: repetition, seed: seed, digest: plan.digest))
    var agreements: [Int: [Int: String]] = [:]
    for index in order(seed) where record.contestants[index].outcome == .measured {
      progress("repetition \(repetition): \(title): \(record.contestants[index].name)")
      var session = ContestantSession(
        name: record.contestants[index].name, workshop: contenders[index].workshop, kind: kind,
        plan: plan, planPath: path, repetition: repetition,
        measuredSegments: options.measuredSegments, isGated: options.measuresFigures,
        patience: options.patience, loadLimit: options.loadLimit)
      let outcome = outcome(of: &session)
      if outcome == .interrupted { return false }
      record.contestants[index].outcome = outcome
      record.contestants[index].rounding = session.ready.rounding
      record.contestants[index].version = contenders[index].version ?? session.ready.version
      record.segments += session.segments
      agreements[index] = session.agreements
      // The numbers of a disturbance are in the results.
      let sentence = outcome.isDisturbed ? "disturbed by other processes" : outcome.sentence
      if outcome != .measured { progress("\(record.contestants[index].name): \(sentence)") }
    }
    compare(agreements, in: "repetition \(repetition)", plan)
    return true
  }

  /// Forgets a repetition that was interrupted.
  mutating func drop(_ repetition: Int) {
    record.segments.removeAll { $0.repetition == repetition }
    record.plans.removeAll { $0.repetition == repetition }
    guard record.plans.isEmpty else { return }
    for index in record.contestants.indices where record.contestants[index].outcome == .measured {
      record.contestants[index].outcome = .interrupted
    }
  }

  private func order(_ seed: UInt64) -> [Int] {
    // The plan uses the numbers of the seed itself.
    var numbers = SplitMix64(seed: ~seed)
    return record.contestants.indices.shuffled(using: &numbers)
  }

  private func outcome(of session: inout ContestantSession) -> ContestantRecord.Outcome {
    do {
      try session.run()
      return .measured
    } catch {
      switch error {
      case .failed(let text): return .failed(text)
      case .wrong(let text): return .wrong("\(text) (\(session.place); \(session.plan.origin))")
      case .cannot(let text): return .cannot(text)
      case .tooSlow(let text): return .tooSlow(text)
      case .disturbed(let text): return .disturbed(text)
      case .interrupted: return .interrupted
      }
    }
  }

  /// Compares the parts of the answers that no plan gives with the floor's.
  private mutating func compare(
    _ agreements: [Int: [Int: String]], in repetition: String, _ plan: Plan
  ) {
    guard agreements.contains(where: { !$0.value.isEmpty }) else { return }
    guard
      let floor = record.contestants.firstIndex(where: { $0.role == .floor }),
      let right = agreements[floor], record.contestants[floor].outcome == .measured
    else {
      lacksFloor = true
      return
    }
    for index in record.contestants.indices
    where index != floor && record.contestants[index].outcome == .measured {
      let mistake = (agreements[index] ?? [:]).sorted { $0.key < $1.key }.first {
        right[$0.key] != nil && right[$0.key] != $0.value
      }
      guard let mistake, let answer = right[mistake.key] else { continue }
      record.contestants[index].outcome = .wrong(
        "it answered \(mistake.value) in its segment \(mistake.key), the floor answered \(answer) (\(repetition); \(plan.origin))"
      )
    }
  }

  private static func write(_ text: [UInt8], to path: String) throws(SystemError) {
    let file = try Descriptor(path: path)
    if let (error, _) = file.write(text) { throw error }
    try file.close()
  }
}

extension ContestantRecord.Outcome {
  /// The outcome as a sentence, without a full stop.
  package var sentence: String {
    switch self {
    case .measured: "measured"
    case .missing(let need, let install): "missing \(need); it is installed by: \(install)"
    case .cannot(let reason): "it cannot run this workload: \(reason)"
    case .tooSlow(let reason): "too slow for this size: \(reason)"
    case .wrong(let mistake): "wrong: \(mistake)"
    case .failed(let reason): "failed: \(reason)"
    case .disturbed(let reason): "disturbed: \(reason)"
    case .interrupted: "interrupted"
    }
  }
}
