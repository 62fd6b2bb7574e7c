import CurfewEngine

private typealias Maker = @MainActor (inout Plan) throws -> any Contestant

/// The contestants of each workload.
@MainActor private let makers: [String: [String: Maker]] = [
  "deadlines/1": [
    "curfew": { try GrantWarnings(&$0) }, "dispatch": { try DispatchDeadlines(&$0) },
    "task-sleep": { try TaskSleeps(&$0) },
  ],
  "expirations/1": [
    "curfew": { try TaskExpirations(&$0) }, "bare-loop": { try BareLoop(&$0) },
  ],
  "restart/1": [
    "curfew": { try GrantRestarts(&$0) }, "dispatch": { try DispatchRestarts(&$0) },
    "bare-queue": { try QueueRestarts(&$0) { TimerQueue(minimumCapacity: $0) } },
    "lazy-heap": { try QueueRestarts(&$0) { LazyHeap(minimumCapacity: $0) } },
  ],
  "tasks/1": [
    "curfew": { try TaskRestarts(&$0) }, "dispatch": { try DispatchRestarts(&$0) },
    "bare-queue": { try QueueRestarts(&$0) { TimerQueue(minimumCapacity: $0) } },
    "lazy-heap": { try QueueRestarts(&$0) { LazyHeap(minimumCapacity: $0) } },
  ],
  "fleet/1": [
    "curfew": { EngineCycles(try CyclePlan(&$0)) },
    "bare-queue": { try QueueCycles(&$0) { TimerQueue(minimumCapacity: $0) } },
    "lazy-heap": { try QueueCycles(&$0) { LazyHeap(minimumCapacity: $0) } },
  ],
  "queue/1": [
    "bare-queue": { try WorstCases(&$0) { TimerQueue(minimumCapacity: $0) } },
    "lazy-heap": { try WorstCases(&$0) { LazyHeap(minimumCapacity: $0) } },
  ],
  "begin-end/1": [
    "curfew": { TaskCalls(try CallPlan(&$0)) }, "engine": { EngineCalls(try CallPlan(&$0)) },
    "fake": { FakeCalls(try CallPlan(&$0)) },
  ],
  "jobs/1": [
    "curfew": { try Jobs(&$0, bound: withGrant()) },
    "service-group": { try Jobs(&$0, bound: withServiceGroup) },
    "task-job": { try Jobs(&$0, bound: withoutLimit) },
    "task-sleep-job": { try Jobs(&$0, bound: withTimeout) },
  ],
  "memory-pressure/1": [
    "curfew": { EnginePhone(try MemoryPlan(&$0)) }, "scan": { try ScanningPhone(&$0) },
  ],
  "fleet-rate/1": [
    "curfew": { try FleetDays(&$0) }, "bare-engine": { try TapedDays(&$0) },
  ],
]

@MainActor var contestantNames: [String] { Set(makers.values.flatMap(\.keys)).sorted() }

@MainActor func contestant(_ name: String, for workload: String, _ plan: inout Plan) throws
  -> any Contestant
{
  guard let peers = makers[workload] else {
    throw CannotTakePart(reason: "\(workload) is not a workload of the Swift contestants")
  }
  guard let make = peers[name] else {
    throw CannotTakePart(
      reason:
        "\(name) has no part in \(workload); \(peers.keys.sorted().joined(separator: ", ")) have")
  }
  return try make(&plan)
}
