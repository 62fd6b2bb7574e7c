import Curfew
import CurfewTesting
import Foundation
import Testing

/// The sentence about parts of a process that do not follow a device.
@Suite struct NotFollowedTests {
  @Test(arguments: [(true, false), (false, true), (false, false)])
  func `each part that does not follow is a reason to say that Dispatch is not followed`(
    followsDates: Bool, seesEscapes: Bool
  ) throws {
    let warning = try #require(
      EscapeReporting.warning(
        isAvailable: true, followsDates: followsDates, seesEscapes: seesEscapes))
    #expect(warning.hasPrefix("Dispatch is not followed in this process: "))
    #expect(warning.contains("-static-stdlib"))
    #expect(warning.contains("no test reports work outside virtual time") == !seesEscapes)
  }

  @Test func `another compiler is named, and nothing is said if everything follows`() throws {
    let other = try #require(
      EscapeReporting.warning(isAvailable: false, followsDates: false, seesEscapes: false))
    #expect(other.contains("needs Swift 6.3 on 64-bit Linux"))
    #expect(
      EscapeReporting.warning(isAvailable: true, followsDates: true, seesEscapes: true) == nil)
  }

  @Test func `a process says it once, and only if something does not follow`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      for _ in 0..<2 { try withDevice(Device(policy: .ios13)) { _ in } }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    let count = text.components(separatedBy: "Dispatch is not followed in this process").count - 1
    #expect(count == (VirtualTime.followsDispatch ? 0 : 1), "\(text)")
  }
}
