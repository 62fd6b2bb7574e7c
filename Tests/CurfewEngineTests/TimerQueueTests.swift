import TestRuns
import TestSupport
import Testing

@testable import CurfewEngine

/// A queue beside its simplest reference: an array, sorted at every step.
private struct Pair: ~Copyable {
  var queue = TimerQueue()
  /// Entries in the order in which they fire.
  var reference: [(deadline: Int64, sequence: Int, payload: UInt32, id: TimerQueue.ID)] = []
  var random: SeededGenerator
  let seed: UInt64
  private var sequence = 0

  init(seed: UInt64) {
    self.seed = seed
    random = SeededGenerator(seed: seed)
  }

  private mutating func add(_ deadline: Int64, _ payload: UInt32, _ id: TimerQueue.ID) {
    sequence += 1
    reference.append((deadline, sequence, payload, id))
    reference.sort { ($0.deadline, $0.sequence) < ($1.deadline, $1.sequence) }
  }

  mutating func insert(_ deadline: Int64) {
    let payload = UInt32(truncatingIfNeeded: sequence)
    add(deadline, payload, queue.insert(Instant(nanoseconds: deadline), payload: payload))
  }

  mutating func cancel(at index: Int) { queue.cancel(reference.remove(at: index).id) }

  mutating func reschedule(at index: Int, to deadline: Int64) {
    queue.reschedule(reference[index].id, to: Instant(nanoseconds: deadline))
    guard reference[index].deadline != deadline else { return }
    let entry = reference.remove(at: index)
    add(deadline, entry.payload, entry.id)
  }

  mutating func pop(notAfter now: Int64) {
    let expired = queue.popFirst(notAfter: Instant(nanoseconds: now))
    let isDue = reference.first.map { $0.deadline <= now } ?? false
    let first = isDue ? reference.removeFirst() : nil
    #expect(
      expired?.deadline.nanoseconds == first?.deadline && expired?.payload == first?.payload,
      "seed \(seed)")
  }

  /// A step of any kind; `distance` gives the distance of a new deadline.
  mutating func step(_ now: inout Int64, _ distance: (inout SeededGenerator) -> Int64) {
    let deadline = now.addingReportingOverflow(distance(&random))
    let instant = deadline.overflow ? Int64.max : deadline.partialValue
    switch random.below(8) {
    case 0...3: insert(instant)
    case 4 where !reference.isEmpty: cancel(at: random.below(reference.count))
    case 5 where !reference.isEmpty: reschedule(at: random.below(reference.count), to: instant)
    case 6 where !reference.isEmpty:
      now = reference[random.below(min(4, reference.count))].deadline
      pop(notAfter: now)
    default: pop(notAfter: now)
    }
  }

  func check(invariants: Bool = true) {
    if invariants { queue.checkInvariants() }
    #expect(queue.nextDeadline?.nanoseconds == reference.first?.deadline, "seed \(seed)")
    #expect(queue.count == reference.count && queue.isEmpty == reference.isEmpty, "seed \(seed)")
  }

  mutating func drain() {
    while !reference.isEmpty { pop(notAfter: .max) }
    check()
  }
}

@Suite(.inTurn) struct TimerQueueTests {
  /// From one nanosecond to the end of time, each power of two equally likely.
  private static func anywhere(_ random: inout SeededGenerator) -> Int64 {
    Int64(random.next() >> 1) >> Int64(random.below(63))
  }

  @Test func `deadlines of every distance leave in order, with every next one exact`() {
    for seed in Campaign.seeds(12) {
      var pair = Pair(seed: seed)
      var now: Int64 = 0
      for _ in 0..<250 {
        pair.step(&now, TimerQueueTests.anywhere)
        pair.check()
      }
      pair.drain()
    }
  }

  @Test func `ties leave in the order in which they came`() {
    for seed in Campaign.seeds(6) {
      var pair = Pair(seed: seed)
      var now: Int64 = 0
      for _ in 0..<300 {
        pair.step(&now) { Int64($0.below(4)) * 1_000_000_000 }
        pair.check()
      }
      pair.drain()
    }
  }

