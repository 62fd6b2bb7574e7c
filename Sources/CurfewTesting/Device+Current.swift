public import Curfew
internal import VirtualConcurrency

extension Device {
  @TaskLocal static var ofTest: Device?

  /// The device of the running test, from the trait `.device` or from `withDevice`.
  ///
  /// Set in all code that follows the device: in the test's task, in callbacks, in tasks of every
  /// kind and in Dispatch's blocks. It is not set on a thread that your code starts, so pass the
  /// device to the thread. If ``VirtualTime/followsDispatch`` is false, it is not set in Dispatch's
  /// blocks. If ``VirtualTime/isAvailable`` is false, it is set only in the test's task and in the
  /// tasks that inherit its values.
  /// - Precondition: The calling code belongs to a test with a device.
  public static var current: Device {
    guard let device = ofTest ?? (Capture.hostHere as? DeviceHost)?.device else {
      preconditionFailure(
        "No current device: use the trait .device(…) or withDevice(…), and pass the device to a thread"
      )
    }
    return device
  }
}
