import CurfewEngine

/// The rows of an app, from top to bottom. Each is one track or, if slices overlap, several tracks
/// with the same name.
enum LaneSort: Int, CaseIterable, Sendable {
  case states, decisions, tasks, sessions, wakes, requests, callbacks, calls

  /// The name of its tracks.
  var name: String { "\(self)" }
}

/// An open slice on a lane.
struct OpenSlice: Sendable {
  let sort: LaneSort
  let track: UInt64
  /// The flow that begins with the slice.
  let flow: UInt64?
  /// Whether its end has been announced: a handler was called, or it overran.
  var isWarned = false
}

/// The lanes under one parent. A slice begins on the first free lane of its sort. So slices of one
/// track never overlap, and a sort has no more tracks than it had slices open at the same time.
struct PerfettoLanes<Key: Hashable & Sendable>: Sendable {
  private let parent: UInt64
  /// The tracks of each sort, and whether a slice is open on each.
  private var tracks: [[(track: UInt64, isBusy: Bool)]] = LaneSort.allCases.map { _ in [] }
  private var open: [Key: OpenSlice] = [:]

  init(under parent: UInt64) { self.parent = parent }

  /// The open slice with this key.
  subscript(key: Key) -> OpenSlice? { open[key] }

  /// Begins a slice. If a slice with the same key is open, it ends first.
  /// - Complexity: O(1), and O(lanes of its sort) to find a free one.
  mutating func begin(
    _ key: Key, _ sort: LaneSort, _ name: String, _ category: String, at time: Instant,
    _ annotations: [NamedAnnotation],
    _ flows: Flows = .none, leadingOn flow: UInt64? = nil, into packets: inout PerfettoPackets
  ) {
    end(key, at: time, [], into: &packets)
    let track = freeTrack(sort, into: &packets)
    open[key] = OpenSlice(sort: sort, track: track, flow: flow)
    packets.begin(name, category, on: track, at: time, annotations, flows)
  }

  /// Ends a slice and returns it; nil if none is open.
  @discardableResult
  mutating func end(
    _ key: Key, at time: Instant, _ annotations: [NamedAnnotation],
    into packets: inout PerfettoPackets
  ) -> OpenSlice? {
    guard let slice = open.removeValue(forKey: key) else { return nil }
    packets.end(on: slice.track, at: time, annotations)
    let sort = slice.sort.rawValue
    if let lane = tracks[sort].firstIndex(where: { $0.track == slice.track }) {
      tracks[sort][lane].isBusy = false
    }
    return slice
  }

  /// Ends all slices of these sorts, in the order of their tracks.
  mutating func endAll(
    of sorts: Set<LaneSort> = Set(LaneSort.allCases), at time: Instant, because end: String,
    into packets: inout PerfettoPackets
  ) {
    // The order of a dictionary must not be visible, so the slices are sorted by track.
    let keys = open.filter { sorts.contains($0.value.sort) }.sorted {
      $0.value.track < $1.value.track
    }.map(\.key)
    for key in keys {
      self.end(key, at: time, [NamedAnnotation("ended", .text(end))], into: &packets)
    }
  }

  /// Records that the end of the slice with this key has been announced.
  mutating func warn(_ key: Key) { open[key]?.isWarned = true }

  /// Adds an instant on the lane of the open slice with this key. Returns false if none is open.
  mutating func instant(
    within key: Key, _ name: String, _ category: String, at time: Instant,
    _ annotations: [NamedAnnotation], _ flows: Flows,
    into packets: inout PerfettoPackets
  ) -> Bool {
    guard let slice = open[key] else { return false }
    packets.instant(name, category, on: slice.track, at: time, annotations, flows)
    return true
  }

  /// Adds an instant on the first lane of a sort.
  mutating func instant(
    on sort: LaneSort, _ name: String, _ category: String, at time: Instant,
    _ annotations: [NamedAnnotation], _ flows: Flows = .none,
    into packets: inout PerfettoPackets
  ) {
    if tracks[sort.rawValue].isEmpty { addTrack(sort, isBusy: false, into: &packets) }
    packets.instant(
      name, category, on: tracks[sort.rawValue][0].track, at: time, annotations, flows)
  }

  private mutating func freeTrack(_ sort: LaneSort, into packets: inout PerfettoPackets) -> UInt64 {
    guard let lane = tracks[sort.rawValue].firstIndex(where: { !$0.isBusy }) else {
      return addTrack(sort, isBusy: true, into: &packets)
    }
    tracks[sort.rawValue][lane].isBusy = true
    return tracks[sort.rawValue][lane].track
  }

  @discardableResult
  private mutating func addTrack(
    _ sort: LaneSort, isBusy: Bool, into packets: inout PerfettoPackets
  ) -> UInt64 {
    let track = packets.addTrack(sort.name, under: parent, rank: sort.rawValue, .events)
    tracks[sort.rawValue].append((track, isBusy))
    return track
  }
}
