package import CurfewEngine
import CurfewPolicy

/// The deeds of a trace's apps inside their callbacks, and the events outside of callbacks.
struct CallScripts {
  /// The deeds of an app inside one callback.
  struct Script {
    /// The deeds, each with its time after the delivery.
    var deeds: [(after: Interval, deed: EngineInput)] = []
    /// The time from the delivery to the return; nil if the app did not return.
    var length: Interval?
  }

  private struct Key: Hashable {
    let app: AppID
    let moment: AppCall
  }

  /// All apps: the header's apps, then later apps in the order of their lines.
  private(set) var apps: [(name: String, manifest: AppManifest)] = []
  /// The events outside of callbacks, in order.
  private(set) var outside: [TraceLine] = []
  private var scripts: [Key: [Script]] = [:]
  private var numbers: [String: AppID] = [:]
  private var taken: [Key: Int] = [:]
  /// The callback that each app is in while the trace is read.
  private var open: [AppID: (moment: AppCall, delivered: Instant, script: Script)] = [:]

  init(_ trace: Trace) {
    for app in trace.header.apps { add(app, trace.header.manifests[app]) }
    for line in trace.lines { take(line, trace.header) }
    for app in numbers.values { close(app, at: nil) }
  }

  /// The script of `app` for its next callback of this sort. The trace's scripts are used in order;
  /// then the last one is repeated. Returns nil if the trace has none.
  mutating func next(of app: AppID, _ moment: AppCall) -> Script? {
    let key = Key(app: app, moment: moment)
    guard let all = scripts[key] else { return nil }
    let index = taken[key, default: 0]
    taken[key] = index + 1
    return all[min(index, all.count - 1)]
  }

  private mutating func add(_ app: String, _ manifest: AppManifest?) {
    guard numbers[app] == nil else { return }
    numbers[app] = AppID(rawValue: UInt32(apps.count))
    apps.append((app, manifest ?? AppManifest()))
  }

  private mutating func take(_ line: TraceLine, _ header: TraceHeader) {
    if let name = line.app {
      var manifest = header.manifests[name]
      if case .event(let deed) = line.body, deed.verb == .addApp { manifest = deed.manifest }
      add(name, manifest)
    }
    let app = line.app.flatMap { numbers[$0] }
    if case .event(let deed) = line.body { return take(deed, of: app, line) }
    guard let app else { return }
    if let moment = line.body.delivery {
      close(app, at: nil)
      open[app] = (moment, line.time, Script())
    } else if case .terminated = line.body {
      close(app, at: nil)
    }
  }

  private mutating func take(_ deed: EngineInput, of app: AppID?, _ line: TraceLine) {
    switch deed.verb {
    case .begin, .addApp: break
    case .return: if let app { close(app, at: line.time) }
    default:
      guard let app, deed.verb.row.speaker == .app, let call = open[app] else {
        return outside.append(line)
      }
      open[app]?.script.deeds.append((line.time - call.delivered, deed))
    }
  }

  /// Ends the callback that an app is in; `time` is nil if the app never returned.
  private mutating func close(_ app: AppID, at time: Instant?) {
    guard var call = open.removeValue(forKey: app) else { return }
    call.script.length = time.map { $0 - call.delivered }
    scripts[Key(app: app, moment: call.moment), default: []].append(call.script)
  }
}

extension TraceLine.Body {
  /// The delivery that this line records, if the app must return from it.
  package var delivery: AppCall? {
    switch self {
    case .callback(.lifecycle(let callback)): .callback(callback)
    case .callback(.event(let kind)), .wake(let kind, _, _, .begin, _): .wake(kind)
    case .expiration: .expirationHandler
    case .wake(_, _, _, .warning, _): .wakeExpirationHandler
    case .session(_, .warning, _): .sessionExpirationHandler
    default: nil
    }
  }
}
