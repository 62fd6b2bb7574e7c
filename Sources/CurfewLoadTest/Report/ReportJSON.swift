import CurfewEngine
import CurfewFiles
import CurfewUV

extension LoadTestReport {
  /// The report for a program: one JSON object on one line, `loadtest/1`, times in nanoseconds. Keys are always in this order.
  public func json(thresholds: [Threshold] = []) -> String {
    var object = JSONLine()
    object.add("curfew", "loadtest/1")
    object.add("policy", run.policy)
    object.add("policyDigest", run.policyDigest)
    object.add("seed", run.seed)
    object.add("apps", run.apps)
    object.add("visits", run.visitsPerSecond)
    object.add("scale", run.scale.description)
    object.add("leeway", run.leewayNanoseconds)
    object.add("length", run.lengthNanoseconds)
    object.add("interrupted", run.isInterrupted)
    object.add("cores", run.cores)
    object.add("expirations", json: expirationCounts.closed)
    object.add("early", early)
    object.add("warnings", json: warnings.closed)
    object.add("grantEnds", json: grantEndCounts.closed)
    object.add("calls", json: calls.closed)
    object.add("work", json: costs.closed)
    object.add("segments", json: array(segments.map(\.json)))
    if let alternativeEarly { object.add("alternativeEarly", json: alternativeEarly.json.closed) }
    object.add("medians", json: medians.closed)
    object.add("ratios", json: ratios.closed)
    if let comparison { object.add("comparison", json: comparison.json.closed) }
    object.add("thresholds", json: array(thresholds.map { $0.json(in: self) }))
    object.add("notes", notes)
    return object.closed
  }

  private var expirationCounts: JSONLine {
    var object = JSONLine()
    object.add("expected", expirations.expected)
    object.add("decided", expirations.decided)
    object.add("delivered", expirations.delivered)
    object.add("leftOut", expirations.leftOut)
    object.add("pending", expirations.pending)
    object.add("lost", expirations.lost)
    object.add("twice", expirations.twice)
    object.add("perSecond", json: number(expirationsPerSecond))
    return object
  }

  private var warnings: JSONLine {
    var object = JSONLine()
    object.add("decided", json: warningsDecided.json.closed)
    if let loopShare { object.add("byLoop", json: number(loopShare)) }
    object.add("decidedByLoop", json: warningsDecidedByLoop.json.closed)
    object.add("delivered", json: warningsDelivered.json.closed)
    return object
  }

  private var grantEndCounts: JSONLine {
    var object = JSONLine()
    object.add("expected", grantEnds.expected)
    object.add("ended", grantEnds.ended)
    object.add("decided", json: grantEndsDecided.json.closed)
    return object
  }

  private var calls: JSONLine {
    var object = JSONLine()
    object.add("begin", json: beginLatency.json.closed)
    object.add("end", json: endLatency.json.closed)
    return object
  }

  private var costs: JSONLine {
    var object = JSONLine()
    object.add("events", work.events)
    object.add("eventsPerSecond", json: number(eventsPerSecond))
    object.add("wakeUps", work.wakeUps)
    object.add("armings", work.armings)
    object.add("user", work.userNanoseconds)
    object.add("system", work.systemNanoseconds)
    object.add("peakMemory", work.peakMemory)
    return object
  }

  /// Spreads over all segments, as each segment has them.
  private var medians: JSONLine {
    var object = JSONLine()
    for (key, path) in Segment.spreads {
      let spread = Spread(p50: median(path, \.p50), p99: median(path, \.p99))
      if spread != Spread(p50: nil, p99: nil) { object.add(key, json: spread.json.closed) }
    }
    return object
  }

  /// The metrics whose names begin with `ratio.`, without that.
  private var ratios: JSONLine {
    var object = JSONLine()
    for metric in Metric.all where metric.name.hasPrefix("ratio.") {
      guard let value = metric.value(in: self) else { continue }
      object.add(String(metric.name.dropFirst("ratio.".count)), json: number(value))
    }
    return object
  }
}

extension LoadTestReport.Segment {
  fileprivate static var spreads: [(String, KeyPath<Self, LoadTestReport.Spread?>)] {
    [("decided", \.decided), ("delivered", \.delivered), ("floor", \.floor), ("alternative", \.alternative)]
  }

  fileprivate var json: JSONLine {
    var object = JSONLine()
    for (key, path) in Self.spreads {
      if let spread = self[keyPath: path] { object.add(key, json: spread.json.closed) }
    }
    return object
  }
}

extension LoadTestReport.EarlyTimers {
  fileprivate var json: JSONLine {
    var object = JSONLine()
    object.add("early", early)
    object.add("timers", timers)
    return object
  }
}

extension LoadTestReport.Spread {
  fileprivate var json: JSONLine {
    var object = JSONLine()
    object.add("p50", p50)
    object.add("p99", p99)
    return object
  }
}

extension OutcomeComparison {
  fileprivate var json: JSONLine {
    var object = JSONLine()
    object.add("compared", compared)
    object.add("different", json: numbers(different))
    object.add("leftOut", json: numbers(leftOut))
    object.add("late", json: numbers(late))
    return object
  }
}

private func numbers(_ apps: [AppID]) -> String { "[" + apps.map { String($0.rawValue) }.joined(separator: ",") + "]" }

extension LatenessHistogram {
  fileprivate var json: JSONLine {
    var object = JSONLine()
    object.add("count", count)
    object.add("early", early)
    if early > 0 { object.add("earliest", earliest) }
    object.add("p50", p50)
    object.add("p90", p90)
    object.add("p99", p99)
    object.add("p99.9", p999)
    object.add("max", max)
    return object
  }
}

extension Threshold {
  fileprivate func json(in report: LoadTestReport) -> JSONLine {
    let crossing = crossing(in: report)
    var object = JSONLine()
    object.add("threshold", text)
    object.add("holds", crossing == nil)
    if let measured = Metric.named(metric)?.value(in: report) { object.add("measured", json: number(measured)) }
    return object
  }
}

/// A JSON number of up to three places.
private func number(_ value: Double) -> String {
  guard value.isFinite else { return "null" }
  return WallText.trimmed(WallText.decimal(value, places: 3))
}

private func array(_ objects: [JSONLine]) -> String { "[" + objects.map(\.closed).joined(separator: ",") + "]" }
