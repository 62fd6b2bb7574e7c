/// An item that waits for an app's run loop.
struct RunLoopItem: Linked {
  enum Work: BitwiseCopyable {
    case lifecycle(LifecycleStep)
    /// A task's expiration handler. The values tell whether the task is still the same and its
    /// handler must still be called.
    case expiration(Place<Assertion>, TaskID, visit: UInt32)
    /// The expiration handler of a task, the last that was due with a visit's warning.
    case lastExpiration(Place<Assertion>, TaskID, visit: UInt32)
    /// A wake's event.
    case wake(Place<Assertion>)
    /// A wake's expiration handler. The number tells whether the wake is still the same.
    case wakeExpiration(Place<Assertion>, WakeID)
    /// A session's expiration handler; called if it is still due.
    case sessionExpiration(Place<Assertion>, AssertionKind)
    /// An event for an app in the foreground.
    case event(AssertionKind)
    case memoryWarning
    case post(name: UInt32, value: UInt32?)
    case localNotification(id: UInt32)
  }

  var next = Place<RunLoopItem>.nowhere
  var work: Work
}