  @Test func `the same deadline from different distances keeps its order of insertion`() {
    for seed in Campaign.seeds(6) {
      var pair = Pair(seed: seed)
      let target: Int64 = 1 << 40 + 12345
      var now: Int64 = 0
      pair.insert(target)
      for shift in stride(from: Int64(39), through: 0, by: -1) {
        pair.insert(target)
        now = target - (1 << shift)
        pair.insert(now)  // something to fire on the way, so that the wheel turns
        pair.insert(target)
        pair.pop(notAfter: now)
        pair.check()
      }
      pair.drain()
    }
  }

  @Test
  func
    `the next deadline stays exact while the first of a crowded slot is cancelled again and again`()
  {
    for seed in Campaign.seeds(4) {
      var pair = Pair(seed: seed)
      pair.insert(1)
      // Thousands of deadlines that share one far slot of any timer wheel.
      for _ in 0..<600 { pair.insert(1 << 50 + Int64(pair.random.below(1 << 30))) }
      pair.pop(notAfter: 1)
      while !pair.reference.isEmpty {
        pair.cancel(at: 0)
        if pair.random.oneIn(3) { pair.insert(1 << 50 + Int64(pair.random.below(1 << 30))) }
        pair.check(invariants: pair.random.oneIn(8))
      }
    }
  }

  @Test func `deadlines that each come in before all others are kept in order`() {
    for seed in Campaign.seeds(4) {
      var pair = Pair(seed: seed)
      var deadline: Int64 = 1 << 60
      for _ in 0..<700 {
        deadline -= 1 + Int64(pair.random.next() % 1_000_000_000_000_000)
        pair.insert(deadline)
        if pair.random.oneIn(5) { pair.insert(deadline + Int64(pair.random.below(1 << 40))) }
        pair.check(invariants: pair.random.oneIn(16))
      }
      pair.drain()
    }
  }

