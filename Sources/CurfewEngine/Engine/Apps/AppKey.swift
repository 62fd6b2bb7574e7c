/// A key of dictionaries: an app, or the device, and one of the host's numbers. These dictionaries
/// are never iterated.
struct AppKey: Hashable {
  /// The app; nil for the device.
  let app: AppID?
  let number: UInt32
}
