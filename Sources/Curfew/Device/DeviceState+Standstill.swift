import CurfewEngine
import CurfewTrace

/// Apps that keep causing their own callbacks at one instant of a virtual clock (rule C4).
extension DeviceState {
  /// Whether the device is at a standstill. A diagnostic reports a standstill once, until an event
  /// comes from outside.
  mutating func standsStill() -> Bool {
    guard let found = driver.standstill else { return false }
    guard !log.hasToldStandstill else { return true }
    log.hasToldStandstill = true
    let standstill = Standstill(found) { apps[$0].name }
    note(.standstill(standstill), of: standstill.answers.first.flatMap { apps[named: $0.app] })
    return true
  }

  /// Ends a standstill, because an event comes from outside; the apps are tried again.
  mutating func resume() {
    guard driver.standstill != nil else { return }
    (log.hasToldStandstill, isAtRest) = (false, false)
    driver.resume()
  }
}
