import CurfewAnalysis
import CurfewEngine
import CurfewPolicy
import CurfewTrace

// Events that enter the engine, and callbacks to apps.

extension PerfettoTrace {
  /// Adds an instant for an event: on the app's calls, or on the device's events, where it may also
  /// change a fact.
  mutating func enter(_ deed: EngineInput, _ told: Told) {
    let app = told.line.app
    if let app, deed.verb == .return || deed.verb == .begin { return answer(deed, told, of: app) }
    let flow = packets.newFlow()
    cause = Cause(app: app, flow: flow)
    guard let app else {
      device.instant(
        told.words, DeviceTracks.category, at: told.time, told.annotations, .through(flow),
        into: &packets)
      return change(deed, at: told.time)
    }
    with(app) {
      $0.lanes.instant(
        on: .calls, told.words, "call", at: told.time, told.annotations, .through(flow), into: &$1)
    }
  }

  /// Changes the facts of the device that an event sets.
  private mutating func change(_ deed: EngineInput, at time: Instant) {
    switch deed.verb {
    case .setDevice: if let change = deed.device { device.apply(change, at: time, into: &packets) }
    case .setRefresh: if let status = deed.status { device.set(status, at: time, into: &packets) }
    case .setFact:
      if let fact = deed.fact {
        device.set(fact, deed.holds ? fact : nil, at: time, into: &packets)
      }
    // After a restart a device is locked.
    case .lock, .reboot: device.set("locked", "locked", at: time, into: &packets)
    case .unlock: device.set("locked", nil, at: time, into: &packets)
    default: break
    }
  }

  /// Begins a slice for a callback, until it returns.
  mutating func deliver(_ body: TraceLine.Body, _ told: Told, to app: String) {
    guard let moment = body.delivery else { return }
    let name = if case .callback = body { told.words } else { moment.fileName }
    with(app) { tracks, packets in
      tracks.callCount += 1
      tracks.calls.append((moment, tracks.callCount))
      tracks.lanes.begin(
        .call(tracks.callCount), .callbacks, name, "callback", at: told.time, told.annotations,
        into: &packets)
    }
  }

  /// Adds the first line of a callback, or ends its slice at its return.
  private mutating func answer(_ deed: EngineInput, _ told: Told, of app: String) {
    with(app) { tracks, packets in
      guard let index = tracks.calls.firstIndex(where: { $0.moment == deed.callback }) else {
        return
      }
      let key = AppSlice.call(tracks.calls[index].number)
      if deed.verb == .begin {
        _ = tracks.lanes.instant(
          within: key, "first line", "firstLine", at: told.time, [], .none, into: &packets)
      } else {
        tracks.calls.remove(at: index)
        tracks.lanes.end(key, at: told.time, [], into: &packets)
      }
    }
  }
}
