import CurfewEngine

/// A host whose apps return at once, without as much as a list of what came out: for tests that count what is allocated.
extension Engine {
  /// Tells of an event, and lets everything follow that does so at this instant.
  mutating func say(_ event: Event, _ buffer: inout ActionBuffer) {
    handle(event, at: now, into: &buffer)
    settle(&buffer)
  }

  /// Lets time pass, through every deadline on the way.
  mutating func pass(_ interval: Interval, _ buffer: inout ActionBuffer) {
    let end = now + interval
    while let deadline = nextDeadline, deadline <= end {
      _ = advance(to: deadline, into: &buffer)
      settle(&buffer)
    }
    _ = advance(to: end, into: &buffer)
  }

  private mutating func settle(_ buffer: inout ActionBuffer) {
    repeat {
      var index = 0
      while index < buffer.count {
        if let app = buffer[index].deliveredTo { handle(.returned(app), at: now, into: &buffer) }
        index += 1
      }
      buffer.removeAll()
    } while advance(to: now, into: &buffer)
  }
}
