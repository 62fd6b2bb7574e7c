import CurfewEngine
import CurfewManifest
import CurfewPolicy

/// What all devices of a fleet share: the workload as the engine's numbers have it. Nothing in it changes.
final class FleetPlan: Sendable {
  let workload: Workload
  let policy: Policy
  let seed: UInt64
  /// When each device's run ends.
  let end: Instant
  let sorts: [Sort]
  let rhythm: Rhythm
  let evenly = Rhythm([])
  /// For a recording: the sort of each app of its log.
  let recordedSorts: [Int]
  /// Figures of nothing yet.
  let blank: Figures

  /// A sort of app, resolved.
  struct Sort: Sendable {
    let model: WorkloadApp
    let manifest: Manifest
    let sessions: [AssertionKind]
    let wakes: [AssertionKind]
    /// By `Callback.rawValue`; nil for at once.
    let returns: [Distribution?]
    /// Whether its apps say something on entering the background, or submit requests.
    let hasRequests: Bool
  }

  init(_ workload: Workload, seed: UInt64, length: Interval) {
    self.workload = workload
    policy = workload.policy.policy
    self.seed = seed
    end = .zero + length
    rhythm = Rhythm(workload.user.rhythm)
    let names = policy.names
    sorts = workload.apps.map { Sort($0, names) }
    let places = Dictionary(workload.apps.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    recordedSorts = workload.recording.map { recording in recording.log.apps.map { places[$0] ?? recording.others ?? 0 } } ?? []
    blank = Figures(
      names: workload.apps.map(\.name), works: workload.apps.map { $0.tasks.map(\.name) })
  }
}

extension FleetPlan.Sort {
  fileprivate init(_ model: WorkloadApp, _ names: PolicyNames) {
    self.model = model
    var manifest = model.manifest
    manifest.footprint = nil
    manifest.handlesWakeExpiration = true
    var numbered = manifest.numbered(names) { _ in 0 }
    numbered.permittedIdentifiers = model.wakes.indices.filter { model.wakes[$0].earliest != nil }.map(UInt32.init)
    self.manifest = numbered
    sessions = model.sessions.map { names.kind($0.kind) ?? .finiteTask }
    wakes = model.wakes.map { names.kind($0.kind) ?? .finiteTask }
    returns = Callback.allCases.map { model.returns[$0] }
    hasRequests = model.wakes.contains { $0.earliest != nil }
  }
}

/// What a stream of random numbers is for. Each app has one of each, so that what one thing draws moves no other; whoever changes a number changes what every seed means.
enum Purpose: UInt64 {
  case installation = 1
  case user, visits, footprint, callbacks, work, arrivals, wakeWork, sessions, device, behavior
}
