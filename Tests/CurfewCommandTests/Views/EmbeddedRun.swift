import Curfew
import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewTrace

/// What happens in a scenario, on an embedded device: the same steps at the same instants, its apps' callbacks as long.
///
/// On one thread, from the first to the last.
final class EmbeddedRun: @unchecked Sendable {
  let device: Device
  private let scenario: Scenario
  private var apps: [App] = []
  private var wakes: [Wake] = []
  private var tasks: [UInt32: BackgroundTaskIdentifier] = [:]
  private var refusals: [Explanation] = []
  private var next = 0

  init(_ scenario: Scenario) {
    self.scenario = scenario
    device = Device(policy: scenario.policy, facts: scenario.device)
    device.startRecording()
    for app in scenario.apps {
      let manifest = TraceManifest(app.manifest, labels: scenario.labels)
      apps.append(device.register(app.identifier, manifest: manifest, delegate: Occupant(self, app)))
    }
    pass(.seconds(2000))
  }

  /// What was recorded, which is one more view.
  var trace: Trace { device.recordedTrace(name: scenario.name) }

  /// Everything that the device explains: the last decision of each app, the ends, the refusals, and of the remarks and warnings what its lines tell.
  var explanations: [Explanation] {
    let remarks = trace.lines.filter { line in
      switch line.body {
      case .diagnostic, .callback(.lifecycle(.didReceiveMemoryWarning)): true
      default: false
      }
    }
    return apps.flatMap { $0.lastDecision?.explanations ?? [] } + device.processEnds.map(\.explanation) + refusals
      + remarks.flatMap(device.explanations(of:))
  }

  /// Lets time pass, and does what the timeline has for it. Also inside a callback, which is how that takes long.
  fileprivate func pass(_ length: Interval) {
    let end = device.now + length
    while next < scenario.timeline.count, scenario.timeline[next].at < end {
      let step = scenario.timeline[next]
      next += 1
      if step.at > device.now { device.advance(by: .nanoseconds((step.at - device.now).nanoseconds)) }
      take(step.step.action)
    }
    if end > device.now { device.advance(by: .nanoseconds((end - device.now).nanoseconds)) }
  }

  private func app(_ id: AppID) -> App { apps[Int(id.rawValue)] }

  private func take(_ action: Step.Action) {
    switch action {
    case .launch(let id): app(id).launch()
    case .home(let id): if let id { app(id).home() } else { device.home() }
    case .forceQuit(let id): app(id).forceQuit()
    case .reboot: device.reboot()
    case .expireTasks(let id?, let reason): app(id).expireTasks(reason ?? .policyRevoked)
    case .deliver(let id, let kind): app(id).deliver(kind)
    case .setRefresh(let id?, let status): app(id).setBackgroundRefresh(status)
    case .setRefresh(nil, let status): device.update { $0.backgroundRefresh = status }
    case .setDevice(let change): device.update { $0 = change.applied(to: $0) }
    case .call(let id, let call): take(call, app(id))
    default: preconditionFailure("No scenario here has \(action)")
    }
  }

  private func take(_ call: Call, _ app: App) {
    switch call {
    case .beginTask(let label, _, .none): tasks[label] = app.beginBackgroundTask(withName: scenario.labels[Int(label)])
    case .beginTask(let label, _, _):
      tasks[label] = app.beginBackgroundTask(withName: scenario.labels[Int(label)], onExpiration: { app.endBackgroundTask($0.identifier) })
    case .endTask(let label): app.endBackgroundTask(tasks[label] ?? .invalid)
    case .startSession(let kind): app.startSession(kind)
    case .completeWake: if !wakes.isEmpty { wakes.removeFirst().complete() }
    case .lockFile: app.lockFile()
    case .useCPU(let share, let length): app.useCPU(percent: share, for: .nanoseconds(length.nanoseconds))
    case .setKeepAlive(let interval): app.setKeepAliveTimeout(interval.map { .nanoseconds($0.nanoseconds) })
    case .submitTask(let request):
      do throws(TaskRequestRefusal) {
        try app.submitTaskRequest(scenario.labels[Int(request.identifier)], kind: request.kind)
      } catch {
        refusals.append(error.explanation)
      }
    case .crash(let reason): app.crash(reason ?? .abnormalExit)
    default: preconditionFailure("No scenario here has \(call)")
    }
  }

  /// An app whose callbacks take as long as the scenario says.
  private final class Occupant: AppDelegate, @unchecked Sendable {
    private unowned let run: EmbeddedRun
    private let model: ScenarioApp

    init(_ run: EmbeddedRun, _ model: ScenarioApp) { (self.run, self.model) = (run, model) }

    private func take(_ moment: Moment) { if let length = model.returns[moment] { run.pass(length) } }

    func applicationDidFinishLaunching(_ app: App) { take(.callback(.didFinishLaunching)) }
    func applicationWillEnterForeground(_ app: App) { take(.callback(.willEnterForeground)) }
    func applicationWillTerminate(_ app: App) { take(.callback(.willTerminate)) }
    func application(_ app: App, didReceive wake: Wake) { run.wakes.append(wake) }
  }
}
