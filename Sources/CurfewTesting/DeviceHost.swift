import Curfew
import VirtualConcurrency

/// Lets a device control the time of a capture.
final class DeviceHost: VirtualTimeHost {
  let device: Device
  private let calls: CallLog

  init(_ device: Device, _ calls: CallLog) { (self.device, self.calls) = (device, calls) }

  var now: Nanoseconds { device.nanoseconds }
  var startDate: (seconds: Int64, nanoseconds: Int64) { device.startDate }
  func nextDeadline() -> Nanoseconds? { device.nextDeadline }
  var whereabouts: [String] { calls.lines }
  func captureEnds() { device.detachWork() }
  func advanceToNext(orSleep sleep: Nanoseconds?, upTo limit: Nanoseconds?) -> Bool {
    // The device knows the sleeps.
    device.advanceToNext(upTo: limit)
  }
  func advance(to instant: Nanoseconds) { device.advance(by: .nanoseconds(instant - now)) }
}
