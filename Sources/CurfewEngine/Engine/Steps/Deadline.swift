/// The purpose of a deadline in the timer queue: 4 bits of kind, 28 bits of index.
enum Deadline: BitwiseCopyable {
  /// An app's task clock: its warning, then its end.
  case clock(AppID)
  /// An app's callback limit.
  case limit(AppID)
  /// An app's suspension.
  case suspension(AppID)
  /// An assertion's deadline: a run's warning or end, or the end of a linger or of a deferral.
  case assertion(Place<Assertion>)
  /// An opportunity to start a wake, or the start of a wake at an app's own interval.
  case schedule(Place<SystemSchedule>)
  /// An opportunity to start a request for app refresh or processing.
  case request(Place<PendingRequest>)
  /// A local notification is due.
  case notification(Place<LocalNotification>)
  /// An app has used up its share of the processor.
  case processor(AppID)
  /// An app's run loop has been busy without an assertion.
  case busyRunLoop(AppID)

  /// The limit on the number of apps, of assertions and of each other type of record.
  static let indexLimit: UInt32 = 1 << 28

  @inline(__always)
  init(payload: UInt32) {
    let index = payload & (Deadline.indexLimit - 1)
    switch payload >> 28 {
    case 0: self = .clock(AppID(rawValue: index))
    case 1: self = .limit(AppID(rawValue: index))
    case 2: self = .suspension(AppID(rawValue: index))
    case 3: self = .assertion(Place(index: index))
    case 4: self = .schedule(Place(index: index))
    case 5: self = .request(Place(index: index))
    case 6: self = .notification(Place(index: index))
    case 7: self = .processor(AppID(rawValue: index))
    case 8: self = .busyRunLoop(AppID(rawValue: index))
    case let kind: preconditionFailure("A deadline of kind \(kind)")
    }
  }

  @inline(__always)
  var payload: UInt32 {
    switch self {
    case .clock(let app): Deadline.pack(0, app.rawValue)
    case .limit(let app): Deadline.pack(1, app.rawValue)
    case .suspension(let app): Deadline.pack(2, app.rawValue)
    case .assertion(let place): Deadline.pack(3, place.index)
    case .schedule(let place): Deadline.pack(4, place.index)
    case .request(let place): Deadline.pack(5, place.index)
    case .notification(let place): Deadline.pack(6, place.index)
    case .processor(let app): Deadline.pack(7, app.rawValue)
    case .busyRunLoop(let app): Deadline.pack(8, app.rawValue)
    }
  }

  @inline(__always)
  private static func pack(_ kind: UInt32, _ index: UInt32) -> UInt32 {
    precondition(kind < 16 && index < indexLimit, "A deadline of kind \(kind) for number \(index)")
    return kind << 28 | index
  }
}
