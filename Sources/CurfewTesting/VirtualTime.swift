import VirtualConcurrency

/// Swift's concurrency under a device's virtual clock.
public enum VirtualTime {
  /// Whether this platform and compiler support virtual time: Swift 6.3 on 64-bit Linux. Elsewhere
  /// async code in `withDevice` and `.device` runs in real time; use `Device.clock` there.
  public static var isAvailable: Bool { Capture.isAvailable }

  /// Whether Foundation's dates and Dispatch's times follow a device's clock. False if Foundation
  /// is linked statically (`-static-stdlib`) or under Thread Sanitizer; then `Date()` has its usual
  /// value in a test with a device.
  public static var followsDates: Bool { Capture.areDatesFollowed }

  /// Whether Dispatch's blocks and the waits of threads follow a device's clock. False for the same
  /// reasons; then blocks run in real time.
  public static var followsDispatch: Bool { followsDates && seesEscapes }

  /// Whether work outside virtual time (a thread, a `URLSession` task, a Dispatch source, a timer
  /// of a run loop) is detected. False if Dispatch is linked statically (`-static-stdlib`) or under
  /// Thread Sanitizer; then no test reports such work.
  public static var seesEscapes: Bool { Capture.seesEscapes }
}
