/// An app, or the device, and one of the host's numbers: what dictionaries of single matters are
/// looked up by. They are never gone through.
struct AppKey: Hashable {
  /// nil for the device.
  let app: AppID?
  let number: UInt32
}