  @Test func `a horizon set far ahead does not make the heap grow without limit`() {
    var pair = Pair(seed: 1)
    pair.insert(1 << 60)  // the horizon lies there now, and all that follows lies before it
    for index in 0..<3000 {
      pair.insert(Int64(pair.random.below(1 << 59)))
      #expect(
        pair.queue.heap.count <= max(
          TimerQueue.spillFloor, 2 * Int(TimerQueue.pourLimit), pair.queue.count / 4) + 1)
      pair.check(invariants: index % 100 == 0)
    }
    var now: Int64 = 0
    for _ in 0..<500 { pair.step(&now, TimerQueueTests.anywhere) }
    pair.check()
    pair.drain()
  }

  @Test func `spilling with most deadlines in the wheel waits until the heap is a quarter of them`()
  {
    var pair = Pair(seed: 2)
    for index in 0..<2000 { pair.insert(1 << 50 + Int64(index) * 1_000_000) }
    for index in 0..<1200 {
      pair.insert(1 << 49 - Int64(index) * 1000)
      pair.check(invariants: index % 50 == 0)
    }
    #expect(pair.queue.heap.count < 1000)
    pair.drain()
  }

  @Test func `a mass of deadlines at one instant leaves in order, with others before and after it`()
  {
    for seed in Campaign.seeds(2) {
      var pair = Pair(seed: seed)
      for index in 0..<1000 {
        pair.insert(1_000_000)
        if index % 10 == 0 { pair.insert(1_000_000 + Int64(pair.random.below(3)) - 1) }
        if index % 50 == 49 { pair.check() }
      }
      for _ in 0..<200 { pair.cancel(at: pair.random.below(pair.reference.count)) }
      pair.check()
      pair.drain()
    }
  }

  @Test
  func `a deadline moved to its own instant keeps its place, but loses it if moved away and back`()
  {
    var queue = TimerQueue()
    let (first, second) = (
      queue.insert(Instant(nanoseconds: 5), payload: 1),
      queue.insert(Instant(nanoseconds: 5), payload: 2)
    )
    queue.reschedule(first, to: Instant(nanoseconds: 5))
    queue.reschedule(second, to: Instant(nanoseconds: 6))
    queue.reschedule(second, to: Instant(nanoseconds: 5))
    queue.reschedule(first, to: Instant(nanoseconds: 7))
    queue.reschedule(first, to: Instant(nanoseconds: 5))
    #expect(queue.deadline(of: first) == Instant(nanoseconds: 5))
    #expect(queue.popFirst(notAfter: Instant(nanoseconds: 4)) == nil)
    #expect(queue.popFirst(notAfter: Instant(nanoseconds: 5))?.payload == 2)
    #expect(queue.popFirst(notAfter: Instant(nanoseconds: 5))?.payload == 1)
  }

  @Test func `a run that never becomes empty keeps its memory`() {
    var queue = TimerQueue()
    let instant = Instant(nanoseconds: 1_000)
    for payload in 0..<10 as Range<UInt32> { _ = queue.insert(instant, payload: payload) }
    let capacity = queue.heap.capacity
    for payload in 10..<5_000 as Range<UInt32> {
      _ = queue.insert(instant, payload: payload)
      #expect(queue.popFirst(notAfter: instant)?.payload == payload - 10)
    }
    queue.checkInvariants()
    let (isRun, after) = (queue.heap.isRun, queue.heap.capacity)
    #expect(isRun && after == capacity && queue.count == 10)
  }

  @Test
  func `a run takes entries at its front and in its middle, and becomes a heap if it is long`() {
    for seed in Campaign.seeds(4) {
      var pair = Pair(seed: seed)
      pair.insert(1_000_000)  // the horizon
      for number in 0..<60 as Range<Int64> {
        pair.insert(Int64(pair.random.below(1_000_000)))
        let isRun = pair.queue.heap.isRun
        #expect(isRun == (number < 24), "seed \(seed)")
        pair.check()
      }
      pair.drain()
      let isRun = pair.queue.heap.isRun
      #expect(isRun, "seed \(seed)")
      for deadline in 0..<20 as Range<Int64> { pair.insert(1 << 50 + deadline << 20) }
      for deadline in 0..<20 as Range<Int64> {
        let now = 1 << 50 + deadline << 20
        pair.pop(notAfter: now)
        pair.insert(now + 7)
        pair.insert(now)
        pair.check()
        pair.pop(notAfter: now + 7)
        pair.pop(notAfter: now + 7)
        pair.check()
        if pair.reference.count > 3 { pair.cancel(at: 1) }
        pair.check()
      }
      pair.drain()
    }
  }

  @Test func `the first and the last instant are deadlines like others`() {
    var pair = Pair(seed: 3)
    for deadline in [Int64.max, 0, .max - 1, 1, .max, 0, 1 << 62, 1 << 62 - 1] {
      pair.insert(deadline)
      pair.check()
    }
    pair.cancel(at: 1)
    pair.reschedule(at: 0, to: .max)
    pair.check()
    pair.drain()
    #expect(pair.queue.popFirst(notAfter: .distantFuture) == nil)
  }

  @Test func `a copy is independent, with the same deadlines, identifiers and order`() {
    for seed in Campaign.seeds(4) {
      var pair = Pair(seed: seed)
      var now: Int64 = 0
      for _ in 0..<400 { pair.step(&now, TimerQueueTests.anywhere) }
      for _ in 0..<50 { pair.insert(now) }
      var copy = pair.queue.copy()
      copy.checkInvariants()
      let before = pair.reference
      for _ in 0..<200 { pair.step(&now, TimerQueueTests.anywhere) }
      pair.drain()
      let cancelled = before.count / 2
      copy.cancel(before[cancelled].id)
      for (index, entry) in before.enumerated() where index != cancelled {
        #expect(copy.nextDeadline?.nanoseconds == entry.deadline, "seed \(seed)")
        #expect(copy.popFirst(notAfter: .distantFuture)?.payload == entry.payload, "seed \(seed)")
      }
      #expect(copy.count == 0)
    }
  }
}
