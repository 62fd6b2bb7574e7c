import Curfew
import CurfewUV
import Testing

extension RealTimeTests {
  @Suite struct ServerExamples {
    @Test func `a server's device`() async throws {
      let device = Device(policy: .server, clock: .realTime(try UVClock()))
      #expect(try await device.withGrant(.seconds(600)) { 17 } == 17)
    }
  }
}
