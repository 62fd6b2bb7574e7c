/// Whether the device is locked, and whether the user is present.
///
/// Invariant: the user is not present at a locked device; `sentAway` is empty unless the device
/// is locked.
struct DeviceLock {
  /// An app that `lock` sent to the background, and the process that it had.
  struct SentAway: BitwiseCopyable {
    let app: AppID
    let process: UInt32
  }

  private(set) var isLocked = false
  private(set) var hasBeenUnlocked = true
  /// Whether the user is present. Processing waits until the user is absent.
  private(set) var isUserPresent = false
  /// The apps that `lock` sent away, in file order; in reverse order while they return to
  /// the front.
  private var sentAway: ContiguousArray<SentAway> = []

  mutating func lock() { isLocked = true }

  mutating func sendAway(_ app: AppID, process: UInt32) {
    sentAway.append(SentAway(app: app, process: process))
  }

  /// - Returns: Whether this is the first unlock since the device booted.
  mutating func unlock() -> Bool {
    sentAway.reverse()
    defer { (isLocked, hasBeenUnlocked) = (false, true) }
    return !hasBeenUnlocked
  }

  /// Removes and returns the next app that `lock` sent away, in file order. To be called
  /// after `unlock`.
  mutating func popSentAway() -> SentAway? { sentAway.popLast() }

  mutating func reboot() {
    self = DeviceLock()
    (isLocked, hasBeenUnlocked) = (true, false)
  }

  /// - Returns: Whether this is a change.
  mutating func userArrives() -> Bool {
    defer { isUserPresent = true }
    return !isUserPresent
  }

  /// - Returns: Whether this is a change.
  mutating func userLeaves() -> Bool {
    defer { isUserPresent = false }
    return isUserPresent
  }

  func checkInvariants(inFront: Int) {
    precondition(inFront == 0 || isUserPresent, "an app is in front and the user is absent")
    precondition(!isLocked || !isUserPresent, "the user is present at a locked device")
    precondition(isLocked || sentAway.isEmpty, "an unlocked device keeps apps that it sent away")
  }
}
