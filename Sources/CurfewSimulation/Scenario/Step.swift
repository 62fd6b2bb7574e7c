public import CurfewEngine
public import CurfewText
public import CurfewTrace

/// Something that happens: to the device, to an app, or by an app's own doing.
public struct Step: Hashable, Sendable {
  /// Where it is written.
  public let place: SourcePlace
  /// The app that it names.
  public let app: AppID?
  /// What happens.
  public let deed: Deed
  /// For a task that is begun: when the app ends it by itself, if it does.
  public let length: Interval?
  /// For a task that is begun: what its expiration handler does after `on: expirationHandler`, each an app's own call.
  public let handler: [Step]

  /// A step written at `place`.
  public init(place: SourcePlace, app: AppID?, _ deed: Deed, length: Interval? = nil, handler: [Step] = []) {
    self.place = place
    self.app = app
    self.deed = deed
    self.length = length
    self.handler = handler
  }
}
