public import Curfew

extension Device {
  @TaskLocal static var ofTest: Device?

  /// The device of the test that is running: that of the trait `.device`, or of `withDevice`.
  /// - Precondition: There is one.
  public static var current: Device {
    guard let device = ofTest else { preconditionFailure("No device here: the test wants the trait .device(…), or withDevice(…)") }
    return device
  }
}
