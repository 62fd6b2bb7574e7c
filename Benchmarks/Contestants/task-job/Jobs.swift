import Synchronization

/// Runs a body that is cancelled if it takes longer than the limit.
typealias Bound =
  @Sendable (Duration, @escaping @Sendable () async throws -> Void) async throws -> Void

/// Jobs that end at once, from eight concurrent callers.
final class Jobs: Contestant {
  private nonisolated static let callers = 8

  private let jobs: Int
  private let bound: Bound
  private let finished = Atomic(0)
  private let sum = Atomic<UInt64>(0)

  init(_ plan: inout Plan, bound: @escaping Bound) throws {
    jobs = try plan.number("jobs")
    self.bound = bound
  }

  func run(start: Int64) async -> Measurement {
    finished.store(0, ordering: .relaxed)
    sum.store(0, ordering: .relaxed)
    let began = now()
    await call()
    return .measured(began: began, ended: now())
  }

  func answer(to text: inout Text) {
    text.append("finished", finished.load(ordering: .relaxed))
    text.append("sum", text: sum.load(ordering: .relaxed))
  }

  private nonisolated func call() async {
    await withTaskGroup(of: Void.self) { group in
      for caller in 0..<Jobs.callers {
        group.addTask {
          for job in stride(from: caller, to: self.jobs, by: Jobs.callers) { await self.run(job) }
        }
      }
    }
  }

  /// A job that is cut short does not count as finished.
  @concurrent private nonisolated func run(_ job: Int) async {
    let isFinished: Void? = try? await bound(.seconds(25)) {
      self.sum.add(UInt64(job), ordering: .relaxed)
    }
    if isFinished != nil { finished.add(1, ordering: .relaxed) }
  }
}

/// A Swift task without a limit.
let withoutLimit: Bound = { _, body in try await Task(operation: body).value }
