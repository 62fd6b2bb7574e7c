import TestRuns
import Testing

@testable import Curfew

@Suite(.inTurn) struct EndOfTimeTests {
  @Test func `nothing is due when a device has come to the end of time`() {
    let device = Device(policy: .ios13)
    device.advance(by: .seconds(Int64.max))
    let (isDue, next) = device.core.withState { ($0.hasWorkNow, $0.nextInstant) }
    #expect(isDue == false && next == nil)
  }
}
