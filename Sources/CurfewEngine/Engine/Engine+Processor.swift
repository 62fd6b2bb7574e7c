/// What an app says that it uses of the processor, and what it has used in this visit to the background.
struct ProcessorUse: BitwiseCopyable {
  /// In percent of a core.
  var rate: UInt32 = 0
  var until: Int64 = 0
  /// From when the present rate counts; negative while nothing does.
  var since: Int64 = -1
  var timer = TimerQueue.ID.none
  var firstSpan = UInt32.max
  var lastSpan = UInt32.max
}

/// A time in which an app used the processor at one rate.
struct ProcessorSpan: BitwiseCopyable {
  var start: Int64
  var end: Int64
  var rate: UInt32
  var next = UInt32.max
}

/// An app in the background may use so much of the processor in a window, and no more (rule D4). Each visit counts anew.
extension Engine {
  mutating func useCPU(_ share: UInt32, for length: Interval, of app: UInt32, _ actions: inout ActionBuffer) {
    precondition(share <= CPURules.greatestShare && length >= .zero, "\(share) % for \(length.nanoseconds) ns")
    guard apps[app].isRunning else { return illegal(app, &actions) }
    let slot = makeExtras(app)
    apps[app].flags.insert(.usesCPU)
    closeSpan(slot)
    extras[slot].processor.rate = share
    extras[slot].processor.until = (now + length).nanoseconds
    if apps[app].state == .background { extras[slot].processor.since = now.nanoseconds }
    armProcessor(slot)
  }

  /// The app enters the background: what it uses counts from now.
  mutating func startProcessor(_ app: UInt32) {
    let slot = makeExtras(app)
    forgetSpans(slot, endingBy: .max)
    extras[slot].processor.since = now.nanoseconds
    armProcessor(slot)
  }

  /// It leaves it.
  mutating func stopProcessor(_ app: UInt32) {
    let slot = makeExtras(app)
    extras[slot].processor.since = -1
    forgetSpans(slot, endingBy: .max)
    timers.disarm(&extras[slot].processor.timer)
  }

  mutating func processorFired(_ app: UInt32, _ actions: inout ActionBuffer) {
    extras[makeExtras(app)].processor.timer = .none
    terminate(app, Termination(reason: .cpuResourceLimit), &actions)
  }

  /// After the device's power has changed.
  /// - Complexity: O(apps).
  mutating func armAllProcessors() {
    for app in 0..<UInt32(apps.used) where apps[app].flags.contains(.usesCPU) { armProcessor(makeExtras(app)) }
  }

  private mutating func armProcessor(_ slot: UInt32) {
    let use = extras[slot].processor
    guard let rules = policy.cpu, use.since >= 0, rules.holdsWhileCharging || !deviceFacts.isCharging,
      let end = exhaustion(use, rules)
    else { return timers.disarm(&extras[slot].processor.timer) }
    timers.arm(&extras[slot].processor.timer, at: end, .processor(extras[slot].app))
  }

  private mutating func closeSpan(_ slot: UInt32) {
    let use = extras[slot].processor
    let end = min(now.nanoseconds, use.until)
    extras[slot].processor.since = -1
    if let rules = policy.cpu { forgetSpans(slot, endingBy: (now - rules.window).nanoseconds) }
    guard use.since >= 0, end > use.since, use.rate > 0 else { return }
    let last = extras[slot].processor.lastSpan
    if last != .max, processorSpans[last].end == use.since, processorSpans[last].rate == use.rate {
      processorSpans[last].end = end
      return
    }
    let new = processorSpans.insert(ProcessorSpan(start: use.since, end: end, rate: use.rate))
    if last == .max { extras[slot].processor.firstSpan = new } else { processorSpans[last].next = new }
    extras[slot].processor.lastSpan = new
  }

  private mutating func forgetSpans(_ slot: UInt32, endingBy end: Int64) {
    var first = extras[slot].processor.firstSpan
    while first != .max, processorSpans[first].end <= end {
      let next = processorSpans[first].next
      processorSpans.free(first)
      first = next
    }
    extras[slot].processor.firstSpan = first
    if first == .max { extras[slot].processor.lastSpan = .max }
  }

  /// The instant after which the window would hold more than its share, if the app goes on as it says; nil if it never does.
  ///
  /// What the window holds changes by the present rate less the rate that leaves it at its beginning: a line with a bend wherever a span begins or ends to
  /// leave. Counted in percent of nanoseconds, which for a day at a hundred cores fits 64 bits.
  ///
  /// - Complexity: O(changes of rate within the window).
  private func exhaustion(_ use: ProcessorUse, _ rules: CPURules) -> Instant? {
    let window = rules.window.nanoseconds
    let limit = Int64(rules.share) * window
    var time = now.nanoseconds
    var used = Int64(use.rate) * max(0, min(time, use.until) - max(use.since, time - window))
    var leaving = use.firstSpan
    var span = leaving
    while span != .max {
      let record = processorSpans[span]
      used += Int64(record.rate) * max(0, record.end - max(record.start, time - window))
      span = record.next
      if record.end <= time - window { leaving = span }
    }
    // Used up while the device was charging.
    guard used <= limit else { return now }
    // From then on as much leaves as comes.
    let last = min(use.until, (Instant(nanoseconds: use.since) + rules.window).nanoseconds)
    while time < last {
      var (rate, end) = (use.rate, last)
      if leaving != .max {
        let record = processorSpans[leaving]
        let start = (Instant(nanoseconds: record.start) + rules.window).nanoseconds
        let stop = (Instant(nanoseconds: record.end) + rules.window).nanoseconds
        if time < start {
          (rate, end) = (0, min(last, start))
        } else {
          (rate, end) = (record.rate, min(last, stop))
          if end == stop { leaving = record.next }
        }
      } else {
        rate = 0
      }
      let slope = Int64(use.rate) - Int64(rate)
      let room = limit - used
      if slope > 0, room < slope * (end - time) { return Instant(nanoseconds: time + (room + slope - 1) / slope) }
      used += slope * (end - time)
      time = end
    }
    return nil
  }
}
