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
  /// Notes that the capture is ending: only leftovers still run, and the host is no longer called.
  func captureEnds()
  /// The calls in which captured work is running, one per line. A line names the test, or an app
  /// and its callback. Called by a thread of the library, which must not wait.
  var whereabouts: [String] { get }
}

extension VirtualTimeHost {
  /// The date without a host.
  package var startDate: (seconds: Int64, nanoseconds: Int64) { Capture.usualStartDate }
  /// Does nothing.
  package func captureEnds() {}
  /// An empty list.
  package var whereabouts: [String] { [] }
}
