import CurfewEngine

/// The shapes, by their names in plans.
private enum QueueShape: String {
  /// A deadline is inserted and cancelled while others wait.
  case cancel = "insert-cancel"
  /// All are inserted, and all fire.
  case fire = "insert-fire"
  /// All are in one coarse slot of a wheel, and the earliest is cancelled: the worst case
  /// for a wheel that scans.
  case crowded = "coarse-slot"
  /// All are at one instant.
  case same = "one-instant"
  /// Each is earlier than all before it, so all are before the horizon that the first one sets:
  /// the worst case for a heap that holds whatever is before the horizon.
  case early = "far-horizon"
}

/// A queue in its ordinary and worst cases. `size` deadlines wait at a time.
final class WorstCases<Queue: DeadlineQueue & ~Copyable>: Contestant {
  private let make: (Int) -> Queue
  private let shape: QueueShape
  private let deadlines: [Instant]
  /// The places of the deadlines in the order of their instants.
  private let order: [Int]
  private let rounds: Int
  private var popped = 0
  private var checksum: UInt64 = 0

  init(_ plan: inout Plan, queue make: @escaping (Int) -> Queue) throws {
    guard let shape = plan.text("shape").flatMap({ QueueShape(rawValue: $0) }) else {
      throw CannotTakePart(reason: "the plan has none of the shapes of queue/1 that are known here")
    }
    let size = max(1, try plan.number("size"))
    (self.make, self.shape) = (make, shape)
    rounds = max(1, try plan.number("operations") / size)
    let (first, range): (UInt64, UInt64) =
      switch shape {
      case .cancel, .fire, .early: (0, 300_000_000_000)
      case .crowded: (1 << 50, 1 << 30)
      case .same: (30_000_000_000, 1)
      }
    var deadlines: [Instant] = []
    for place in 0..<UInt64(size) {
      let mixed = (place &+ 1) &* 0x9e37_79b9_7f4a_7c15
      deadlines.append(Instant(nanoseconds: Int64(first + (mixed ^ mixed >> 29) % range)))
    }
    if shape == .early { deadlines.sort(by: >) }
    self.deadlines = deadlines
    order = deadlines.indices.sorted { (deadlines[$0], $0) < (deadlines[$1], $1) }
  }

  func run(start: Int64) -> Measurement {
    popped = 0
    var queue = make(deadlines.count + 1)
    if shape == .cancel { for deadline in deadlines { _ = queue.insert(deadline, payload: 0) } }
    var (popped, checksum) = (0, self.checksum)
    let began = now()
    for _ in 0..<rounds { play(&queue, &popped, &checksum) }
    let ended = now()
    (self.popped, self.checksum) = (popped, checksum)
    return .measured(began: began, ended: ended)
  }

  func answer(to text: inout Text) {
    text.append("popped", popped)
    text.append("checksum", text: checksum)
  }

  private func play(_ queue: inout Queue, _ popped: inout Int, _ checksum: inout UInt64) {
    switch shape {
    case .cancel:
      for deadline in deadlines { queue.cancel(queue.insert(deadline, payload: 1)) }
      popped += deadlines.count
      checksum = checksum &* 31 &+ UInt64(queue.count)
    case .fire, .same, .early:
      for (place, deadline) in deadlines.enumerated() {
        _ = queue.insert(deadline, payload: UInt32(place))
      }
      while let fired = queue.popFirst() {
        popped += 1
        checksum =
          checksum &* 31 &+ UInt64(fired.deadline.nanoseconds) &+ UInt64(fired.payload)
      }
    case .crowded:
      let ids = deadlines.map { queue.insert($0, payload: 0) }
      for place in order {
        if let first = queue.first() { checksum = checksum &* 31 &+ UInt64(first.nanoseconds) }
        queue.cancel(ids[place])
        popped += 1
      }
    }
  }
}
