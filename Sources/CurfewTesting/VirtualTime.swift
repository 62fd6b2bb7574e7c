import VirtualConcurrency

/// Swift's concurrency under a device's virtual clock.
public enum VirtualTime {
  /// Whether this platform and this compiler can do it: Swift 6.3 on 64-bit Linux. Elsewhere
  /// `withDevice` and `.device` leave async code to real time; `Device.clock` is the way there.
  public static var isAvailable: Bool { Capture.isAvailable }

  /// Whether work that leaves virtual time is seen: a Dispatch block, a thread, a `URLSession`
  /// task. Not if Dispatch is linked statically (`-static-stdlib`), nor under Thread Sanitizer:
  /// there no test is told of it.
  public static var seesEscapes: Bool { Capture.seesEscapes }
}
