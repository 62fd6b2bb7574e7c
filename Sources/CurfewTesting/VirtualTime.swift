import VirtualConcurrency

/// Swift's concurrency under a device's virtual clock.
public enum VirtualTime {
  /// Whether this platform and compiler support it: Swift 6.3 on 64-bit Linux. Elsewhere
  /// `withDevice` and `.device` leave async code to real time; use `Device.clock` there.
  public static var isAvailable: Bool { Capture.isAvailable }

  /// Whether work that leaves virtual time is detected: a Dispatch block, a thread, a `URLSession`
  /// task. False if Dispatch is linked statically (`-static-stdlib`) or under Thread Sanitizer: no
  /// test reports it then.
  public static var seesEscapes: Bool { Capture.seesEscapes }
}
