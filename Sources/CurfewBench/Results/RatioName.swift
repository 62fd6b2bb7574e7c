package import CurfewText

/// The name of a ratio as written in thresholds:
///
///     curfew.p50/timerfd.p50
///     fleet/1:curfew.cycle@1000000/curfew.cycle@10000
///     begin-end/1/named:curfew.pair/engine.pair
///
/// A side is a contestant, a figure, and possibly a size. A workload in front restricts both sides
/// to that workload, or to one shape of it. Without it, the name stands for a ratio in every
/// workload that has both figures. Without sizes, it stands for a ratio at every size.
package struct RatioName: Sendable, Hashable, CustomStringConvertible {
  /// A figure of a contestant.
  package struct Side: Sendable, Hashable, CustomStringConvertible {
    package var contestant: String
    package var figure: String
    package var size: Int?

    package init(_ contestant: String, _ figure: String, size: Int? = nil) {
      (self.contestant, self.figure, self.size) = (contestant, figure, size)
    }

    package var description: String {
      "\(contestant).\(figure)" + (size.map { "@\($0)" } ?? "")
    }
  }

  /// `fleet/1`, or `begin-end/1/named` with a shape.
  package var workload: String?
  package var numerator: Side
  package var denominator: Side

  package init(workload: String? = nil, _ numerator: Side, _ denominator: Side) {
    (self.workload, self.numerator, self.denominator) = (workload, numerator, denominator)
  }

  /// The canonical text.
  package var description: String {
    (workload.map { "\($0):" } ?? "") + "\(numerator)/\(denominator)"
  }

  /// Reads a name.
  package init(_ text: some StringProtocol) throws(Refusal) {
    var rest = Substring(text)
    if let colon = rest.firstIndex(of: ":") {
      let parts = rest[..<colon].split(separator: "/", omittingEmptySubsequences: false)
      guard (2...3).contains(parts.count), parts.allSatisfy({ !$0.isEmpty }), Int(parts[1]) != nil
      else {
        throw Refusal(
          "'\(rest[..<colon])' is not a workload; write one as in 'fleet/1:curfew.cycle/simpy.cycle'"
        )
      }
      workload = String(rest[..<colon])
      rest = rest[rest.index(after: colon)...]
    }
    let sides = rest.split(separator: "/", omittingEmptySubsequences: false)
    guard sides.count == 2 else {
      throw Refusal("'\(text)' is not a ratio; write one as in 'curfew.p50/timerfd.p50'")
    }
    numerator = try RatioName.side(sides[0])
    denominator = try RatioName.side(sides[1])
    if numerator.size == nil, denominator.size != nil {
      throw Refusal("'\(text)' has a size on its right side only; write it on the left side too")
    }
  }

  private static func side(_ text: Substring) throws(Refusal) -> Side {
    let refusal = Refusal(
      "'\(text)' is not a figure; write a contestant and its figure, as in 'curfew.p50'")
    guard let dot = text.lastIndex(of: "."), dot > text.startIndex else { throw refusal }
    let parts = text[text.index(after: dot)...].split(
      separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    guard let figure = parts.first, !figure.isEmpty else { throw refusal }
    var side = Side(String(text[..<dot]), String(figure))
    if parts.count == 2 {
      side.size = try WholeNumberText.read(String(parts[1]), in: 1...1_000_000_000)
    }
    return side
  }
}

/// A ratio's name that was found in a run: the places of its two workloads among those of the run.
package struct ResolvedRatio: Sendable, Hashable {
  package var numeratorWorkload: Int
  package var denominatorWorkload: Int
  package var name: RatioName
}

extension RatioName {
  /// Returns the ratios of a run that this name stands for. Throws if the run has no such workload,
  /// contestant, figure or size.
  package func resolved(in record: RunRecord) throws(Refusal) -> [ResolvedRatio] {
    let known = record.workloads.flatMap { [$0.name] + ($0.shape == nil ? [] : [$0.family]) }
    let places = record.workloads.indices.filter { place in
      let own = record.workloads[place]
      return workload == nil || workload == own.name || workload == own.family
    }
    guard !places.isEmpty else {
      let name = workload ?? ""
      throw Refusal(
        "'\(self)': no workload '\(name)' in this run"
          + NearestName.hint(for: name, among: known, "there are"))
    }
    try check(numerator, in: places.map { record.workloads[$0] })
    try check(denominator, in: places.map { record.workloads[$0] })
    let found = places.flatMap { left in
      places.filter { right in fits(left, right, record) }.map { right in
        ResolvedRatio(numeratorWorkload: left, denominatorWorkload: right, name: self)
      }
    }
    guard !found.isEmpty else {
      throw Refusal("'\(self)': no workload of this run has both figures at these sizes")
    }
    return found
  }

  private func fits(_ left: Int, _ right: Int, _ record: RunRecord) -> Bool {
    let (above, below) = (record.workloads[left], record.workloads[right])
    return above.family == below.family
      && (numerator.size ?? above.size) == above.size
      && (denominator.size ?? above.size) == below.size
      && above.has(numerator) && below.has(denominator)
  }

  private func check(_ side: Side, in workloads: [WorkloadRecord]) throws(Refusal) {
    let contestants = workloads.flatMap { $0.contestants.map(\.name) }
    guard contestants.contains(side.contestant) else {
      throw Refusal(
        "'\(self)': unknown contestant '\(side.contestant)'"
          + NearestName.hint(for: side.contestant, among: contestants.uniqued, "there are"))
    }
    let figures = workloads.flatMap { $0.figures.map(\.name) }
    guard figures.contains(side.figure) else {
      throw Refusal(
        "'\(self)': unknown figure '\(side.figure)'"
          + NearestName.hint(for: side.figure, among: figures.uniqued, "there are"))
    }
  }
}

extension WorkloadRecord {
  /// The name, with the shape if there is one: all sizes of a family have the same figures.
  package var family: String { name + (shape.map { "/\($0)" } ?? "") }

  /// Whether it has this contestant and this figure; sizes are not compared.
  func has(_ side: RatioName.Side) -> Bool {
    contestants.contains { $0.name == side.contestant }
      && figures.contains { $0.name == side.figure }
  }
}

extension Array<String> {
  /// The elements in their order, each once.
  var uniqued: [String] {
    var seen: Set<String> = []
    return filter { seen.insert($0).inserted }
  }
}
