/// An app's reported processor use, and its past use in the current visit to the background.
struct ProcessorUse: BitwiseCopyable, Equatable {
  /// The current rate, in percent of a core.
  fileprivate var rate: UInt32 = 0
  fileprivate var until = Instant.zero
  /// The instant from which the current rate counts; nil while no use counts.
  fileprivate var since: Instant?
  fileprivate var spans = Chain<ProcessorSpan>()
  var timer = TimerQueue.ID.none
}

/// A span of time in which an app used the processor at one rate.
struct ProcessorSpan: Linked {
  var next = Place<ProcessorSpan>.nowhere
  fileprivate let start: Instant
  fileprivate var end: Instant
  fileprivate let rate: UInt32
}

/// The processor use of apps in the background within the policy's window (rule D4). Each visit
/// begins at zero.
///
/// Invariant: an app's spans are in its chain in order of time and do not overlap. No span is empty
/// or has the rate 0, and the last one ends by the instant from which the current rate counts.
struct Processor: ~Copyable {
  private let rules: CPURules?
  private(set) var spans = Slab<ProcessorSpan>()

  init(_ rules: CPURules?) { self.rules = rules }

  private init(copying other: borrowing Processor) {
    rules = other.rules
    spans = other.spans.copy()
  }

  func copy() -> Processor { Processor(copying: self) }

  /// Sets the use that an app reports from now on. It counts if the app is in the background.
  mutating func set(
    _ use: inout ProcessorUse, to rate: UInt32, until end: Instant, counts: Bool, now: Instant
  ) {
    closeSpan(&use, now)
    (use.rate, use.until) = (rate, end)
    use.since = counts ? now : nil
  }

  /// Begins a visit to the background: the app's use counts from now.
  mutating func start(_ use: inout ProcessorUse, now: Instant) {
    spans.removeAll(of: &use.spans)
    use.since = now
  }

  /// Ends the visit.
  mutating func stop(_ use: inout ProcessorUse) {
    spans.removeAll(of: &use.spans)
    use.since = nil
  }

  private mutating func closeSpan(_ use: inout ProcessorUse, _ now: Instant) {
    if let rules { forget(&use, endingBy: now - rules.window) }
    let end = min(now, use.until)
    guard let since = use.since, end > since, use.rate > 0 else { return }
    let last = use.spans.last
    if last != .nowhere, spans[last].end == since, spans[last].rate == use.rate {
      spans[last].end = end
    } else {
      _ = spans.append(ProcessorSpan(start: since, end: end, rate: use.rate), to: &use.spans)
    }
  }

  private mutating func forget(_ use: inout ProcessorUse, endingBy end: Instant) {
    while !use.spans.isEmpty, spans[spans.first(of: use.spans)].end <= end {
      _ = spans.removeFirst(of: &use.spans)
    }
  }

  /// The instant after which the use in the window exceeds the policy's share, if the app keeps
  /// its reported rate; nil if the use never exceeds it.
  ///
  /// As the window moves, use at the current rate enters at its end, and older use leaves at its
  /// beginning; the use in the window grows by the difference of the two rates. It is piecewise
  /// linear, with a bend where a span starts or finishes leaving the window. The unit is percent ×
  /// nanoseconds; a day at a hundred cores fits into 64 bits.
  ///
  /// - Complexity: O(changes of rate within the window).
  func exhaustion(of use: ProcessorUse, now: Instant, charging: Bool) -> Instant? {
    guard let rules, let since = use.since, rules.holdsWhileCharging || !charging else {
      return nil
    }
    let window = rules.window
    let limit = Int64(rules.share) * window.nanoseconds
    var time = now
    var used =
      Int64(use.rate) * max(0, (min(now, use.until) - max(since, now - window)).nanoseconds)
    spans.forEach(in: use.spans) {
      used += Int64($0.rate) * max(0, ($0.end - max($0.start, now - window)).nanoseconds)
    }
    // The share was used up while the device was charging.
    guard used <= limit else { return now }
    // Use does not grow after this instant.
    let last = min(use.until, since + window)
    var leaving = spans.walk(use.spans)
    var span = leaving.next(in: spans)
    while time < last {
      guard let place = span else {
        return exhaustion(from: time, to: last, slope: Int64(use.rate), room: limit - used)
      }
      let (start, stop) = (spans[place].start + window, spans[place].end + window)
      guard stop > time else {
        span = leaving.next(in: spans)
        continue
      }
      let (rate, end) = time < start ? (0, min(last, start)) : (spans[place].rate, min(last, stop))
      let slope = Int64(use.rate) - Int64(rate)
      if let exhaustion = exhaustion(from: time, to: end, slope: slope, room: limit - used) {
        return exhaustion
      }
      used += slope * (end - time).nanoseconds
      time = end
    }
    return nil
  }

  /// The instant after which a line that rises by `slope` per nanosecond has risen by more than
  /// `room`; nil if that is not before `end`.
  private func exhaustion(from start: Instant, to end: Instant, slope: Int64, room: Int64)
    -> Instant?
  {
    guard slope > 0, room < slope * (end - start).nanoseconds else { return nil }
    return start + Interval(nanoseconds: (room + slope - 1) / slope)
  }

  func checkInvariants(_ apps: borrowing AppTable) {
    var count = 0
    for app in apps.ids {
      let use = apps[extras: app].processor
      var last = Instant.zero
      spans.forEach(in: use.spans) { span in
        precondition(
          span.start < span.end && last <= span.start && span.rate > 0,
          "app \(app.rawValue)'s spans are broken")
        last = span.end
        count += 1
      }
      precondition(
        last <= use.since ?? .zero, "app \(app.rawValue) has spans after its current rate began")
    }
    precondition(count == spans.count, "spans belong to no app")
  }
}
