/// Who lets virtual time pass: a simulated device, or nobody but the sleeps.
package protocol VirtualTimeHost: AnyObject, Sendable {
  /// The virtual instant.
  var now: Nanoseconds { get }
  /// When the host next has something to do, where it has.
  func nextDeadline() -> Nanoseconds?
  /// Lets time pass until then, and does what the host has due. Where it stops on the way, it calls
  /// `Capture/wake(upTo:)`, and `Capture/settle()` when it has done what is due there.
  func advance(to instant: Nanoseconds)
  /// The capture is over but for what is left of it, and is not to be called any more.
  func captureEnds()
  /// In whose name it calls captured work just then: the test, and the app and its callback, one to
  /// a line. Called by a thread of the library, which must not wait.
  var whereabouts: [String] { get }
}

extension VirtualTimeHost {
  /// Does nothing.
  package func captureEnds() {}
  /// Nothing.
  package var whereabouts: [String] { [] }
}
