import Curfew
import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewTrace

/// A scenario on an embedded device: the same steps at the same instants, with callbacks of the
/// same length.
///
/// Everything runs on one thread.
final class EmbeddedRun: @unchecked Sendable {
  let device: Device
  private let scenario: Scenario
  private var apps: [App] = []
  private var wakes: [Wake] = []
  private var tasks: [String: BackgroundTaskIdentifier] = [:]
  private var refusals: [Explanation] = []
  private var next = 0

  init(_ scenario: Scenario) {
    self.scenario = scenario
    device = Device(policy: scenario.policy, facts: scenario.device)
    device.startRecording()
    for app in scenario.apps {
      apps.append(
        device.register(app.identifier, manifest: app.manifest, delegate: Occupant(self, app)))
    }
    pass(.seconds(2000))
  }

  /// The recorded trace, which is one more view.
  var trace: Trace { device.recordedTrace(name: scenario.name) }

  /// Everything that the device explains: the last decision of each app, the ends, the refusals,
  /// and the remarks and warnings that its lines report.
  var explanations: [Explanation] {
    let remarks = trace.lines.filter { line in
      switch line.body {
      case .diagnostic, .callback(.lifecycle(.didReceiveMemoryWarning)): true
      default: false
      }
    }
    return apps.flatMap { $0.lastDecision?.explanations ?? [] }
      + device.processEnds.map(\.explanation) + refusals
      + remarks.flatMap(device.explanations(of:))
  }

  /// Lets `length` pass, and performs the timeline's steps in that time. Called inside a callback,
  /// it makes the callback take that long.
  fileprivate func pass(_ length: Interval) {
    let end = device.now + length
    while next < scenario.timeline.count, scenario.timeline[next].at < end {
      let step = scenario.timeline[next]
      next += 1
      if step.at > device.now {
        device.advance(by: .nanoseconds((step.at - device.now).nanoseconds))
      }
      take(step.step)
    }
    if end > device.now { device.advance(by: .nanoseconds((end - device.now).nanoseconds)) }
  }

  private func app(_ id: AppID) -> App { apps[Int(id.rawValue)] }

  private func take(_ step: Step) {
    let deed = step.deed
    guard let app = step.app.map(app) else { return take(deed) }
    switch deed.verb {
    case .launch: app.launch()
    case .home: app.home()
    case .forceQuit: app.forceQuit()
    case .expireTasks: app.expireTasks(deed.expiration ?? .policyRevoked)
    case .deliver: app.deliver(deed.kind!)
    case .setRefresh: app.setBackgroundRefresh(deed.status!)
    case .beginTask where deed.handler == .absent:
      tasks[deed.name!] = app.beginBackgroundTask(withName: deed.name)
    case .beginTask:
      tasks[deed.name!] = app.beginBackgroundTask(
        withName: deed.name, onExpiration: { app.endBackgroundTask($0.identifier) })
    case .endTask: app.endBackgroundTask(tasks[deed.name!] ?? .invalid)
    case .startSession: app.startSession(deed.kind!)
    case .completeWake: if !wakes.isEmpty { wakes.removeFirst().complete() }
    case .lockFile: app.lockFile()
    case .useCPU: app.useCPU(percent: deed.share!, for: .nanoseconds(deed.length!.nanoseconds))
    case .setKeepAlive: app.setKeepAliveTimeout(deed.interval!.map { .nanoseconds($0.nanoseconds) })
    case .submitTask:
      do throws(TaskRequestDeniedError) {
        try app.submitTaskRequest(deed.name!, kind: deed.kind!)
      } catch {
        refusals.append(error.explanation)
      }
    case .crash: app.crash(deed.crashReason ?? .abnormalExit)
    default: preconditionFailure("No scenario here has \(deed)")
    }
  }

  private func take(_ deed: EngineInput) {
    switch deed.verb {
    case .home: device.home()
    case .post: device.post(deed.name!, value: deed.value)
    case .reboot: device.reboot()
    case .setRefresh: device.update { $0.backgroundRefresh = deed.status! }
    case .setDevice: device.update { $0 = deed.device!.applied(to: $0) }
    default: preconditionFailure("No scenario here has \(deed)")
    }
  }

  /// An app whose callbacks take as long as the scenario says.
  private final class Occupant: AppDelegate, @unchecked Sendable {
    private unowned let run: EmbeddedRun
    private let model: ScenarioApp

    init(_ run: EmbeddedRun, _ model: ScenarioApp) { (self.run, self.model) = (run, model) }

    private func take(_ moment: AppCall) {
      if let length = model.returns[moment] { run.pass(length) }
    }

    func applicationDidFinishLaunching(_ app: App) { take(.callback(.didFinishLaunching)) }
    func applicationWillEnterForeground(_ app: App) { take(.callback(.willEnterForeground)) }
    func applicationWillTerminate(_ app: App) { take(.callback(.willTerminate)) }
    func application(_ app: App, didReceive wake: Wake) { run.wakes.append(wake) }
  }
}
