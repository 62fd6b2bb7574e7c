/// A value that replaces a value in a file: in a policy (`PolicyFile.set(_:_:)`) or in a workload.
public struct ValueSetting: Hashable, Sendable {
  /// The keys, outermost first, joined by full stops: `tasks.grant`, `device.memory`.
  public let path: String
  /// The text that a file would have after the key.
  public let text: String

  /// Creates a setting of the value at `path` to `text`.
  package init(path: String, text: String) { (self.path, self.text) = (path, text) }
}
