public import Curfew

extension Device {
  @TaskLocal static var ofTest: Device?

  /// The device of the running test: that of the trait `.device`, or of `withDevice`.
  ///
  /// It is inherited by the test's task and the tasks that it begins, but not by a `Task.detached`
  /// or a thread: pass them the device.
  /// - Precondition: The running test has a device.
  public static var current: Device {
    guard let device = ofTest else {
      preconditionFailure(
        "No device here: use the trait .device(…) or withDevice(…), and pass the device to a Task.detached or a thread"
      )
    }
    return device
  }
}
