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
    guard text.contains(/^[0-9]+-/) else {
      self = .run(try InstantOption.read(text, "--at"))
      return
    }
    guard let seconds = AskedTime.seconds(text), seconds >= 0 else {
      throw Refusal(
        "--at: '\(text)' is no date since 1970 with its time and zone, as 2026-11-24T03:00:00Z")
    }
    self = .wall(.zero + .seconds(seconds))
  }

  /// The seconds since 1970 of a date. Foundation's parser ignores what follows a date, and takes
  /// the 30th of February for a day of March.
  private static func seconds(_ text: String) -> Int64? {
    let form =
      /([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:Z|[+-][0-9]{2}:[0-9]{2})/
    guard let (_, year, month, day, hour, minute, second) = text.wholeMatch(of: form)?.output,
      DateComponents(
        calendar: Calendar(identifier: .gregorian), year: Int(year), month: Int(month),
        day: Int(day), hour: Int(hour), minute: Int(minute), second: Int(second)
      ).isValidDate,
      let date = try? Date(text, strategy: .iso8601)
    else { return nil }
    return Int64(date.timeIntervalSince1970)
  }
}

/// The wall clock of a run: each line `resumed` of its trace has both times.
struct WallTimes {
  /// The runs, each up to the next one or the end of the trace.
  private let runs: [(start: Instant, end: Instant, wall: Instant)]

  /// The times of a trace; a scenario has none.
  init(_ trace: Trace? = nil) {
    let lines = trace?.lines ?? []
    let starts = lines.compactMap { line -> (start: Instant, wall: Instant)? in
      guard case .resumed(let clocks, _) = line.body else { return nil }
      return (line.time, Instant(nanoseconds: clocks.wall))
    }
    let ends = starts.dropFirst().map(\.start) + lines.suffix(1).map(\.time)
    runs = zip(starts, ends).map { ($0.start, $1, $0.wall) }
  }

  /// `6d 3h (2026-11-24T03:00:00Z)`; before the first line `resumed` only the time of the run.
  func text(_ instant: Instant) -> String {
    let time = HumanTime.text(instant)
    guard let run = runs.last(where: { $0.start <= instant }) else { return time }
    return "\(time) (\(date(instant, run.start, run.wall)))"
  }

  private func date(_ instant: Instant, _ start: Instant, _ wall: Instant) -> String {
    WallTime.utc((wall + (instant - start)).nanoseconds)
  }

  /// The instant of a time of `--at`. If the wall clock was set forward, a date between two runs
  /// is the beginning of the later run. If it was set back, a date may be in two runs.
  func instant(_ time: AskedTime) throws(Refusal) -> Instant {
    let wall: Instant
    switch time {
    case .run(let instant): return instant
    case .wall(let time): wall = time
    }
    let text = "--at \(WallTime.utc(wall.nanoseconds))"
    guard let first = runs.first else {
      throw Refusal("\(text): the file has no line 'resumed', so its wall clock is not known")
    }
    guard let index = runs.lastIndex(where: { $0.wall <= wall }) else {
      throw Refusal("\(text): the run begins at \(WallTime.utc(first.wall.nanoseconds))")
    }
    var found: [Instant] = []
    for (start, end, began) in runs where began <= wall {
      let instant = start + (wall - began)
      // The end is printed with its part of a second rounded up.
      if instant <= end || date(end, start, began) == WallTime.utc(wall.nanoseconds) {
        found.append(min(instant, end))
      }
    }
    if let earliest = found.first, let latest = found.last {
      // The clocks of two boots may differ by a little.
      guard latest - earliest > .seconds(1) else { return latest }
      throw Refusal(
        "\(text): the wall clock was set back, so this date is at \(HumanTime.text(earliest)) and at \(HumanTime.text(latest)); give one of these"
      )
    }
    return index + 1 < runs.count
      ? runs[index + 1].start : runs[index].start + (wall - runs[index].wall)
  }
}
