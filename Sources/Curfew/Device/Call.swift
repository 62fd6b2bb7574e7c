import CurfewEngine

/// The cause of the actions that the device is about to perform. The function that took the
/// device's lock passes it on.
struct Call {
  enum Cause {
    /// A call of the API, or the return of a handler.
    case event
    /// A deadline that a caller found to have passed.
    case deadline
    /// A deadline that the clock's own tick found to have passed.
    case tick
  }

  let cause: Cause
  /// The function of the API that a diagnostic names; nil if none was called.
  let name: StaticString?
  /// The app whose call ends its own process.
  let crashing: AppID?
  /// The number of warnings that this call may still hand over.
  var slice = Warnings.slice

  /// A call for steps that are due.
  init(_ cause: Cause) { (self.cause, name, crashing) = (cause, nil, nil) }

  /// A call with an event; nil if there is none.
  init(_ event: Event?, named name: StaticString? = nil) {
    (cause, self.name) = (.event, name)
    crashing = if case .crash(let app, _)? = event { app } else { nil }
  }
}
