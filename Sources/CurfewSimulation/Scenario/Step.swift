package import CurfewEngine
package import CurfewText
package import CurfewTrace

/// A step: something that happens to the device or to an app, or a call that an app makes.
package struct Step: Hashable, Sendable {
  /// The place of the step in the file.
  package let place: SourcePlace
  /// The app that the step names.
  package let app: AppID?
  /// The deed.
  package let deed: EngineInput
  /// For `beginTask`: the time after which the app ends the task, if it does.
  package let length: Interval?
  /// For `beginTask`: the app's own calls in the expiration handler, after those
  /// of `on: expirationHandler`.
  package let handler: [Step]

  /// A step written at `place`.
  package init(
    place: SourcePlace, app: AppID?, _ deed: EngineInput, length: Interval? = nil,
    handler: [Step] = []
  ) {
    self.place = place
    self.app = app
    self.deed = deed
    self.length = length
    self.handler = handler
  }
}
