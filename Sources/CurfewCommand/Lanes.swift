import CurfewEngine
import CurfewManifest
import CurfewText
import CurfewTrace

/// One line an app, from the first instant to the last: in each column the liveliest state that it was in, however briefly, and where it died.
///
/// (Tried: the state it was in the longest. Over a day every wake and most of what the user did disappeared.)
struct Lanes {
  private static let width = 72
  private let apps: [String]
  private var states: [String: [(time: Instant, state: AppState)]] = [:]
  private var deaths: [String: [Instant]] = [:]

  init(_ apps: [String]) { self.apps = apps }

  mutating func add(_ line: TraceLine) {
    guard let app = line.app else { return }
    switch line.body {
    case .state(_, let next): states[app, default: []].append((line.time, next))
    case .terminated: deaths[app, default: []].append(line.time)
    default: break
    }
  }

  func text(until end: Instant, names: [String: String], style: TextStyle) -> String {
    let nameWidth = max(6, names.values.map(\.count).max() ?? 0)
    let column = max(1, end.nanoseconds / Int64(Lanes.width))
    var rows = ["", style.bold("Lanes") + style.dim("  █ active  ▓ inactive  ▒ background  ░ suspended  · not running  ✗ terminated")]
    for app in apps {
      let lane = (0..<Lanes.width).map { index in
        let start = Int64(index) * column
        let stop = index == Lanes.width - 1 ? Int64.max : start + column
        if deaths[app, default: []].contains(where: { (start..<stop).contains($0.nanoseconds) }) { return style.red("✗") }
        return symbol(of: liveliestState(of: app, from: start, to: stop))
      }
      let last = states[app]?.last?.state ?? .notRunning
      rows.append("  " + pad(names[app] ?? app, nameWidth, .left) + "  " + lane.joined() + style.dim("  \(last.fileName)"))
    }
    let scale = "0s" + pad(HumanTime.text(end), Lanes.width - 2, .right)
    rows.append("  " + String(repeating: " ", count: nameWidth + 2) + style.dim(scale))
    return rows.joined(separator: "\n")
  }

  private func liveliestState(of app: String, from start: Int64, to stop: Int64) -> AppState {
    var liveliest = AppState.notRunning
    var (state, since) = (AppState.notRunning, Int64(0))
    func meet(until end: Int64) {
      guard since < stop, end > start || since >= start else { return }
      if liveliness(of: state) > liveliness(of: liveliest) { liveliest = state }
    }
    for (time, next) in states[app, default: []] {
      meet(until: time.nanoseconds)
      (state, since) = (next, time.nanoseconds)
    }
    meet(until: .max)
    return liveliest
  }

  private func liveliness(of state: AppState) -> Int {
    switch state {
    case .notRunning: 0
    case .suspended: 1
    case .background: 2
    case .inactive: 3
    case .active: 4
    }
  }

  private func symbol(of state: AppState) -> String {
    switch state {
    case .notRunning: "·"
    case .inactive: "▓"
    case .active: "█"
    case .background: "▒"
    case .suspended: "░"
    }
  }
}
