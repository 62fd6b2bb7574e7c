import Curfew
import CurfewTesting
import Dispatch
import Foundation
import Testing

private let key = DispatchSpecificKey<String>()

private func look(_ name: String, on queue: DispatchQueue) -> String {
  dispatchPrecondition(condition: .onQueue(queue))
  dispatchPrecondition(condition: .onQueueAsBarrier(queue))
  return "\(name): \(DispatchQueue.getSpecific(key: key) ?? "none")"
}

private func lookElsewhere(_ name: String, than queue: DispatchQueue) -> String {
  dispatchPrecondition(condition: .notOnQueue(queue))
  return "\(name): \(DispatchQueue.getSpecific(key: key) ?? "none")"
}

private func sync(_ queue: DispatchQueue, _ body: () -> Void) { queue.sync(execute: body) }

private func run(_ app: App, _ body: () -> Void) throws { try app.run(body) }
private func wait(_ semaphore: DispatchSemaphore) { semaphore.wait() }

/// The queue of a block, as Dispatch tells it to the block.
extension DispatchTests {
  @Test func `a block of a queue that targets the main queue is on both`() async {
    await #expect(processExitsWith: .success) {
      try await withDevice(Device(policy: .ios13)) { device in
        let (lines, own) = (Lines(), DispatchQueue(label: "own"))
        let (queue, other) = (DispatchQueue(label: "on main", target: .main), Lines())
        queue.setSpecific(key: key, value: "on main")
        own.setSpecific(key: key, value: "own")
        queue.async { lines.add(look("async", on: queue)) }
        queue.async {
          dispatchPrecondition(condition: .onQueue(.main))
          sync(own) { lines.add(look("inner", on: own) + look(", outer", on: queue)) }
        }
        DispatchQueue.main.async { lines.add(lookElsewhere("main", than: queue)) }
        device.advance(by: .seconds(1))
        own.async {
          sync(queue) { lines.add(look("sync", on: queue) + look(", outer", on: own)) }
          other.add(lookElsewhere("own", than: queue))
        }
        device.advance(by: .seconds(1))
        #expect(
          lines.all == [
            "async: on main", "inner: own, outer: own", "main: none",
            "sync: on main, outer: on main",
          ])
        #expect(other.all == ["own: own"])
      }
    }
  }

  @Test func `a block of a queue that a dead thread holds is on its queue`() async {
    await #expect(processExitsWith: .success) {
      let (queue, never) = (DispatchQueue(label: "held"), DispatchSemaphore(value: 0))
      queue.setSpecific(key: key, value: "held")
      for _ in 0..<2 {
        let lines = Lines()
        try await withDevice(Device(policy: .ios13), reporting: []) { device in
          let app = device.register("com.example.client")
          app.launch()
          try run(app) { queue.async { wait(never) } }
          device.advance(by: .seconds(1))
          app.forceQuit()
          queue.async { lines.add(look("async", on: queue)) }
          sync(queue) { lines.add(look("sync", on: queue)) }
          lines.add(lookElsewhere("test", than: queue))
        }
        #expect(lines.all == ["async: held", "sync: held", "test: none"])
      }
    }
  }

  @Test func `work of the main thread inside a block is not on the block's queue`() async {
    await #expect(processExitsWith: .success) {
      try await withDevice(Device(policy: .ios13)) { device in
        let (lines, queue) = (Lines(), DispatchQueue(label: "on main", target: .main))
        queue.setSpecific(key: key, value: "on main")
        queue.async {
          Task { @MainActor in lines.add(lookElsewhere("task", than: queue)) }
          device.advance(by: .seconds(1))
          lines.add(look("block", on: queue))
        }
        device.advance(by: .seconds(2))
        #expect(lines.all == ["task: none", "block: on main"])
      }
    }
  }

  @Test func `a block that must not be on its queue stops the program, as libdispatch does`()
    async
  {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await withDevice(Device(policy: .ios13)) { device in
        let queue = DispatchQueue(label: "on main", target: .main)
        queue.async { _ = lookElsewhere("async", than: queue) }
        device.advance(by: .seconds(1))
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("not expected to execute on queue [on main ("), "\(text)")
  }
}
