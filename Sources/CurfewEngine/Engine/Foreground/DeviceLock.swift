/// Whether the device is locked, and whether anybody is at it.
///
/// Invariant: nobody is at a locked device; whom it has sent away it remembers only while it
/// is locked.
struct DeviceLock {
  /// An app that `lock` sent away, and the process that it was.
  struct SentAway: BitwiseCopyable {
    let app: AppID
    let process: UInt32
  }

  private(set) var isLocked = false
  private(set) var hasBeenUnlocked = true
  /// Processing waits for nobody to be there.
  private(set) var isUserPresent = false
  /// In file order; while they are taken back to the front, the other way round.
  private var sentAway: ContiguousArray<SentAway> = []

  mutating func lock() { isLocked = true }

  mutating func sendAway(_ app: AppID, process: UInt32) {
    sentAway.append(SentAway(app: app, process: process))
  }

  /// - Returns: whether it is the first time since the device booted.
  mutating func unlock() -> Bool {
    sentAway.reverse()
    defer { (isLocked, hasBeenUnlocked) = (false, true) }
    return !hasBeenUnlocked
  }

  /// Whom `lock` sent away, in file order, one after the other; after `unlock`.
  mutating func popSentAway() -> SentAway? { sentAway.popLast() }

  mutating func reboot() {
    self = DeviceLock()
    (isLocked, hasBeenUnlocked) = (true, false)
  }

  /// - Returns: whether that is new.
  mutating func userArrives() -> Bool {
    defer { isUserPresent = true }
    return !isUserPresent
  }

  /// - Returns: whether that is new.
  mutating func userLeaves() -> Bool {
    defer { isUserPresent = false }
    return isUserPresent
  }

  func checkInvariants(inFront: Int) {
    precondition(inFront == 0 || isUserPresent, "somebody is in front and nobody there")
    precondition(!isLocked || !isUserPresent, "somebody is at a locked device")
    precondition(isLocked || sentAway.isEmpty, "the device remembers whom it sent away")
  }
}
