public import CurfewEngine

/// The counts of a device's activity since it was created.
public struct DeviceCounts: Hashable, Sendable {
  /// Events that the engine has received: actions of the user and the system, calls of apps,
  /// and returns of their handlers.
  public internal(set) var events = 0
  /// Expiration handlers that the device has decided to call.
  public internal(set) var expirations = 0
  /// Expiration handlers that were called.
  public internal(set) var handlersCalled = 0
  /// Expiration handlers that the device had decided to call but did not call, because the task
  /// or its process ended first.
  public internal(set) var skippedHandlers = 0
  /// Processes that have ended.
  public private(set) var processEnds = 0
  /// Processes that have ended, by reason.
  private var ends = SIMD16<Int>()

  /// All counts zero.
  public init() {}

  /// The number of processes that have ended for this reason.
  /// - Complexity: O(1).
  public func processEnds(for reason: TerminationReason) -> Int { ends[Int(reason.rawValue)] }

  mutating func countEnd(_ reason: TerminationReason) {
    processEnds += 1
    ends[Int(reason.rawValue)] += 1
  }
}
