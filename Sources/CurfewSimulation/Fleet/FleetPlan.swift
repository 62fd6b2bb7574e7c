import CurfewEngine
import CurfewPolicy
import CurfewTrace

/// What all devices of a fleet share: the workload as the engine's numbers have it. Nothing
/// in it changes.
final class FleetPlan: Sendable {
  let workload: Workload
  let policy: Policy
  let seed: UInt64
  let looksBack: Bool
  /// When each device's run ends.
  let end: Instant
  let sorts: [Sort]
  let rhythm: Rhythm
  let evenly = Rhythm([])
  /// For each rank of the apps used lately the weights of all up to it.
  let recency: [Double]
  /// For a recording: the sort of each app of its log.
  let recordedSorts: [Int]
  /// Figures of nothing yet.
  let blank: Figures

  /// A sort of app, resolved. A class, because each turn of an app looks at one, and a copy would
  /// retain all that is in it.
  final class Sort: Sendable {
    let model: WorkloadApp
    let manifest: Manifest
    let sessions: [AssertionKind]
    let wakes: [AssertionKind]
    /// What stands for a task's, a session's and a wake's name where streams of random numbers
    /// are found.
    let taskNumbers: [UInt64]
    let sessionNumbers: [UInt64]
    let wakeNumbers: [UInt64]
    /// By `Callback.rawValue`; nil for at once.
    let returns: [Distribution?]
    /// Whether its apps submit requests.
    let hasRequests: Bool

    init(_ model: WorkloadApp, _ names: PolicyNames) {
      self.model = model
      var manifest = model.manifest
      manifest.handlesWakeExpiration = true
      var numbered = manifest.numbered(names) { _ in 0 }
      // A request's identifier is its wake's place.
      numbered.permittedIdentifiers = model.wakes.indices.filter { model.wakes[$0].earliest != nil }
        .map(UInt32.init)
      self.manifest = numbered
      sessions = model.sessions.map { names.kind($0.kind) ?? .finiteTask }
      wakes = model.wakes.map { names.kind($0.kind) ?? .finiteTask }
      taskNumbers = model.tasks.map { FleetPaths.number(of: $0.name) }
      sessionNumbers = model.sessions.map { FleetPaths.number(of: $0.kind.rawValue) }
      wakeNumbers = model.wakes.map { FleetPaths.number(of: $0.kind.rawValue) }
      returns = Callback.allCases.map { model.returns[$0] }
      hasRequests = model.wakes.contains { $0.earliest != nil }
    }
  }

  init(_ workload: Workload, seed: UInt64, length: Interval, looksBack: Bool = false) {
    (self.workload, self.looksBack) = (workload, looksBack)
    policy = workload.policy.policy
    self.seed = seed
    end = .zero + length
    rhythm = Rhythm(workload.user.rhythm)
    var sum = 0.0
    recency = (1...FleetUser.remembered).map { rank in
      sum += PortableMath.power(Double(rank), -workload.user.recencyExponent)
      return sum
    }
    let names = policy.names
    sorts = workload.apps.map { Sort($0, names) }
    let places = Dictionary(
      workload.apps.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    recordedSorts =
      workload.recording.map { recording in
        recording.log.apps.map { places[$0] ?? recording.others }
      } ?? []
    blank = Figures(
      names: workload.apps.map(\.name), works: workload.apps.map { $0.tasks.map(\.name) })
  }
}

extension FleetPlan {
  /// So many bits of what an arrival is planned under are the wake's place; the others are
  /// the app's.
  static let wakeBits = 6
  /// So many apps a device may have.
  static let mostApps = 1 << 20
}
