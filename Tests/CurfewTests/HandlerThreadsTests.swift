import Curfew
import Foundation
import Testing

@Suite struct HandlerThreadsTests {
  @Test func `all work is done, by a few threads while none blocks`() {
    let threads = HandlerThreads(limit: 8)
    let group = DispatchGroup()
    let count = Counter()
    for _ in 0..<10_000 {
      group.enter()
      threads.execute {
        count.add(1)
        group.leave()
      }
    }
    group.wait()
    #expect(count.value == 10_000 && threads.counts.threads <= 8)
  }

  @Test func `as many may block as the limit says, and one more waits and is told of`() {
    let told = Counter()
    let threads = HandlerThreads(limit: 6) { told.add($0) }
    let (gate, started) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    for _ in 0..<6 {
      threads.execute {
        started.signal()
        gate.wait()
      }
    }
    for _ in 0..<6 { started.wait() }
    #expect(threads.counts.threads == 6 && threads.counts.busy == 6)
    let last = DispatchSemaphore(value: 0)
    threads.execute { last.signal() }
    #expect(last.wait(timeout: .now() + .milliseconds(50)) == .timedOut)
    let end = Date() + 10
    while told.value == 0, Date() < end { Thread.sleep(forTimeInterval: 0.001) }
    #expect(told.value == 6)
    gate.signal()
    last.wait()
    for _ in 0..<5 { gate.signal() }
  }
}

final class Counter: @unchecked Sendable {
  private let lock = NSLock()
  private var sum = 0

  var value: Int { lock.withLock { sum } }

  func add(_ number: Int) { lock.withLock { sum += number } }
}
