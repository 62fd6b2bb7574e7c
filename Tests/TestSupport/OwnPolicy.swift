package import CurfewPolicy

/// A policy with its own names: a mode, facts of the device and of an app, a session, and wakes
/// with each kind of start.
package enum OwnPolicy {
  /// The text of its file, whose places tests name.
  package static let text = """
    curfew: policy/1
    name: car
    extends: ios13
    modes: {guidance: Turn-by-turn guidance.}
    facts:
      parked: {of: device}
      restricted: {of: app}
    sessions:
      navigation: {mode: guidance, blockedBy: parked, linger: 2s}
    wakes:
      carUpdate: {start: interval, minimumInterval: 30s, mode: guidance, requires: connected, relaunches: true, length: 10s, overrun: drop}
      backup: {start: request, pending: 1, blockedBy: restricted, requires: charging, relaunches: true, length: 1m, overrun: drop}
      beacon: {length: 5s, overrun: tell, stopsTaskClock: false}
      fetch: none

    """

  /// The same policy with rows that depend on as many facts as possible, alone and together, with
  /// several ways to satisfy them.
  package static func demanding() throws -> PolicyFile {
    var file = try policy(text, file: "car.yaml")
    for (path, text) in [
      ("facts.restricted.unset", "true"), ("sessions.navigation.mode", "[guidance, location]"),
      ("sessions.navigation.blockedBy", "[parked, thermalSerious]"),
      ("wakes.carUpdate.mode", "[guidance, fetch]"),
      ("wakes.carUpdate.requires", "[charging, wifi]"),
      ("wakes.carUpdate.blockedBy", "[lowBattery, locked]"),
      ("wakes.backup.blockedBy", "[restricted, userPresent]"),
      ("wakes.backup.requires", "backgroundRefresh"),
      ("wakes.beacon.blockedBy", "[parked, lowBattery]"), ("wakes.beacon.requires", "userPresent"),
    ] { try file.set(path, text) }
    return file
  }
}
