import Curfew
import CurfewTesting
import Dispatch
import Foundation
import Testing

/// Blocks that wait for a group.
extension DispatchTests {
  @Test func `a notification that is a barrier stays one`() async throws {
    let lines = try await lines { device, _, lines in
      let (queue, group) = (DispatchQueue(label: "own", attributes: .concurrent), DispatchGroup())
      group.enter()
      group.notify(
        queue: queue,
        work: DispatchWorkItem(flags: .barrier) {
          Thread.sleep(forTimeInterval: 1)
          lines.add("barrier at \(device.now)")
        })
      group.leave()
      queue.async { lines.add("after at \(device.now)") }
      device.advance(by: .seconds(2))
    }
    #expect(lines == ["barrier at 1s", "after at 1s"])
  }
}

extension EscapeTests {
  @Test func `threads that leave a group are not reported if a notification waits for it`()
    async throws
  {
    for _ in 0..<Self.runs {
      let told = try await told { device, _ in
        let group = DispatchGroup()
        for _ in 0..<3 {
          group.enter()
          Thread.detachNewThread { group.leave() }
        }
        await withCheckedContinuation { answer in
          group.notify(queue: .global()) { answer.resume() }
        }
        device.advance(by: .seconds(1))
      }
      #expect(told.isEmpty, "\(told)")
    }
  }
}
