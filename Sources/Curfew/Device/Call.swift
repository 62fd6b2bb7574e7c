import CurfewEngine

/// The cause of what the device is about to act on, passed down from whatever took the
/// device's lock.
struct Call {
  enum Cause {
    /// A call of the API, or the return of a handler.
    case event
    /// A deadline that somebody's call found past.
    case deadline
    /// A deadline that the clock's own tick found past.
    case tick
  }

  let cause: Cause
  /// The function of the API that a diagnostic names; nil where none was called.
  let name: StaticString?
  /// On a virtual clock: the place that delivers a wake by this call.
  let deliverer: CallSite?
  /// The app that ends its own process by this call.
  let crashing: AppID?
  /// How many warnings this call may still hand over.
  var slice = Warnings.slice

  /// Steps that are due.
  init(_ cause: Cause) { (self.cause, name, deliverer, crashing) = (cause, nil, nil, nil) }

  /// An event that enters; nil if nothing does.
  init(_ event: Event?, named name: StaticString? = nil, from deliverer: CallSite? = nil) {
    (cause, self.name, self.deliverer) = (.event, name, deliverer)
    crashing = if case .crash(let app, _)? = event { app } else { nil }
  }
}
