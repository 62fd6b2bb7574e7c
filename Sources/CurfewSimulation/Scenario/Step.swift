package import CurfewEngine
package import CurfewText
package import CurfewTrace

/// Something that happens: to the device, to an app, or by an app's own doing.
package struct Step: Hashable, Sendable {
  /// Where it is written.
  package let place: SourcePlace
  /// The app that it names.
  package let app: AppID?
  /// What happens.
  package let deed: Deed
  /// For a task that is begun: when the app ends it by itself, if it does.
  package let length: Interval?
  /// For a task that is begun: what its expiration handler does after `on: expirationHandler`, each
  /// an app's own call.
  package let handler: [Step]

  /// A step written at `place`.
  package init(
    place: SourcePlace, app: AppID?, _ deed: Deed, length: Interval? = nil, handler: [Step] = []
  ) {
    self.place = place
    self.app = app
    self.deed = deed
    self.length = length
    self.handler = handler
  }
}
