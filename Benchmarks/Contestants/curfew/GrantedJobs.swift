import Curfew
import CurfewUV

/// A grant whose warning comes at the limit, and which ends five seconds later.
func withGrant() throws -> Bound {
  let device = Device(policy: .server, clock: .realTime(try UVClock()))
  return { limit, body in
    try await device.withGrant(limit + .seconds(5), warning: .seconds(5), body)
  }
}
