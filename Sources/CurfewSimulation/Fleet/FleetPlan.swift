import CurfewEngine
import CurfewPolicy
import CurfewTrace

/// The immutable data that all devices of a fleet share: the workload, resolved to the
/// engine's numbers.
final class FleetPlan: Sendable {
  let workload: Workload
  let policy: Policy
  let seed: UInt64
  let looksBack: Bool
  /// The end of each device's run.
  let end: Instant
  let sorts: [Sort]
  let rhythm: Rhythm
  let evenly = Rhythm([])
  /// The cumulative weights of the recently used apps, by rank.
  let recency: [Double]
  /// The sort of each app in a recording's log.
  let recordedSorts: [Int]
  /// Figures without any counts.
  let blank: Figures

  /// A resolved sort of app. It is a class because each turn of an app reads it, and a copy would
  /// retain everything in it.
  final class Sort: Sendable {
    let model: WorkloadApp
    let manifest: Manifest
    let sessions: [AssertionKind]
    let wakes: [AssertionKind]
    /// The numbers that the names of tasks, sessions and wakes have in the paths of random streams.
    let taskNumbers: [UInt64]
    let sessionNumbers: [UInt64]
    let wakeNumbers: [UInt64]
    /// The time to return, by `Callback.rawValue`, and last the time that expiration handlers take;
    /// nil to return at once.
    let returns: [Distribution?]
    /// The place of the handlers' time in `returns`.
    static let handlerPlace = Callback.allCases.count
    /// Whether its apps submit requests.
    let hasRequests: Bool
    /// Whether a closure models its apps.
    let hasBehavior: Bool
    /// The callbacks from which its apps return at once without a call, by `Callback.rawValue`.
    let silentCallbacks: UInt32

    init(_ model: WorkloadApp, _ names: PolicyNames) {
      self.model = model
      var manifest = model.manifest
      manifest.handlesWakeExpiration = true
      var numbered = manifest.numbered(names) { _ in 0 }
      // A request's identifier is the index of its wake.
      numbered.permittedIdentifiers = model.wakes.indices.filter { model.wakes[$0].earliest != nil }
        .map(UInt32.init)
      self.manifest = numbered
      sessions = model.sessions.map { names.kind($0.kind) ?? .finiteTask }
      wakes = model.wakes.map { names.kind($0.kind) ?? .finiteTask }
      taskNumbers = model.tasks.map { FleetPaths.number(of: $0.name) }
      sessionNumbers = model.sessions.map { FleetPaths.number(of: $0.kind.rawValue) }
      wakeNumbers = model.wakes.map { FleetPaths.number(of: $0.kind.rawValue) }
      returns = Callback.allCases.map { model.returns[$0] } + [model.handlerTime]
      hasBehavior = model.behavior != nil
      silentCallbacks = Sort.silentCallbacks(of: model)
      hasRequests = model.wakes.contains { $0.earliest != nil }
    }

    private static func silentCallbacks(of model: WorkloadApp) -> UInt32 {
      guard model.behavior == nil else { return 0 }
      return Callback.allCases.reduce(0) { silent, callback in
        let calls = callback == .didFinishLaunching || callback == .didEnterBackground
        return calls || model.returns[callback] != nil
          ? silent : silent | 1 << UInt32(callback.rawValue)
      }
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
  /// The number of low bits that hold the wake's index in the number of an arrival. The other bits
  /// hold the app.
  static let wakeBits = 6
  /// The limit on the apps of a device.
  static let mostApps = 1 << 20
}
