/// The host of a capture, which lets virtual time pass: a simulated device. A capture without
/// a host follows its sleeps alone.
package protocol VirtualTimeHost: AnyObject, Sendable {
  /// The virtual instant.
  var now: Nanoseconds { get }
  /// The next instant at which the host has something to do; nil if there is none.
  func nextDeadline() -> Nanoseconds?
  /// Lets time pass until `instant`, and does the host's due work. If it stops on the way, it calls
  /// `Capture/wake(upTo:)`, and `Capture/settle()` when it has done the work that is due there.
  func advance(to instant: Nanoseconds)
  /// Notes that the capture is ending: only leftovers still run, and the host is not called
  /// any more.
  func captureEnds()
  /// The present calls of captured work: the test, and the app and its callback, one per line.
  /// Called by a thread of the library, which must not wait.
  var whereabouts: [String] { get }
}

extension VirtualTimeHost {
  /// Does nothing.
  package func captureEnds() {}
  /// An empty list.
  package var whereabouts: [String] { [] }
}
