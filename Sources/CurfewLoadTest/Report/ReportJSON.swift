import CurfewEngine
import CurfewText
import CurfewUV

extension LoadTestReport {
  /// The report for a program: one JSON object on one line, `loadtest/2`, times in nanoseconds. Keys are always in this order.
  public func json(thresholds: [Threshold] = []) -> String {
    var object = JSONLine()
    object.add("curfew", "loadtest/2")
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
    object.add("steps", json: steps.json.closed)
    object.add("warnings", json: warnings.closed)
    object.add("grantEnds", json: grantEndCounts.closed)
    object.add("calls", json: calls.closed)
    object.add("work", json: costs.closed)
    object.add("segments", json: JSONLine.array(segments.map(\.json)))
    if let alternativeEarly { object.add("alternativeEarly", json: alternativeEarly.json.closed) }
    object.add("medians", json: medians.closed)
    object.add("ratios", json: ratios.closed)
    if !floorObjections.isEmpty { object.add("floorObjections", json: objectionsJSON.closed) }
    if let othersLoad { object.add("othersLoad", json: number(othersLoad.median)) }
    if let comparison { object.add("comparison", json: comparison.json.closed) }
    object.add("thresholds", json: JSONLine.array(thresholds.map { $0.json(in: self) }))
    object.add("contradictions", contradictions)
    object.add("failures", failures)
    object.add("doubts", doubts)
    object.add("notes", notes)
    return object.closed
  }

  private var expirationCounts: JSONLine {
    var object = JSONLine()
    object.add("expected", expirations.expected)
    object.add("delivered", expirations.delivered)
    object.add("endedFirst", expirations.endedFirst)
    object.add("missed", expirations.missed)
    object.add("pending", expirations.pending)
    object.add("lost", expirations.lost)
    object.add("unexpected", expirations.unexpected)
    object.add("twice", expirations.twice)
    object.add("decided", expirations.decided)
    object.add("leftOut", expirations.leftOut)
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
    if let processorPerExpiration { object.add("perExpiration", json: number(processorPerExpiration)) }
    if let floorProcessorPerDeadline { object.add("floorPerDeadline", json: number(floorProcessorPerDeadline)) }
    return object
  }

  /// Spreads over all segments, as each segment has them.
  private var medians: JSONLine {
    var object = JSONLine()
    for (key, path) in Segment.spreads {
      let figures = Percentile.allCases.map { ($0.rawValue, median(path, $0)) }
      if figures.contains(where: { $0.1 != nil }) { object.add(key, json: figuresJSON(figures).closed) }
    }
    return object
  }

  private var floorObjections: [(Percentile, String)] { Percentile.allCases.compactMap { p in floorObjection(p).map { (p, $0) } } }

  private var objectionsJSON: JSONLine {
    var object = JSONLine()
    for (percentile, objection) in floorObjections { object.add(percentile.rawValue, objection) }
    return object
  }

  /// The metrics whose names begin with `ratio.`, without that.
  private var ratios: JSONLine {
    var object = JSONLine()
    var bounds: [String] = []
    for metric in Metric.all where metric.name.hasPrefix("ratio.") {
      guard let figure = metric.value(in: self) else { continue }
      let name = String(metric.name.dropFirst("ratio.".count))
      object.add(name, json: number(figure.value))
      if figure.isAtLeast { bounds.append(name) }
    }
    if !bounds.isEmpty { object.add("atLeast", bounds) }
    return object
  }
}

extension LoadTestReport.Segment {
  fileprivate static var spreads: [(String, KeyPath<Self, LoadTestReport.Spread?>)] {
    [
      ("decided", \.decided), ("delivered", \.delivered), ("floor", \.floor), ("floorBefore", \.floorBefore), ("floorAfter", \.floorAfter),
      ("alternative", \.alternative),
    ]
  }

  fileprivate var json: JSONLine {
    var object = JSONLine()
    for (key, path) in Self.spreads {
      if let spread = self[keyPath: path] {
        object.add(key, json: figuresJSON(LoadTestReport.Percentile.allCases.map { ($0.rawValue, spread.figure($0)) }).closed)
      }
    }
    if floorBefore != nil, floorAfter != nil {
      object.add("floorSteady", LoadTestReport.Percentile.allCases.filter { isFloorSteady($0) == true }.map(\.rawValue))
    }
    if let othersLoad { object.add("othersLoad", json: number(othersLoad)) }
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

extension OutcomeComparison {
  fileprivate var json: JSONLine {
    var object = JSONLine()
    object.add("compared", compared)
    object.add("different", json: numbers(different))
    object.add("leftOut", leftOut)
    object.add("late", late)
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
    if unbounded > 0 { object.add("unbounded", unbounded) }
    let figures = [("p50", p50), ("p90", p90), ("p99", p99), ("p99.9", p999), ("max", max)]
    for (name, figure) in figures { object.add(name, figure) }
    let bounds = figures.filter { isAtLeast($0.1) }.map(\.0)
    if !bounds.isEmpty { object.add("atLeast", bounds) }
    return object
  }
}

extension Threshold {
  fileprivate func json(in report: LoadTestReport) -> JSONLine {
    let crossing = crossing(in: report)
    var object = JSONLine()
    object.add("threshold", text)
    object.add("holds", crossing == nil)
    if let measured = Metric.named(metric)?.value(in: report) {
      object.add("measured", json: number(measured.value))
      if measured.isAtLeast { object.add("atLeast", true) }
    }
    return object
  }
}

/// A JSON number of up to three places.
private func number(_ value: Double) -> String {
  guard value.isFinite else { return "null" }
  return HumanNumber.decimal(value, places: 3)
}

/// Figures under their names, whole; with the names of those that may be more.
private func figuresJSON(_ figures: [(String, Figure?)]) -> JSONLine {
  var object = JSONLine()
  for (name, figure) in figures { object.add(name, figure.map { Int64($0.value) }) }
  let bounds = figures.filter { $0.1?.isAtLeast ?? false }.map(\.0)
  if !bounds.isEmpty { object.add("atLeast", bounds) }
  return object
}
