import Curfew
import CurfewTesting
import Dispatch
import Foundation
import Testing

private func wait(for condition: NSCondition, until isSet: () -> Bool) {
  condition.lock()
  while !isSet() { condition.wait() }
  condition.unlock()
}

private final class State: @unchecked Sendable { var isSet = false }

/// Conditions and semaphores that code of a client uses itself.
extension DispatchTests {
  /// A block waits for another one, which holds the mutex while it sleeps.
  @Test func `a wait for a condition takes virtual time, and its mutex when that is free`()
    async throws
  {
    let lines = try await lines { device, _, lines in
      let condition = NSCondition()
      let state = State()
      DispatchQueue.global().async {
        wait(for: condition) { state.isSet }
        lines.add("goes on at \(device.now)")
      }
      DispatchQueue.global().asyncAfter(deadline: .now() + 1) {
        condition.lock()
        state.isSet = true
        condition.signal()
        Thread.sleep(forTimeInterval: 1)
        condition.unlock()
        lines.add("unlocked at \(device.now)")
      }
      device.advance(by: .seconds(5))
    }
    #expect(lines == ["unlocked at 2s", "goes on at 2s"])
  }

  @Test func `dates of Dispatch's wall clock are those of a device that starts in 2100`()
    async throws
  {
    let start = Date(timeIntervalSince1970: 4_102_444_800)
    let lines = Lines()
    try await withDevice(Device(policy: .ios13, startDate: start)) { device in
      let date = Date().timeIntervalSince1970 + 5
      let deadline = DispatchWallTime(timespec: timespec(tv_sec: Int(date), tv_nsec: 0))
      DispatchQueue.global().asyncAfter(wallDeadline: deadline) { lines.add("\(device.now)") }
      device.advance(by: .seconds(10))
    }
    #expect(lines.all == ["5s"])
  }

  @Test func `a known issue may block`() async throws {
    let lines = try await lines { device, _, lines in
      withKnownIssue(isIntermittent: true) { Thread.sleep(forTimeInterval: 3) }
      lines.add("\(device.now)")
    }
    #expect(lines == ["3s"])
  }
}
