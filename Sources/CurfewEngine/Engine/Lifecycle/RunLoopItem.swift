/// Something that waits for an app's run loop.
struct RunLoopItem: Linked {
  enum Work: BitwiseCopyable {
    case lifecycle(LifecycleStep)
    /// An expiration handler; what tells whether it is still the same task's, and still to
    /// be called.
    case expiration(Place<Assertion>, TaskID, visit: UInt32)
    /// The same, the last of those that were due with a visit's warning.
    case lastExpiration(Place<Assertion>, TaskID, visit: UInt32)
    /// A wake's event.
    case wake(Place<Assertion>)
    /// A wake's expiration handler; its number tells whether it is still the same wake.
    case wakeExpiration(Place<Assertion>, WakeID)
    /// A session's expiration handler; called if it is still due.
    case sessionExpiration(Place<Assertion>, AssertionKind)
    /// An event that found the app in the foreground.
    case event(AssertionKind)
    case memoryWarning
    case post(name: UInt32, value: UInt32?)
    case localNotification(id: UInt32)
  }

  var next = Place<RunLoopItem>.nowhere
  var work: Work
}
