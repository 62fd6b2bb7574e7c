/// What a deadline in the timer queue is for: four bits of kind, twenty-eight of index.
enum Deadline {
  /// An app's task clock: its warning, then its end.
  case clock(UInt32)
  /// An app's callback limit.
  case limit(UInt32)
  /// An app's suspension.
  case suspension(UInt32)
  /// An assertion's end: a wake's length, a session's linger.
  case assertion(UInt32)
  /// An opportunity for an app's fetch.
  case fetch(UInt32)
  /// An app's keep-alive.
  case keepAlive(UInt32)
  /// A request for refresh or processing may be started.
  case request(UInt32)
  /// A local notification.
  case notification(UInt32)
  /// An app has used up its share of the processor.
  case processor(UInt32)

  /// Apps, assertions and the rest are each counted in so many.
  static let indexLimit: UInt32 = 1 << 28

  @inline(__always)
  init(payload: UInt32) {
    let index = payload & 0x0fff_ffff
    switch payload >> 28 {
    case 0: self = .clock(index)
    case 1: self = .limit(index)
    case 2: self = .suspension(index)
    case 3: self = .assertion(index)
    case 4: self = .fetch(index)
    case 5: self = .keepAlive(index)
    case 6: self = .request(index)
    case 7: self = .notification(index)
    default: self = .processor(index)
    }
  }

  @inline(__always)
  var payload: UInt32 {
    switch self {
    case .clock(let index): index
    case .limit(let index): 1 << 28 | index
    case .suspension(let index): 2 << 28 | index
    case .assertion(let index): 3 << 28 | index
    case .fetch(let index): 4 << 28 | index
    case .keepAlive(let index): 5 << 28 | index
    case .request(let index): 6 << 28 | index
    case .notification(let index): 7 << 28 | index
    case .processor(let index): 8 << 28 | index
    }
  }
}
