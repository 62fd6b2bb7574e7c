public import CurfewEngine

/// What a device has done since it was made.
public struct DeviceCounts: Hashable, Sendable {
  /// What has entered its engine: the user's doings and the world's, apps' calls, the returns
  /// of their handlers.
  public internal(set) var events = 0
  /// Expiration handlers that it has decided to call.
  public internal(set) var expirations = 0
  /// Handlers that were called.
  public internal(set) var handlersCalled = 0
  /// Handlers that were not called after all: the task was ended, or its process, before it was
  /// their turn.
  public internal(set) var handlersLeftOut = 0
  /// Processes that have ended.
  public private(set) var processEnds = 0
  /// By reason.
  private var ends = SIMD16<Int>()

  /// Nothing done yet.
  public init() {}

  /// How many processes have ended for a reason.
  /// - Complexity: O(1).
  public func processEnds(for reason: TerminationReason) -> Int { ends[Int(reason.rawValue)] }

  mutating func countEnd(_ reason: TerminationReason) {
    processEnds += 1
    ends[Int(reason.rawValue)] += 1
  }
}
