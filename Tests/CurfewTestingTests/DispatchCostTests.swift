import Curfew
import CurfewTesting
import Dispatch
import Foundation
import Testing

/// The cost of blocks of captured work, beside that of detached tasks.
extension DispatchTests {
  /// A million with the counts of `.ci/long`.
  private static let count = runs * 10_000

  /// Whether there are enough blocks to compare their times.
  private static let isMeasured = runs >= 20

  private static var seconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// The resident memory of the process, in bytes.
  private static var memory: Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
  }

  private final class Counter: @unchecked Sendable { var count = 0 }

  /// The time and the growth of memory for as many pieces of work, a thousand at each instant.
  private static func cost(of begin: @escaping @Sendable (Counter) -> Void) async throws -> (
    seconds: Double, growth: Int
  ) {
    try await withDevice(Device(policy: .ios13)) { device in
      let counter = Counter()
      for _ in 0..<1000 { begin(counter) }
      device.advance(by: .seconds(1))
      let (start, memory) = (Self.seconds, Self.memory)
      for _ in 0..<count / 1000 {
        for _ in 0..<1000 { begin(counter) }
        device.advance(by: .seconds(1))
      }
      let cost = (Self.seconds - start, Self.memory - memory)
      #expect(counter.count == count + 1000)
      return cost
    }
  }

  @Test func `blocks take at most three times as long as detached tasks, and no more memory`()
    async throws
  {
    let tasks = try await Self.cost { counter in Task.detached { counter.count += 1 } }
    let blocks = try await Self.cost { counter in
      DispatchQueue.global().async { counter.count += 1 }
    }
    #expect(!Self.isMeasured || blocks.seconds <= 3 * tasks.seconds, "\(blocks) \(tasks)")
    #expect(blocks.growth <= max(tasks.growth, 0) + 32 << 20, "\(blocks) \(tasks)")
    print("cost of \(Self.count): blocks \(blocks), tasks \(tasks)")
  }

  /// The time of as many blocks behind one that sleeps, or that does not.
  private static func seconds(of queue: DispatchQueue, behind span: Double) async throws -> Double {
    try await withDevice(Device(policy: .ios13)) { device in
      let counter = Counter()
      queue.async { if span > 0 { Thread.sleep(forTimeInterval: span) } }
      await Task.yield()
      for _ in 0..<count / 10 { queue.async { counter.count += 1 } }
      let start = Self.seconds
      device.advance(by: .seconds(2))
      #expect(counter.count == count / 10)
      return Self.seconds - start
    }
  }

  @Test(arguments: [DispatchQueue.main, DispatchQueue(label: "own")])
  func `blocks that wait for their queue cost as much as others`(queue: DispatchQueue) async throws
  {
    let others = try await Self.seconds(of: queue, behind: 0)
    let waiting = try await Self.seconds(of: queue, behind: 1)
    #expect(!Self.isMeasured || waiting <= 4 * others + 0.1)
  }
}
