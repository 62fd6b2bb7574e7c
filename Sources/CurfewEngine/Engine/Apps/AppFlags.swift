/// Yes-or-no matters of an app.
struct AppFlags: OptionSet, BitwiseCopyable {
  let rawValue: UInt16

  init(rawValue: UInt16) { self.rawValue = rawValue }

  private init(bit: Int) {
    precondition(bit < UInt16.bitWidth, "Flag \(bit) of \(UInt16.bitWidth)")
    rawValue = 1 << UInt16(bit)
  }

  /// `UIApplicationExitsOnSuspend`.
  static let exitsOnSuspend = AppFlags(bit: 0)
  /// Force-quit, and not opened by the user since (rule A7).
  static let forceQuit = AppFlags(bit: 1)
  /// Holds one of the places in the foreground.
  static let inFront = AppFlags(bit: 2)
  /// The task clock runs.
  static let clockRuns = AppFlags(bit: 3)
  /// The clock of this visit has run with no more than the warning left.
  static let warned = AppFlags(bit: 4)
  /// This launch has been called slow.
  static let launchWarned = AppFlags(bit: 5)
  /// Is to be suspended at this very instant, once the step is over.
  static let suspensionDue = AppFlags(bit: 6)
  /// Is to be suspended at the deadline that its timer stands for.
  static let suspensionWaits = AppFlags(bit: 9)
  /// One of the two.
  static let suspensionIsSet: AppFlags = [.suspensionDue, .suspensionWaits]
  /// The app's own Background App Refresh switch is off.
  static let refreshDenied = AppFlags(bit: 7)
  /// It is off and the user cannot turn it on.
  static let refreshRestricted = AppFlags(bit: 8)

  /// Has locked files.
  static let holdsLock = AppFlags(bit: 10)
  /// Has said what it uses of the processor.
  static let usesCPU = AppFlags(bit: 11)
  /// Has requests that are due and wait for something.
  static let requestsWait = AppFlags(bit: 12)
  /// Is owed what was posted while it was suspended.
  static let isOwedPosts = AppFlags(bit: 13)
  /// The first line of what was delivered has been reached, where the host tells.
  static let hasBegun = AppFlags(bit: 14)

  /// Has had a visit's warning with which no handler was due, and is to be told of what is open.
  static let isToldStillOpen = AppFlags(bit: 15)

  /// What outlives a process.
  static let ofTheApp: AppFlags = [
    .exitsOnSuspend, .forceQuit, .refreshDenied, .refreshRestricted, .requestsWait,
  ]
}

extension AppFlags {
  /// What a manifest and its user's switch say, as far as the policy knows of it.
  init(_ manifest: Manifest, under policy: Policy) {
    self = AppFlags(manifest.backgroundRefresh, under: policy)
    if manifest.exitsOnSuspend { insert(.exitsOnSuspend) }
  }

  /// What the app's own switch says, where the policy has one.
  init(_ status: BackgroundRefreshStatus, under policy: Policy) {
    self =
      switch status {
      case .denied where policy.hasBackgroundRefresh: .refreshDenied
      case .restricted where policy.hasBackgroundRefresh: .refreshRestricted
      case .available, .denied, .restricted: []
      }
  }
}
