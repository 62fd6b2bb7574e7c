import CurfewEngine

/// The rows of one app, or of the device, from top to bottom. Each is one track or, where slices
/// overlap, several of one name.
enum LaneSort: Int, CaseIterable, Sendable {
  case states, decisions, tasks, sessions, wakes, requests, callbacks, calls

  /// What its tracks are called.
  var name: String { "\(self)" }
}

/// What is open on a lane.
struct OpenSlice: Sendable {
  let sort: LaneSort
  let track: UInt64
  /// The flow that leads on from where it began.
  let flow: UInt64?
  /// Whether its end has been announced: a handler was called.
  var isWarned = false
}

/// The lanes under one parent. A slice begins on the first lane of its sort that has none open, so
/// that slices of one track never overlap, and there are no more tracks than there were slices open
/// at once.
struct Lanes<Key: Hashable & Sendable>: Sendable {
  private let parent: UInt64
  /// By sort, each track and whether a slice is open on it.
  private var tracks: [[(track: UInt64, isBusy: Bool)]] = LaneSort.allCases.map { _ in [] }
  private var open: [Key: OpenSlice] = [:]

  init(under parent: UInt64) { self.parent = parent }

  /// What is open under this key.
  subscript(key: Key) -> OpenSlice? { open[key] }

  /// Begins a slice. One that is still open under its key is over with that.
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

  /// Ends a slice; answers what it was, nil where none is open.
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

  /// Ends all whose sort is one of these, in the order of their tracks.
  mutating func endAll(
    of sorts: Set<LaneSort> = Set(LaneSort.allCases), at time: Instant, because end: String,
    into packets: inout PerfettoPackets
  ) {
    // A dictionary has no order that could be seen; tracks have one.
    let keys = open.filter { sorts.contains($0.value.sort) }.sorted {
      $0.value.track < $1.value.track
    }.map(\.key)
    for key in keys {
      self.end(key, at: time, [NamedAnnotation("ended", .text(end))], into: &packets)
    }
  }

  /// The end of what is open under this key has been announced.
  mutating func warn(_ key: Key) { open[key]?.isWarned = true }

  /// Something happens on the lane on which this slice is open; false where none is.
  mutating func instant(
    within key: Key, _ name: String, _ category: String, at time: Instant,
    _ annotations: [NamedAnnotation], _ flows: Flows,
    into packets: inout PerfettoPackets
  ) -> Bool {
    guard let slice = open[key] else { return false }
    packets.instant(name, category, on: slice.track, at: time, annotations, flows)
    return true
  }

  /// Something happens on the first lane of a sort.
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
