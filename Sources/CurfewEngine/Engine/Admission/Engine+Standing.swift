/// How an app stands, as far as admissions look at it.
package struct AppStanding: Sendable {
  /// The state it is in.
  package var state: AppState
  /// Whether it holds one of the places in the foreground.
  package var isInFront: Bool
  /// Whether the user has quit it, and not opened it since.
  package var isForceQuit: Bool
  /// What its manifest declares, as far as the policy knows of it.
  package var modes: BackgroundModes
  /// `UIApplicationExitsOnSuspend`.
  package var exitsOnSuspend: Bool
  /// Its own Background App Refresh switch; on where the policy has none.
  package var backgroundRefresh: BackgroundRefreshStatus
  /// What has been said of the policy's facts of it.
  package var facts: FactValues
}

/// What questions look at, and what they change of a copy.
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
  /// Whether somebody is at it.
  package var isUserPresent: Bool { lock.isUserPresent }
  /// Whether it has been unlocked since its restart.
  package var hasBeenUnlocked: Bool { lock.hasBeenUnlocked }
}

extension Driver {
  /// The app's manifest declares this from now on, which no event says: of a copy, to know what
  /// another manifest would change.
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
