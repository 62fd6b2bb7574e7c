import CurfewEngine

/// Where the streams of random numbers of a fleet stand.
///
/// What is drawn hangs on what it is for and on which time it is: the third visit to this app, the
/// tenth push of that kind. So it does not depend on what was drawn before, nor on what the policy
/// answered, and one more app, one more task or another rate moves nothing else. Whoever changes
/// a number or an order here changes what every seed means.
enum FleetPaths {
  /// What of a device.
  enum Device: UInt64 { case settings = 1, unlocks, sessions, visits, daily }

  /// What of an app.
  enum App: UInt64 {
    case installation = 1, settings, callbacks, tasks, sessions, arrivals, wakes, behavior
  }

  static func device(_ device: UInt64, seed: UInt64) -> RandomPath {
    RandomPath(seed: seed).child(device)
  }

  /// That of an app, by its sort's name, so that it does not matter which sorts there are
  /// beside it.
  static func app(_ name: String, _ number: Int, on device: RandomPath) -> RandomPath {
    device.child(FleetPaths.number(of: name)).child(UInt64(number))
  }

  /// A number that stands for a name: FNV-1a of its UTF-8.
  static func number(of name: String) -> UInt64 {
    name.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}

extension RandomPath {
  func device(_ purpose: FleetPaths.Device) -> RandomPath { child(purpose.rawValue) }
  func app(_ purpose: FleetPaths.App) -> RandomPath { child(purpose.rawValue) }
  /// The stream of the time with this number.
  func stream(_ time: Int) -> RandomStream { RandomStream(child(UInt64(time))) }
}
