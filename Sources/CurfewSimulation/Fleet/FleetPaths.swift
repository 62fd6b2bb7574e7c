import CurfewEngine

/// The paths of a fleet's streams of random numbers.
///
/// A draw depends on its purpose and its ordinal number: the third visit to this app, the tenth
/// push of that kind. It depends neither on earlier draws nor on the policy's answers, so one more
/// app, one more task or another rate changes no other draw. A change to a number or an order here
/// changes the meaning of every seed.
enum FleetPaths {
  /// The purposes of a device's streams.
  enum Device: UInt64 { case settings = 1, unlocks, sessions, visits, daily }

  /// The purposes of an app's streams.
  enum App: UInt64 {
    case installation = 1, settings, callbacks, tasks, sessions, arrivals, wakes, behavior
  }

  static func device(_ device: UInt64, seed: UInt64) -> RandomPath {
    RandomPath(seed: seed).child(device)
  }

  /// The path of an app. It uses the name of the app's sort, so it does not depend on which other
  /// sorts there are.
  static func app(_ name: String, _ number: Int, on device: RandomPath) -> RandomPath {
    device.child(FleetPaths.number(of: name)).child(UInt64(number))
  }

  /// The number for a name: FNV-1a of its UTF-8.
  static func number(of name: String) -> UInt64 {
    name.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}

extension RandomPath {
  @inline(__always)
  func device(_ purpose: FleetPaths.Device) -> RandomPath { child(purpose.rawValue) }
  @inline(__always)
  func app(_ purpose: FleetPaths.App) -> RandomPath { child(purpose.rawValue) }
  /// The stream of the draw with this ordinal number.
  @inline(__always)
  func stream(_ time: Int) -> RandomStream { RandomStream(child(UInt64(time))) }
}
