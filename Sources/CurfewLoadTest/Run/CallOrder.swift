/// The handlers of a run that were called, in the order in which the device decided to call them.
///
/// A device calls handlers roughly in that order. If it calls others that it decided later, it had
/// the time for this one. If it does not while it catches up after a standstill of the machine, it
/// is still working off what fell due before.
struct CallOrder {
  /// A call of a handler: the instants of its decision and of its first line.
  struct Call {
    var sent: Int64
    var delivered: Int64
  }

  /// The number of handlers decided later whose calls prove that there was time for this one. More
  /// than one, because an app's handlers also wait for that app's other callbacks.
  static let enough = 3

  private let calls: [Call]

  init(_ calls: [Call]) { self.calls = calls.sorted { $0.sent < $1.sent } }

  /// The number of handlers that were decided after `sent` and called by `end`.
  ///
  /// - Complexity: O(log n), and the number of handlers that were decided between the two.
  func overtakers(sent: Int64, end: Int64) -> Int {
    var (low, high) = (0, calls.count)
    while low < high {
      let middle = (low + high) / 2
      if calls[middle].sent <= sent { low = middle + 1 } else { high = middle }
    }
    return calls[low...].prefix { $0.sent <= end }.count { $0.delivered <= end }
  }
}
