import CurfewEngine

/// The stays of apps in the foreground. If the policy limits their number and the limit is reached,
/// an app that is launched takes the place of the app that has been there longest.
struct ForegroundLine {
  /// A planned stay: coming to the front, and leaving it again.
  struct Stay {
    var launch: Int64
    var home: Int64
  }

  /// How a stay ends.
  struct Departure: Hashable {
    var at: Int64
    /// Whether the user leaves the app; if false, another app takes its place.
    var isByHome: Bool
  }

  /// Returns the departure of each stay, in the order of `stays`, which need not be sorted.
  ///
  /// - Complexity: O(n log n), times the limit.
  static func departures(_ stays: [Stay], limit: UInt32?) -> [Departure] {
    var departures = stays.map { Departure(at: $0.home, isByHome: true) }
    guard let limit else { return departures }
    let launches = stays.indices.sorted { (stays[$0].launch, $0) < (stays[$1].launch, $1) }
    var front: [Int] = []
    for stay in launches {
      let now = stays[stay].launch
      // Going home at the instant of the launch is too late, because the plan performs it after
      // the launch.
      front.removeAll { departures[$0].at < now }
      if front.count >= Int(limit) {
        departures[front.removeFirst()] = Departure(at: now, isByHome: false)
      }
      front.append(stay)
    }
    return departures
  }
}
