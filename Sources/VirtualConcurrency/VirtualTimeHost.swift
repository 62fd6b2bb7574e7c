/// The host of a capture, which lets virtual time pass: a simulated device. In a capture without
/// a host, only sleeps let time pass.
package protocol VirtualTimeHost: AnyObject, Sendable {
  /// The virtual instant.
  var now: Nanoseconds { get }
  /// The date at instant 0, in seconds and nanoseconds since 1970.
  var startDate: (seconds: Int64, nanoseconds: Int64) { get }
  /// The next instant at which the host has work to do; nil if there is none.
  func nextDeadline() -> Nanoseconds?
  /// Lets time pass until `instant`, and does the host's due work. If the host stops at
  /// an earlier instant, it calls `Capture/wake(upTo:)`, does the work that is due,
  /// and calls `Capture/settle()`.
  func advance(to instant: Nanoseconds)
  /// Lets time pass to the next instant at which the host has work to do, to the end of a sleep, or
  /// to `limit`, whichever comes first. Called by a thread that waits, perhaps inside a call of
  /// the host, so that the host may have due work that it cannot do yet.
  /// - Returns: False if there is no such instant.
  func advanceToNext(orSleep sleep: Nanoseconds?, upTo limit: Nanoseconds?) -> Bool
  /// Notes that the capture is ending: only leftovers still run, and the host is no longer called.
  func captureEnds()
  /// The calls in which captured work is running, one per line. A line names the test, or an app
  /// and its callback. Called by a thread of the library, which must not wait.
  var whereabouts: [String] { get }
}

extension VirtualTimeHost {
  /// The date without a host.
  package var startDate: (seconds: Int64, nanoseconds: Int64) { Capture.usualStartDate }
  /// Advances as `advance(to:)` does.
  package func advanceToNext(orSleep sleep: Nanoseconds?, upTo limit: Nanoseconds?) -> Bool {
    let instants = [nextDeadline(), sleep, limit].compactMap(\.self).filter { $0 > now }
    guard let instant = instants.min() else { return false }
    advance(to: instant)
    return true
  }
  /// Does nothing.
  package func captureEnds() {}
  /// An empty list.
  package var whereabouts: [String] { [] }
}
