public import Curfew

extension Device {
  @TaskLocal static var ofTest: Device?

  /// The device of the running test, from the trait `.device` or from `withDevice`.
  ///
  /// Set in the test's task and in the tasks that it begins, but not in a `Task.detached` or a
  /// thread: pass the device to those.
  /// - Precondition: The running test has a device.
  public static var current: Device {
    guard let device = ofTest else {
      preconditionFailure(
        "No current device: use the trait .device(…) or withDevice(…), and pass the device to a Task.detached or a thread"
      )
    }
    return device
  }
}
