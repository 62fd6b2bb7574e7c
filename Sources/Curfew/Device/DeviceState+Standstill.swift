import CurfewEngine
import CurfewTrace

/// Apps that cause their own calls at one instant of a virtual clock (rule C4).
extension DeviceState {
  /// Whether time stands still. A diagnostic says so once, until something comes from outside.
  mutating func standsStill() -> Bool {
    guard let found = driver.standstill else { return false }
    guard !hasToldStandstill else { return true }
    hasToldStandstill = true
    let standstill = Standstill(found) { apps[Int($0.rawValue)].name }
    note(.standstill(standstill), of: standstill.answers.first.flatMap { indices[$0.app] })
    return true
  }

  /// Something comes from outside, which may end a standstill: it is tried again.
  mutating func resume() {
    guard driver.standstill != nil else { return }
    hasToldStandstill = false
    driver.resume()
  }
}
