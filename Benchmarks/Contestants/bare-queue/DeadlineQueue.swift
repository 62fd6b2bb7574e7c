import CurfewEngine

/// A queue of deadlines. Deadlines at one instant leave in the order of insertion.
protocol DeadlineQueue: ~Copyable {
  associatedtype ID: BitwiseCopyable
  var count: Int { get }
  mutating func insert(_ deadline: Instant, payload: UInt32) -> ID
  mutating func cancel(_ id: ID)
  mutating func popFirst() -> (deadline: Instant, payload: UInt32)?
  /// The earliest deadline.
  mutating func first() -> Instant?
}

extension TimerQueue: DeadlineQueue {
  mutating func popFirst() -> (deadline: Instant, payload: UInt32)? {
    popFirst(notAfter: .distantFuture).map { ($0.deadline, $0.payload) }
  }

  mutating func first() -> Instant? { nextDeadline }
}
