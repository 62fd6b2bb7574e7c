public import CurfewEngine
public import CurfewPolicy

/// Questions to a device as it is now.
extension Device {
  /// Whether a kind would be admitted for an app now, each condition with its place, the smallest
  /// changes that would turn the answer, and from when it would be admitted if nobody did anything:
  ///
  ///     let answer = device.explain(.fetch, for: mail)
  ///     print(answer?.denials, answer?.changes, answer?.possibleFrom)
  ///
  /// A copy of the engine is asked, and each set of changes made on one of its own, so nothing of
  /// the device changes: no budget is used up, no line is written, no handler called. On the copies
  /// who is in the middle of a callback returns at once where something has to be changed first.
  /// Changes of the policy are never among them: a device has one for life.
  ///
  /// May be called from any thread, handlers included. The device's lock is held for the first
  /// copy alone.
  /// - Returns: nil where it cannot be asked for: a task or a session of an app that does not run,
  ///   a session that is on, an app that was removed, a closed device.
  /// - Precondition: The app is one of this device's, and the policy knows the kind.
  /// - Complexity: Some hundred copies of the engine, each O(apps + assertions + deadlines).
  public func explain(_ kind: KindName, for app: App) -> AdmissionAnswer? {
    precondition(app.core === core, "The app is not one of this device's")
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
