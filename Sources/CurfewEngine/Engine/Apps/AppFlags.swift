/// The flags of an app.
struct AppFlags: OptionSet, BitwiseCopyable {
  let rawValue: UInt16

  init(rawValue: UInt16) { self.rawValue = rawValue }

  private init(bit: Int) {
    precondition(bit < UInt16.bitWidth, "Flag \(bit) of \(UInt16.bitWidth)")
    rawValue = 1 << UInt16(bit)
  }

  /// `UIApplicationExitsOnSuspend`.
  static let exitsOnSuspend = AppFlags(bit: 0)
  /// The user has force-quit the app and not opened it since (rule A7).
  static let forceQuit = AppFlags(bit: 1)
  /// The app holds one of the places in the foreground.
  static let inFront = AppFlags(bit: 2)
  /// The task clock runs.
  static let clockRuns = AppFlags(bit: 3)
  /// The task clock has run in this visit with no more than the warning's time left.
  static let warned = AppFlags(bit: 4)
  /// The callback whose limit is running has been reported as slow.
  static let isReportedSlow = AppFlags(bit: 5)
  /// The app is to be suspended at this instant, after the step.
  static let suspensionDue = AppFlags(bit: 6)
  /// The app is to be suspended at its timer's deadline.
  static let suspensionWaits = AppFlags(bit: 9)
  /// The two flags of a pending suspension.
  static let suspensionIsSet: AppFlags = [.suspensionDue, .suspensionWaits]
  /// The app's own Background App Refresh switch is off.
  static let refreshDenied = AppFlags(bit: 7)
  /// The app's switch is off and the user cannot turn it on.
  static let refreshRestricted = AppFlags(bit: 8)

  /// The app holds locked files.
  static let holdsLock = AppFlags(bit: 10)
  /// The app has reported its use of the processor.
  static let usesCPU = AppFlags(bit: 11)
  /// The app has requests that are due and wait for something.
  static let requestsWait = AppFlags(bit: 12)
  /// Posts that came while the app was suspended are kept for it.
  static let isOwedPosts = AppFlags(bit: 13)
  /// The app has reached the first line of the last delivery, if the host reports first lines.
  static let hasBegun = AppFlags(bit: 14)

  /// No handler was due when the visit's warning came, and the open tasks are still to be reported.
  static let isToldStillOpen = AppFlags(bit: 15)

  /// The flags that outlive a process.
  static let ofTheApp: AppFlags = [
    .exitsOnSuspend, .forceQuit, .refreshDenied, .refreshRestricted, .requestsWait,
  ]
}

extension AppFlags {
  /// The flags of a manifest and its user's switch, under a policy.
  init(_ manifest: Manifest, under policy: Policy) {
    self = AppFlags(manifest.backgroundRefresh, under: policy)
    if manifest.exitsOnSuspend { insert(.exitsOnSuspend) }
  }

  /// The flags of the app's own switch, if the policy has the switch.
  init(_ status: BackgroundRefreshStatus, under policy: Policy) {
    self =
      switch status {
      case .denied where policy.hasBackgroundRefresh: .refreshDenied
      case .restricted where policy.hasBackgroundRefresh: .refreshRestricted
      case .available, .denied, .restricted: []
      }
  }
}
