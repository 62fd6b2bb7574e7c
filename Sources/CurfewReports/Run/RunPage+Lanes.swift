import CurfewEngine
import CurfewText
import CurfewTrace

/// The apps of a run as lanes.
extension RunRecord {
  private static let states: [AppState] = [
    .active, .inactive, .background, .suspended, .notRunning,
  ]

  var lanes: LaneChart {
    var order = Array(apps.indices)
    if order.count > LaneChart.mostLanes {
      order.sort { a, b in
        let (first, second) = (apps[a].interest, apps[b].interest)
        return first == second ? a < b : first > second
      }
    }
    let prefix = sharedPrefix
    var notes = prefix.isEmpty ? [] : ["Names are shown without their common prefix '\(prefix)'."]
    if apps.count > LaneChart.mostLanes {
      notes.append("Apps with the most ends, expirations and denials come first.")
    }
    let runs = Dictionary(grouping: runs, by: \.app)
    let isUnfolding = apps.contains { !$0.events.isEmpty }
    return LaneChart(
      "States over time",
      text:
        "The states of each app, its tasks, sessions and wakes, and its ends, expirations and denials."
        + (isUnfolding ? " An app unfolds into a list of its events." : ""),
      states: [
        .init("active", .strong), .init("inactive", .middle), .init("background", .warm),
        .init("suspended", .quiet),
        .init("not running", .none),
      ], tracks: ["tasks", "sessions", "wakes"],
      signs: [
        .init("process ended", .cross), .init("expiration", .triangle), .init("denied", .ring),
      ],
      lanes: order.map {
        lane(of: apps[$0], runs[$0] ?? [], named: String(apps[$0].name.dropFirst(prefix.count)))
      },
      duration: Double(end.nanoseconds) / 1e9, notes: notes)
  }

  private func lane(of app: ReportedApp, _ runs: [Run], named name: String) -> LaneChart.Lane {
    var lane = LaneChart.Lane(name)
    lane.spans = app.states.compactMap { span in
      guard case .state(let state) = span.subject else { return nil }
      return .init(
        RunRecord.states.firstIndex(of: state) ?? 4, span.begin.seconds, (span.end ?? end).seconds)
    }
    lane.bars = runs.map { run in
      let end = run.span.end ?? end
      let length = words(ofNanoseconds: end.nanoseconds - run.span.begin.nanoseconds)
      return .init(
        run.track.rawValue, run.span.begin.seconds, end.seconds, "\(run.words) for \(length)")
    }
    lane.marks = app.signs.map { .init($0.sign.rawValue, $0.time.seconds, $0.words) }
    lane.events = app.events.map { ($0.time.seconds, $0.words, $0.isGrave) }
    lane.eventsLeftOut = app.eventsLeftOut
    return lane
  }

  /// The prefix that all names share, up to a full stop: `com.example.`.
  private var sharedPrefix: String {
    guard apps.count > 1,
      var shared = apps.first?.name.split(separator: ".", omittingEmptySubsequences: false)
        .dropLast()
    else {
      return ""
    }
    for app in apps {
      let parts = app.name.split(separator: ".", omittingEmptySubsequences: false).dropLast()
      shared = shared.prefix(zip(shared, parts).prefix { $0 == $1 }.count)
    }
    return shared.map { $0 + "." }.joined()
  }
}

extension Instant {
  fileprivate var seconds: Double { Double(nanoseconds) / 1e9 }
}
