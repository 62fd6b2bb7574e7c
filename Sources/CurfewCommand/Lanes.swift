import CurfewEngine
import CurfewFiles

/// One line an app, from the first instant to the last: the state it was in most of each column's time, and where it died.
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
        return symbol(of: longestState(of: app, from: start, to: min(stop, max(end.nanoseconds, start + 1))))
      }
      let last = states[app]?.last?.state ?? .notRunning
      rows.append("  " + pad(names[app] ?? app, nameWidth, .left) + "  " + lane.joined() + style.dim("  \(last.fileName)"))
    }
    let scale = "0s" + pad(HumanTime.text(end), Lanes.width - 2, .right)
    rows.append("  " + String(repeating: " ", count: nameWidth + 2) + style.dim(scale))
    return rows.joined(separator: "\n")
  }

  private func longestState(of app: String, from start: Int64, to stop: Int64) -> AppState {
    var lengths: [AppState: Int64] = [:]
    var (state, since) = (AppState.notRunning, Int64(0))
    for (time, next) in states[app, default: []] {
      lengths[state, default: 0] += max(0, min(stop, time.nanoseconds) - max(start, since))
      (state, since) = (next, time.nanoseconds)
    }
    lengths[state, default: 0] += max(0, stop - max(start, since))
    return AppState.allCases.max { lengths[$0, default: 0] < lengths[$1, default: 0] } ?? .notRunning
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
