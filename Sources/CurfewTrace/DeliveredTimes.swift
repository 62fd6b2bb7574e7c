package import CurfewEngine
import CurfewPolicy

/// The times that deliveries name for their wakes, in place of the row's (rule W7), read from the
/// lines of a trace.
package struct DeliveredTimes: Sendable {
  /// A wake's times; nil where the row's time applies.
  package struct Times: Hashable, Sendable {
    package var length: Interval?
    package var warning: Interval?
  }

  /// The times of the wake that the last line is about. For the end of a process they are those of
  /// the wake that overran just before.
  package private(set) var times: Times?
  /// The last event, if it is a delivery with times. The decision about its wake follows.
  private var asked: (app: String?, kind: KindName, times: RunTimes)?
  /// The wakes with times that have not ended, by app.
  private var open: [String: [WakeID: Times]] = [:]
  /// The wake that has just overrun.
  private var overrun: (app: String?, kind: KindName, time: Instant, times: Times)?

  package init() {}

  /// Reads the next line.
  mutating func read(_ line: TraceLine, _ policy: PolicyFile) {
    times = nil
    switch line.body {
    case .event(let deed):
      asked = nil
      if deed.verb == .deliver, let kind = deed.kind, let named = deed.runTimes {
        asked = (line.app, kind, named)
      }
    case .advance: asked = nil
    case .decision(let kind, let wake?, let denied, _): decide(line.app, kind, wake, denied, policy)
    case .wake(let kind, let id, _, let change, _): take(kind, id, change, line)
    case .terminated(let process): end(process, line)
    default: break
    }
  }

  private mutating func decide(
    _ app: String?, _ kind: KindName, _ wake: WakeID, _ denied: Denials, _ policy: PolicyFile
  ) {
    let name = app ?? ""
    open[name]?[wake] = nil
    guard denied.isEmpty, let asked, asked.app == app, asked.kind == kind,
      let row = policy.wake(kind)
    else { return }
    let length = min(asked.times.length, row.length)
    open[name, default: [:]][wake] = Times(
      length: length < row.length ? length : nil, warning: min(asked.times.warning, length))
  }

  private mutating func take(
    _ kind: KindName, _ wake: WakeID, _ change: TraceLine.WakeChange, _ line: TraceLine
  ) {
    let name = line.app ?? ""
    times = open[name]?[wake]
    switch change {
    case .begin, .warning: break
    case .complete, .overBudget, .unhandled: open[name]?[wake] = nil
    case .overrun:
      overrun = times.map { (line.app, kind, line.time, $0) }
      open[name]?[wake] = nil
    }
  }

  private mutating func end(_ process: RecordedProcessEnd, _ line: TraceLine) {
    guard let overrun, process.reason == .backgroundTaskAssertionTimeout, process.tasks == nil,
      overrun.app == line.app, overrun.time == line.time,
      process.details?.kind ?? overrun.kind == overrun.kind
    else { return }
    times = overrun.times
  }
}
