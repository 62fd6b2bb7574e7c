/// Whether the device is locked, and whether anybody is at it.
///
/// Invariant: nobody is at a locked device; whom it has sent away it remembers only while it is locked.
struct DeviceLock: ~Copyable {
  /// An app that `lock` sent away, and the process that it was.
  struct SentAway: BitwiseCopyable {
    let app: AppID
    let process: UInt32
  }

  private(set) var isLocked = false
  private(set) var hasBeenUnlocked = true
  /// Processing waits for nobody to be there.
  private(set) var isUserPresent = false
  /// In file order.
  private var sentAway = Line<SentAway>()

  init() {}

  private init(copying other: borrowing DeviceLock) {
    (isLocked, hasBeenUnlocked, isUserPresent) = (other.isLocked, other.hasBeenUnlocked, other.isUserPresent)
    sentAway = other.sentAway.copy()
  }

  func copy() -> DeviceLock { DeviceLock(copying: self) }

  mutating func lock() { isLocked = true }

  mutating func sendAway(_ app: AppID, process: UInt32) { sentAway.append(SentAway(app: app, process: process)) }

  /// - Returns: whether it is the first time since the device booted.
  mutating func unlock() -> Bool {
    defer { (isLocked, hasBeenUnlocked) = (false, true) }
    return !hasBeenUnlocked
  }

  /// Whom `lock` sent away, one after the other.
  mutating func popSentAway() -> SentAway? { sentAway.popFirst() }

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
