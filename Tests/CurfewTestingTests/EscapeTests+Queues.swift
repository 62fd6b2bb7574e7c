import Curfew
import CurfewTesting
import Dispatch
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The order and the cancellation of work that leaves virtual time.
extension EscapeTests {
  @Test
  func
    `blocks before the one that a test waits for, and those of a group that notifies it, are not told`()
    async throws
  {
    for _ in 0..<Self.runs {
      let told = try await told { device, _ in
        let (queue, base, group) = (
          DispatchQueue(label: "serial"), DispatchQueue(label: "base"), DispatchGroup()
        )
        let lines = Told()
        await withCheckedContinuation { answer in
          queue.async { lines.add("first") }
          queue.async { answer.resume() }
        }
        try await Task.sleep(for: .seconds(1))
        for _ in 0..<2 { DispatchQueue.global().async(group: group) { lines.add("grouped") } }
        group.enter()
        DispatchQueue.global().async { group.leave() }
        await withCheckedContinuation { answer in group.notify(queue: .global()) { answer.resume() }
        }
        try await Task.sleep(for: .seconds(1))
        let targeting = DispatchQueue(label: "targeting", target: base)
        targeting.async { lines.add("targeting") }
        base.sync { lines.add("base") }
        base.async { lines.add("base again") }
        targeting.sync { lines.add("targeting again") }
        device.advance(by: .seconds(1))
        let concurrent = DispatchQueue(label: "concurrent", attributes: .concurrent)
        concurrent.async { lines.add("concurrent") }
        concurrent.sync(execute: DispatchWorkItem(flags: .barrier) { lines.add("barrier") })
        device.advance(by: .seconds(1))
        DispatchQueue.concurrentPerform(iterations: 3) { number in
          queue.async { lines.add("\(number)") }
        }
        queue.sync {}
        let found = lines.sentences
        #expect(
          found == [
            "first", "grouped", "grouped", "targeting", "base", "base again", "targeting again",
            "concurrent", "barrier", "0", "1", "2",
          ], "\(found)")
      }
      #expect(told.isEmpty, "\(told)")
    }
  }

  @Test func `the threads of Process are not counted`() async throws {
    let told = try await told { device, _ in
      let process = try Process.run(URL(fileURLWithPath: "/bin/true"), arguments: [])
      process.waitUntilExit()
      device.advance(by: .seconds(1))
    }
    #expect(told.isEmpty, "\(told)")
  }

  @Test func `items that are cancelled before their time do not count as work`() async throws {
    for _ in 0..<Self.runs {
      let told = try await told { device, _ in
        let queue = DispatchQueue(label: "debounce")
        var last: DispatchWorkItem?
        for _ in 0..<3 {
          last?.cancel()
          let item = DispatchWorkItem { Issue.record("it was cancelled") }
          queue.asyncAfter(deadline: .now() + 20, execute: item)
          last = item
        }
        let other = DispatchWorkItem { Issue.record("it was cancelled") }
        queue.async(execute: other)
        last?.cancel()
        other.cancel()
        device.advance(by: .seconds(30))
      }
      #expect(told.isEmpty, "\(told)")
    }
  }

  @Test func `an item that is cancelled while it runs goes on`() async throws {
    let lines = Told()
    let told = try await told { device, _ in
      let (begun, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let item = DispatchWorkItem {
        begun.signal()
        gate.wait()
        lines.add("\(device.now)")
      }
      DispatchQueue.global().async(execute: item)
      begun.wait()
      item.cancel()
      device.advance(by: .seconds(1))
      gate.signal()
      item.wait()
    }
    #expect(told.isEmpty && lines.sentences == ["1s"], "\(told) \(lines.sentences)")
  }

  @Test func `a URLSession task that is cancelled at once is never resumed`() async throws {
    for _ in 0..<Self.runs {
      let server = try SilentServer()
      defer { server.close() }
      _ = try await told { device, _ in
        let task = URLSession.shared.dataTask(
          with: URL(string: "http://127.0.0.1:\(server.port)/")!
        ) { _, _, _ in }
        task.resume()
        task.cancel()
        let error: (any Error)? = await withCheckedContinuation { answer in
          let other = URLSession.shared.dataTask(
            with: URL(string: "http://127.0.0.1:\(server.port)/")!
          ) { answer.resume(returning: $2) }
          other.resume()
          other.cancel()
        }
        #expect((error as? URLError)?.code == .cancelled)
      }
    }
  }
}
