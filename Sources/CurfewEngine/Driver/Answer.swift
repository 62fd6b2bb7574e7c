/// What an event's caller is answered at once, beside the actions that follow from it.
public enum Answer: Hashable, Sendable, BitwiseCopyable {
  /// There is nothing to answer; or the event made no sense where it stood.
  case nothing
  /// `beginTask`: the task that was begun, and is open.
  case begun(BackgroundTask)
  /// What admits or denies a task, a session, a wake or a schedule was looked at, and said this.
  /// `next` is when it would be allowed, where that is known.
  case decision(AssertionKind, denied: DenialReasons, next: Instant?)
  /// `submitTask`: what became of the request.
  case request(AssertionKind, RequestChange)
}
