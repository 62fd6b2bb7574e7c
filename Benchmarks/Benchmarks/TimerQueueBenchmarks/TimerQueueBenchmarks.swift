import Benchmark
import CurfewEngine

/// Pseudorandom deadlines, the same in every run.
private func deadlines(_ count: Int, within range: Int64, from start: Int64 = 0) -> [Instant] {
  var state: UInt64 = 1
  return (0..<count).map { _ in
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Instant(nanoseconds: start + Int64(state >> 1) % range)
  }
}

let benchmarks: @Sendable () -> Void = {
  Benchmark.defaultConfiguration = .init(
    metrics: [.wallClock, .throughput], timeUnits: .nanoseconds, scalingFactor: .one,
    maxDuration: .seconds(2))

  for count in [1_000, 100_000] {
    let minutes = deadlines(count, within: 300_000_000_000)

    Benchmark("insert and cancel, \(count) waiting") { benchmark in
      var queue = TimerQueue(minimumCapacity: count + 1)
      for deadline in minutes { _ = queue.insert(deadline, payload: 0) }
      benchmark.startMeasurement()
      for deadline in minutes { queue.cancel(queue.insert(deadline, payload: 1)) }
      benchmark.stopMeasurement()
    }

    Benchmark("insert all, fire all, \(count)") { benchmark in
      var queue = TimerQueue(minimumCapacity: count)
      benchmark.startMeasurement()
      for deadline in minutes { _ = queue.insert(deadline, payload: 0) }
      while queue.popFirst(notAfter: .distantFuture) != nil {}
      benchmark.stopMeasurement()
    }

    // The worst case for a wheel that scans: all deadlines are in one coarse slot. Each step asks
    // for the next deadline and cancels it.
    let crowded = deadlines(count, within: 1 << 30, from: 1 << 50)
    let order = crowded.indices.sorted { (crowded[$0], $0) < (crowded[$1], $1) }
    Benchmark("one coarse slot, earliest cancelled, \(count)") { benchmark in
      var queue = TimerQueue(minimumCapacity: count)
      let ids = crowded.map { queue.insert($0, payload: 0) }
      benchmark.startMeasurement()
      for index in order {
        precondition(queue.nextDeadline == crowded[index])
        queue.cancel(ids[index])
      }
      benchmark.stopMeasurement()
    }

    Benchmark("all at one instant, \(count)") { benchmark in
      var queue = TimerQueue(minimumCapacity: count)
      benchmark.startMeasurement()
      for index in 0..<count { _ = queue.insert(.zero + .seconds(30), payload: UInt32(index)) }
      var next: UInt32 = 0
      while let expired = queue.popFirst(notAfter: .distantFuture) {
        precondition(expired.payload == next)
        next += 1
      }
      benchmark.stopMeasurement()
    }
  }
}
