import CurfewEngine
import CurfewManifest

/// Where a replay begins: a driver that has the trace's apps and nothing behind it.
struct ReplayStage: ~Copyable {
  let driver: Driver
  let state: ReplayState
  let indices: [String: AppID]

  init(_ trace: Trace, _ policy: Policy) {
    var apps = trace.header.apps
    var known = Set(apps)
    // Where the header names none they count as named in the order in which they come.
    var last: String?
    for line in trace.lines where line.app != last {
      last = line.app
      if let last, known.insert(last).inserted { apps.append(last) }
    }
    let device = trace.header.device.applied(to: DeviceFacts())
    var driver = Driver(
      Engine(policy: policy, device: device, minimumCapacity: apps.count, limitsCountFrom: ReplayStage.limitStart(of: trace)),
      pace: trace.header.clock == nil ? .punctual : .late)
    var state = ReplayState(coder: TraceCoder(apps: apps, device: device))
    var indices: [String: AppID] = [:]
    for app in apps {
      let manifest = trace.header.manifests[app] ?? AppManifest()
      indices[app] = driver.addApp(manifest.numbered { state.coder.number(of: $0) })
    }
    self.driver = driver
    self.state = state
    self.indices = indices
  }

  /// Who runs in real time runs real handlers, and tells their first lines (rule A10); who did so before there was that rule has returns and overruns without any.
  private static func limitStart(of trace: Trace) -> LimitStart {
    guard trace.header.clock != nil else { return .delivery }
    for line in trace.lines {
      switch line.body {
      case .event(let deed) where deed.verb == .begin: return .firstLine
      case .event(let deed) where deed.verb == .return: return .delivery
      case .diagnostic(.slowLaunch, _): return .delivery
      case .terminated(let process) where process.reason == .appWatchdog: return .delivery
      default: continue
      }
    }
    return .firstLine
  }
}
