/// The answer that the caller of an event gets at once. The resulting actions are
/// emitted separately.
public enum EventAnswer: Hashable, Sendable, BitwiseCopyable {
  /// The event has no answer, or was illegal in the current state.
  case nothing
  /// The answer to `beginTask`: the task, which is open.
  case begun(BackgroundTask)
  /// The decision about a task, a session, a wake or a schedule. `next` is the instant at which it
  /// would be allowed, if that is known.
  case decision(AssertionKind, denied: DenialReasons, next: Instant?)
  /// The answer to `submitTask`: the outcome of the request.
  case request(AssertionKind, RequestChange)
}
