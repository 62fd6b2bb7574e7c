import CurfewEngine
import CurfewTrace

/// The device's group of tracks: the events of users and the world, a slice for each fact while it
/// differs from its default, and the battery.
struct DeviceTracks: Sendable {
  private let parent: UInt64
  private let events: UInt64
  private var battery: UInt64?
  /// The track of each fact, and its value while it has a slice.
  private var facts: [String: (track: UInt64, value: String?)] = [:]
  private var known = DeviceFacts()

  static let category = "device"

  init(into packets: inout PerfettoPackets) {
    parent = packets.addTrack("device", .group)
    events = packets.addTrack("events", under: parent, rank: 0, .events)
  }

  /// Adds an event of the device.
  func instant(
    _ name: String, _ category: String, at time: Instant, _ annotations: [NamedAnnotation],
    _ flows: Flows = .none,
    into packets: inout PerfettoPackets
  ) {
    packets.instant(name, category, on: events, at: time, annotations, flows)
  }

  /// Sets the facts of the device from `time` on. Facts with their default value have no slice.
  mutating func set(_ device: DeviceFacts, at time: Instant, into packets: inout PerfettoPackets) {
    known = device
    let available = BackgroundRefreshStatus.available
    set(
      "backgroundRefresh",
      device.backgroundRefresh == available ? nil : device.backgroundRefresh.fileName, at: time,
      into: &packets)
    set("lowPowerMode", device.lowPowerMode ? "lowPowerMode" : nil, at: time, into: &packets)
    set("charging", device.charging ? "charging" : nil, at: time, into: &packets)
    set(
      "network", device.network == .wifi ? nil : device.network.fileName, at: time, into: &packets)
    set(
      "thermal", device.thermal == .nominal ? nil : device.thermal.fileName, at: time,
      into: &packets)
    count(device.battery, at: time, into: &packets)
  }

  /// Applies a change to the device from `time` on.
  mutating func apply(_ change: DeviceChange, at time: Instant, into packets: inout PerfettoPackets)
  {
    set(change.applied(to: known), at: time, into: &packets)
  }

  /// Sets the device's switch of Background App Refresh from `time` on.
  mutating func set(
    _ status: BackgroundRefreshStatus, at time: Instant, into packets: inout PerfettoPackets
  ) {
    var device = known
    device.backgroundRefresh = status
    set(device, at: time, into: &packets)
  }

  /// Sets a fact from `time` on; nil for its default value, which has no slice.
  mutating func set(
    _ fact: String, _ value: String?, at time: Instant, into packets: inout PerfettoPackets
  ) {
    guard facts[fact]?.value != value else { return }
    let track =
      facts[fact]?.track ?? packets.addTrack(fact, under: parent, rank: 2 + facts.count, .events)
    if facts[fact]?.value != nil { packets.end(on: track, at: time) }
    if let value { packets.begin(value, DeviceTracks.category, on: track, at: time, []) }
    facts[fact] = (track, value)
  }

  private var lastCount: UInt8?

  private mutating func count(
    _ percent: UInt8, at time: Instant, into packets: inout PerfettoPackets
  ) {
    guard percent != lastCount else { return }
    let track = battery ?? packets.addTrack("battery", under: parent, rank: 1, .counter(unit: "%"))
    (battery, lastCount) = (track, percent)
    packets.count(Int64(percent), on: track, at: time)
  }

  /// Ends all open slices at the end of the run.
  mutating func end(at time: Instant, into packets: inout PerfettoPackets) {
    for (fact, _) in facts.sorted(by: { $0.value.track < $1.value.track }) {
      set(fact, nil, at: time, into: &packets)
    }
    // The counter is repeated so that its last value extends to the end.
    if let battery, let lastCount { packets.count(Int64(lastCount), on: battery, at: time) }
  }
}
