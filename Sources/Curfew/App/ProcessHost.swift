/// The host of the real process behind an app: it stops the process, lets it go on and ends it when
/// the policy says so.
///
/// An app is registered with its host:
/// `device.register("mail", delegate: governor, process: governor)`. The article
/// <doc:Govern-processes> shows a whole host.
///
/// **Order.** The calls stand between the app's callbacks, handlers and notifications, in the order
/// of the decisions, and one at a time. `resume` returns before anything else is delivered to
/// the app. `suspend` is called after everything before it has returned. So no callback runs
/// while the process is stopped. A suspension that the app has left again before its turn is not
/// called, nor is its `resume`; so the two alternate, and the first is `suspend`.
///
/// `end` comes last, once for each process. Nothing of the app's next process is called before
/// `end` has returned. A callback that is running when the process ends returns first, with one
/// exception: if the policy ends the process (a watchdog, a grant, memory), the process lives
/// until it is killed, and the callback may be waiting for it. In real time, `end` is then called
/// meanwhile, on another thread, so it may overlap with this one callback.
///
/// **Threads.** In real time the device's executor makes the calls, as it does those of callbacks:
/// with a ``MainActorExecutor`` they come on the main actor. A call may block, for instance while
/// the processes of a busy tree are woken: it holds up its own app, and takes one of the executor's
/// threads. On a virtual clock the calls come on the thread that advances the clock or whose call
/// caused them. A host must not advance a virtual clock: that time would count for the app.
///
/// **No callbacks.** The calls are in no trace, change no decision, and no limit of a callback
/// counts them: a callback that waits for `resume` has not begun. Grants and wakes go on meanwhile.
/// A host that fails may call `app.crash(.hostFailure)`.
///
/// After ``Device/close()`` nothing is called, not even `end`: the program that closes a device
/// decides about the processes that still run, and lets suspended ones go on.
/// - Complexity: O(1) for each call, without an allocation; one allocation for each process.
public protocol ProcessHost: AnyObject, Sendable {
  /// The app has been suspended: stop its process. The call need not wait until it has stopped.
  func suspend(_ app: App)
  /// The app is about to run again: let its process go on.
  func resume(_ app: App)
  /// The app's process has ended on the device, suspended or not: kill and remove what is left of
  /// it. If the process ended by itself, `end` has the reason that `App.crash` was called with.
  func end(_ app: App, _ end: ProcessEnd)
}
