/// Takes the bytes of a trace while it is recorded.
///
/// A recorder calls one sink from one thread at a time. The bytes are whole lines, and they end
/// with a whole step: an event or an `advance`, with all lines that follow from it. A recorder that
/// keeps up passes each step by itself; if a device's thread is behind, several steps are passed
/// at once. So a file to which each call appends with one write holds whole steps whenever
/// the program is killed, and at most one torn line behind them.
public protocol TraceSink: AnyObject, Sendable {
  /// Appends whole steps. Must not call the device that is recorded.
  ///
  /// - Throws: The cause for which the bytes were not taken. The recording then ends, and
  ///   no further call follows.
  func write(_ steps: [UInt8]) throws
}
