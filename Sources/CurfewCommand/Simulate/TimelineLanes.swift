import CurfewConsole
import CurfewEngine
import CurfewPolicy
import CurfewText
import CurfewTrace

/// One line per app, from the first instant to the last. Each column shows the liveliest state
/// of the app, however brief, and any termination.
///
/// (Rejected: the state that lasted longest. Over a day, every wake and most user
/// actions disappeared.)
struct TimelineLanes {
  private static let greatestWidth = 72
  private let apps: [String]
  private var lanes: [String: TimelineLane] = [:]

  init(_ apps: [String]) { self.apps = apps }

  mutating func add(_ change: LifeChange, of app: String) {
    switch change.body {
    case .began(let span):
      if case .state(let next) = span.subject {
        lanes[app, default: TimelineLane()].enter(next, at: span.begin)
      }
    case .ended(let span):
      if case .process = span.subject { lanes[app, default: TimelineLane()].die(at: change.time) }
    case .moment: break
    }
  }

  func text(until end: Instant, names: [String: String], screen: Screen) -> String {
    let style = screen.style
    let names = names.mapValues { screen.fitted(screen.plain($0), to: max(6, screen.width / 4)) }
    let nameWidth = max(6, apps.compactMap { names[$0]?.displayWidth }.max() ?? 0)
    let labelWidth = apps.map { lastState(of: $0).fileName.count }.max() ?? 0
    let width = min(TimelineLanes.greatestWidth, screen.width - nameWidth - labelWidth - 6)
    let column = max(1, end.nanoseconds / Int64(width))
    let legend = [
      "█ active", "▓ inactive", "▒ background", "░ suspended", "· not running", "✗ terminated",
    ].map(screen.plain)
    var rows = ["", style.bold("Lanes") + style.dim("  " + legendText(legend, screen))]
    for app in apps {
      let lane = lanes[app] ?? TimelineLane()
      let symbols = (0..<width).map { index in
        let start = Int64(index) * column
        let stop = index == width - 1 ? Int64.max : start + column
        if lane.dies(from: start, to: stop) { return style.red(screen.plain("✗")) }
        return screen.plain(lane.liveliestState(from: start, to: stop).symbol)
      }
      rows.append(
        "  " + pad(names[app] ?? app, nameWidth, .left) + "  " + symbols.joined()
          + style.dim("  " + lastState(of: app).fileName))
    }
    let scale = "0s" + pad(HumanTime.text(end), width - 2, .right)
    rows.append("  " + String(repeating: " ", count: nameWidth + 2) + style.dim(scale))
    return rows.joined(separator: "\n")
  }

  /// The legend after the heading. No line break separates a symbol from its meaning.
  private func legendText(_ legend: [String], _ screen: Screen) -> String {
    Screen.wrapped(phrases: legend, after: 7, margin: 7, to: screen.width).joined(separator: "\n")
  }

  private func lastState(of app: String) -> AppState { lanes[app]?.lastState ?? .notRunning }
}

/// The states of an app over a run of any length. In a very long run, changes closer together than
/// a column are merged into their liveliest state.
private struct TimelineLane {
  private static let limit = 4_096
  private var states: [(time: Int64, state: AppState)] = []
  private var deaths: [Int64] = []
  /// The shortest length of a state. Shorter states are merged with the next one.
  private var grain: Int64 = 1
  private(set) var lastState = AppState.notRunning

  mutating func enter(_ state: AppState, at time: Instant) {
    lastState = state
    states.append((time.nanoseconds, state))
    if states.count > TimelineLane.limit { thin() }
  }

  mutating func die(at time: Instant) {
    deaths.append(time.nanoseconds)
    if deaths.count > TimelineLane.limit { thin() }
  }

  private mutating func thin() {
    while true {
      states = states.merged(grain)
      deaths = deaths.reduce(into: []) { kept, death in
        if kept.last.map({ death - $0 >= grain }) ?? true { kept.append(death) }
      }
      guard max(states.count, deaths.count) > TimelineLane.limit / 2 else { return }
      grain = grain > .max / 2 ? .max : grain * 2
    }
  }

  func dies(from start: Int64, to stop: Int64) -> Bool {
    deaths.contains { (start..<stop).contains($0) }
  }

  func liveliestState(from start: Int64, to stop: Int64) -> AppState {
    var liveliest = AppState.notRunning
    var (state, since) = (AppState.notRunning, Int64(0))
    func meet(until end: Int64) {
      guard since < stop, end > start || since >= start else { return }
      liveliest = liveliest.livelier(state)
    }
    for (time, next) in states {
      meet(until: time)
      (state, since) = (next, time)
    }
    meet(until: .max)
    return liveliest
  }
}

extension [(time: Int64, state: AppState)] {
  /// The states, with each sequence of states shorter than `grain` replaced by its liveliest state.
  fileprivate func merged(_ grain: Int64) -> Self {
    var result: Self = []
    var isRow = false
    for (index, entry) in enumerated() {
      let isShort = index + 1 < count && self[index + 1].time - entry.time < grain
      if isShort, isRow, let last = result.last, entry.time - last.time < grain {
        result[result.count - 1].state = last.state.livelier(entry.state)
      } else {
        result.append(entry)
        isRow = isShort
      }
    }
    return result
  }
}

extension AppState {
  fileprivate func livelier(_ other: AppState) -> AppState {
    other.liveliness > liveliness ? other : self
  }

  fileprivate var liveliness: Int {
    switch self {
    case .notRunning: 0
    case .suspended: 1
    case .background: 2
    case .inactive: 3
    case .active: 4
    }
  }

  fileprivate var symbol: String {
    switch self {
    case .notRunning: "·"
    case .inactive: "▓"
    case .active: "█"
    case .background: "▒"
    case .suspended: "░"
    }
  }
}
