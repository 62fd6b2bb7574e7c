public import Curfew

extension Device {
  @TaskLocal static var ofTest: Device?

  /// The device of the test that is running: that of the trait `.device`, or of `withDevice`.
  ///
  /// It goes with the test's task and the tasks that those begin; a `Task.detached` inherits
  /// nothing, nor does a thread: hand the device over.
  /// - Precondition: There is one.
  public static var current: Device {
    guard let device = ofTest else {
      preconditionFailure(
        "No device here: the test wants the trait .device(…), or withDevice(…); and a Task.detached or a thread wants the device handed over"
      )
    }
    return device
  }
}
