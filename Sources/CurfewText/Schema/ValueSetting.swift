/// A value that stands in the place of a file's: of a policy's (`PolicyFile.set(_:_:)`) or of
/// a workload's.
public struct ValueSetting: Hashable, Sendable {
  /// Its keys from the outside in, with dots between them: `tasks.grant`, `device.memory`.
  public let path: String
  /// What a file would have after the key.
  public let text: String

  /// The value at `path`, set to what `text` says.
  public init(path: String, text: String) { (self.path, self.text) = (path, text) }
}
