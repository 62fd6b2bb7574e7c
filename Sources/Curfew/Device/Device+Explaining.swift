public import CurfewEngine
public import CurfewPolicy

/// Questions to a device about its current state.
extension Device {
  /// Whether a kind would be admitted for an app now. The answer has each condition and its place,
  /// the smallest changes that would reverse the answer, and the instant from which the kind would
  /// be admitted if nothing else happened:
  ///
  ///     let answer = device.explain(.fetch, for: mail)
  ///     print(answer?.denials, answer?.changes, answer?.possibleFrom)
  ///
  /// A copy of the engine answers the question, and each set of changes is tried on a separate
  /// copy. So the device does not change: no budget is used up, no line is written, no handler
  /// is called. On a copy, an app that is in a callback returns at once if a change requires it.
  /// Changes to the policy are never proposed, because a device keeps its policy.
  ///
  /// May be called from any thread, and from handlers. The device's lock is held only while
  /// the first copy is made.
  /// - Returns: nil if the kind cannot be requested: a task or a session of an app that is not
  ///   running, a session that is already on, an app that was removed, or a closed device.
  /// - Precondition: The app belongs to this device, and the policy knows the kind.
  /// - Complexity: About 100 copies of the engine, each O(apps + assertions + deadlines).
  public func explain(_ kind: KindName, for app: App) -> AdmissionAnswer? {
    precondition(app.core === core, "The app belongs to another device")
    guard
      let engine = core.query({
        $0.isClosed ? nil : AskedEngine(kind, for: app.id, in: $0.driver, under: core.policy)
      })
    else {
      return nil
    }
    return core.policy.answer(to: engine.question, in: engine)
  }
}
