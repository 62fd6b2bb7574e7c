import Curfew
import VirtualConcurrency

/// A device as the one who lets a capture's time pass.
final class DeviceHost: VirtualTimeHost {
  private let device: Device

  init(_ device: Device) { self.device = device }

  var now: Nanoseconds { device.nanoseconds }
  func nextDeadline() -> Nanoseconds? { device.nextDeadline }
  func captureEnds() { device.detachWork() }
  func advance(to instant: Nanoseconds) { device.advance(by: .nanoseconds(instant - now)) }
}
