/// What a device has done since it was made.
public struct DeviceCounts: Hashable, Sendable {
  /// What has entered its engine: the user's doings and the world's, apps' calls, the returns of their handlers.
  public internal(set) var events = 0
  /// Expiration handlers that it has decided to call.
  public internal(set) var expirations = 0
  /// Handlers that were called.
  public internal(set) var handlersCalled = 0
  /// Handlers that were not called after all: the task was ended, or its process, before it was their turn.
  public internal(set) var handlersLeftOut = 0
  /// Processes that have ended.
  public internal(set) var processEnds = 0
}
