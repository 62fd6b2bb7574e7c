/// What few apps need: one record for an app that has ever asked for any of it, outside the line that every app costs.
struct AppExtras: BitwiseCopyable {
  let app: UInt32

  // Memory (rules M1, M2).
  /// In bytes; negative for the policy's figure.
  var footprint: Int64 = -1
  /// Its own limit; negative for the policy's, if that has one.
  var memoryLimit: Int64 = -1

  // The system's own wakes (rule W3). They outlive the process.
  /// The app's minimum; negative for never.
  var fetchInterval: Int64 = -1
  /// From when the interval counts: the last fetch, or the call that set the first interval.
  var fetchReference: Int64 = 0
  var fetchTimer = TimerQueue.ID.none
  /// How many times its interval the next fetch is pushed out.
  var fetchBackoff: UInt32 = 1
  var hasFetched = false
  var keepAliveTimer = TimerQueue.ID.none
  var keepAliveInterval: Int64 = -1

  // Lists, each by its first or last record.
  var firstUse = UInt32.max
  var lastUse = UInt32.max
  var firstRequest = UInt32.max
  var firstNotification = UInt32.max
  var firstPost = UInt32.max
  var lastPost = UInt32.max
  var firstLocation = UInt32.max
  var lastLocation = UInt32.max
  var locationCount: UInt32 = 0
  var notificationCount: UInt32 = 0

  // Of the process.
  /// Locked files (rule D3).
  var locks: UInt32 = 0
  var processor = ProcessorUse()
}

extension Engine {
  /// An app's record of rare things, made where there is none yet.
  mutating func makeExtras(_ app: UInt32) -> UInt32 {
    let slot = extraOf[Int(app)]
    guard slot == .max else { return slot }
    let new = extras.insert(AppExtras(app: app))
    extraOf[Int(app)] = new
    return new
  }

  /// An app's record of rare things, if it has one.
  @inline(__always)
  func extra(_ app: UInt32) -> UInt32? {
    let slot = extraOf[Int(app)]
    return slot == .max ? nil : slot
  }
}
