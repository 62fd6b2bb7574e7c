/// The properties of an app that admissions depend on.
package struct AppStanding: Sendable {
  /// The state.
  package var state: AppState
  /// Whether it holds one of the places in the foreground.
  package var isInFront: Bool
  /// Whether the user has quit the app and not opened it since.
  package var isForceQuit: Bool
  /// The modes that its manifest declares, limited to those that the policy knows.
  package var modes: BackgroundModes
  /// `UIApplicationExitsOnSuspend`.
  package var exitsOnSuspend: Bool
  /// The app's own Background App Refresh switch; on if the policy has none.
  package var backgroundRefresh: BackgroundRefreshStatus
  /// The app's values of the facts that the policy declares for apps.
  package var facts: FactValues
}

/// Reads the values that a question is about. A question changes only a copy of the engine.
extension Engine {
  package func standing(of app: AppID) -> AppStanding {
    let (record, declaration) = (apps[known(app)], declaration(of: app))
    let flags = record.flags
    return AppStanding(
      state: record.state, isInFront: record.presence.isInFront,
      isForceQuit: flags.contains(.forceQuit), modes: declaration.modes,
      exitsOnSuspend: flags.contains(.exitsOnSuspend),
      backgroundRefresh: flags.contains(.refreshRestricted)
        ? .restricted : flags.contains(.refreshDenied) ? .denied : .available,
      facts: declaration.facts)
  }

  /// Whether the device is locked.
  package var isLocked: Bool { lock.isLocked }
  /// Whether somebody is at the device.
  package var isUserPresent: Bool { lock.isUserPresent }
  /// Whether the device has been unlocked since its restart.
  package var hasBeenUnlocked: Bool { lock.hasBeenUnlocked }
}

extension Driver {
  /// Changes the app's manifest, which no event does. A question calls this on a copy, to find out
  /// the effect of another manifest.
  package mutating func redeclare(_ app: AppID, modes: BackgroundModes, exitsOnSuspend: Bool) {
    var declaration = engine.declaration(of: engine.known(app))
    declaration.modes = modes
    engine.setDeclaration(declaration, of: app)
    if exitsOnSuspend {
      engine.apps[app].flags.insert(.exitsOnSuspend)
    } else {
      engine.apps[app].flags.remove(.exitsOnSuspend)
    }
  }
}
