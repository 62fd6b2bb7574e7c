import CurfewEngine
import CurfewPolicy
import CurfewText
import CurfewTrace
import Foundation

/// The time of `--at`.
enum AskedTime {
  case run(Instant)
  /// A time of the wall clock, in nanoseconds since 1970.
  case wall(Instant)

  /// Reads `3h 45m` or `2026-11-24T03:00:00Z`.
  init(_ text: String) throws(Refusal) {
    guard let seconds = (try? Date(text, strategy: .iso8601))?.timeIntervalSince1970,
      let whole = Int64(exactly: seconds.rounded(.down)), whole >= 0
    else {
      self = .run(try InstantOption.read(text, "--at"))
      return
    }
    self = .wall(.zero + .seconds(whole))
  }
}

/// The wall clock of a run: each line `resumed` of its trace has both times.
struct WallTimes {
  private let starts: [(instant: Instant, wall: Instant)]

  /// The times of a trace; a scenario has none.
  init(_ trace: Trace? = nil) {
    starts = (trace?.lines ?? []).compactMap { line in
      guard case .resumed(let clocks, _) = line.body else { return nil }
      return (line.time, Instant(nanoseconds: clocks.wall))
    }
  }

  /// `6d 3h (2026-11-24T03:00:00Z)`; before the first line `resumed` only the time of the run.
  func text(_ instant: Instant) -> String {
    let time = HumanTime.text(instant)
    guard let start = starts.last(where: { $0.instant <= instant }) else { return time }
    return "\(time) (\(WallTime.utc((start.wall + (instant - start.instant)).nanoseconds)))"
  }

  /// The instant of a time of `--at`. A time between two runs at which the wall clock had been set
  /// counts as the beginning of the later run.
  func instant(_ time: AskedTime) throws(Refusal) -> Instant {
    let wall: Instant
    switch time {
    case .run(let instant): return instant
    case .wall(let time): wall = time
    }
    let text = "--at \(WallTime.utc(wall.nanoseconds))"
    guard let first = starts.first else {
      throw Refusal("\(text): the file has no line 'resumed', so its wall clock is not known")
    }
    guard let index = starts.lastIndex(where: { $0.wall <= wall }) else {
      throw Refusal("\(text): the run begins at \(WallTime.utc(first.wall.nanoseconds))")
    }
    let instant = starts[index].instant + (wall - starts[index].wall)
    let next = index + 1 < starts.count ? starts[index + 1].instant : instant
    return min(instant, next)
  }
}
