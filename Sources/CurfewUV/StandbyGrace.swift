/// The time after a loop's next deadline at which the deputy's timer is set when the leader comes
/// back from a handler, in nanoseconds. If it is long enough, the next handler finds the timer
/// set early enough, and returns before it fires.
///
/// The time is doubled whenever the timer has fired before a handler moved it, as on a slow
/// machine. Once the greatest one was too short, `length` is `Int64.max`, and the timer is
/// cancelled after each handler. After 256 timely handlers in a row the time is halved, so that
/// a short load has no lasting effect. A machine that stays slow then wakes the deputy in vain once
/// in 256 handlers.
package struct StandbyGrace {
  package static let shortest: Int64 = 250_000
  package static let longest: Int64 = 8_000_000
  /// The number of timely handlers after which the time is halved.
  package static let timelyHandlers = 256

  package private(set) var length = StandbyGrace.shortest
  /// The number of timely handlers since the time last changed, or since the timer fired in vain.
  private var timely = 0

  package init() {}

  /// The timer has fired before a handler moved it.
  package mutating func noteVainWake() {
    length = length < StandbyGrace.longest ? 2 * length : .max
    timely = 0
  }

  /// A handler has returned while its thread was still the leader.
  package mutating func noteTimelyHandler() {
    timely += 1
    guard timely == StandbyGrace.timelyHandlers else { return }
    timely = 0
    length =
      length == .max ? StandbyGrace.longest : max(StandbyGrace.shortest, length / 2)
  }
}
