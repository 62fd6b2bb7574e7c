import CurfewEngine
import CurfewPolicy
import CurfewText

/// The notation of random quantities in files: `30s`,
/// or `{logNormal: {median: 12s, p90: 3m}, atMost: 1h}`.
struct DistributionForm: Sendable {
  /// The shape of the quantities: durations in nanoseconds, or sizes in bytes.
  let unit: Shape
  let read: @Sendable (String) -> Double?

  static let duration = DistributionForm(unit: .duration) {
    (try? DurationText.read($0)).map { Double($0.nanoseconds) }
  }
  static let size = DistributionForm(unit: .size) { (try? SizeText.read($0)).map(Double.init) }

  /// The shape of a distribution's shape parameter.
  static let number = Shape.decimal(0...1_000)

  var shape: Shape {
    .either([
      unit,
      .forms(
        Forms(
          what: "distribution",
          [
            form("exponential", unit, "The mean."),
            form(
              "uniform",
              .record(
                Record(
                  "The bounds.",
                  [
                    .required("least", unit, "The least value."),
                    .required("most", unit, "The greatest value."),
                  ])),
              "A uniform distribution between two bounds."),
            form(
              "logNormal",
              .record(
                Record(
                  "The parameters.",
                  [
                    .required("median", unit, "Half of the values are less."),
                    .optional("p90", unit, "90 % of the values are less; alternatively 'sigma'."),
                    .optional(
                      "sigma", DistributionForm.number,
                      "The standard deviation of the natural logarithm; alternatively 'p90'."),
                  ])), "A quantity whose logarithm is normal."),
            form(
              "weibull",
              .record(
                Record(
                  "The parameters.",
                  [
                    .required("scale", unit, "63.2 % of the values are less."),
                    .required(
                      "shape", DistributionForm.number,
                      "The shape: below 1, long values are frequent; 1 is exponential."),
                  ])),
              "A stretched exponential."),
            form(
              "pareto",
              .record(
                Record(
                  "The parameters.",
                  [
                    .required("least", unit, "No value is less."),
                    .required(
                      "shape", DistributionForm.number,
                      "The exponent of the tail; up to 1 there is no mean."),
                  ])), "The tail of a power law."),
            form(
              "empirical", .either([.list(unit), .text]),
              "Observed values, equally likely: a list, or the path of a file with one value per line, relative to this file."
            ),
          ])),
    ])
  }

  private func form(_ key: String, _ shape: Shape, _ about: String) -> Forms.Form {
    Forms.Form(
      key,
      .record(
        Record(
          about,
          [
            .required(key, shape, about), .optional("atLeast", unit, "Lower values become this."),
            .optional("atMost", unit, "Higher values become this."),
          ])))
  }

  // MARK: Reading

  /// The distribution that `node` describes; otherwise nil. If `node` has the right shape but its
  /// numbers contradict each other, an error is reported.
  func distribution(_ node: SourceNode, relativeTo file: String, _ findings: inout Findings)
    -> Distribution?
  {
    guard ShapeCheck.findings(in: node, shape).isSound else { return nil }
    if let text = node.text { return read(text).map { Distribution(.constant($0)) } }
    let least = node["atLeast"]?.text.flatMap(read) ?? 0
    let most = node["atMost"]?.text.flatMap(read) ?? .infinity
    guard let pair = node.pairs.first(where: { !["atLeast", "atMost"].contains($0.key) }),
      let family = family(pair.key, pair.value, relativeTo: file, &findings)
    else { return nil }
    if let flaw = flaw(in: family, pair.key)
      ?? (most < least ? "'atMost' must be at least 'atLeast'" : nil)
    {
      findings.error(at: node.place, flaw)
      return nil
    }
    return Distribution(family, atLeast: least, atMost: most)
  }

  /// The error in a family's numbers, in the file's words.
  private func flaw(in family: Distribution.Family, _ key: String) -> String? {
    guard Distribution.flaw(in: family) != nil else { return nil }
    return switch family {
    case .uniform: "'most' must be at least 'least'"
    case .weibull, .pareto: "the numbers of '\(key)' must be more than 0"
    case .constant, .exponential, .logNormal, .empirical: "'\(key)' must be more than 0"
    }
  }

  private func family(
    _ key: String, _ node: SourceNode, relativeTo file: String, _ findings: inout Findings
  ) -> Distribution.Family? {
    func value(_ name: String) -> Double { node[name]?.text.flatMap(read) ?? 0 }
    func number(_ name: String) -> Double { node[name].flatMap(\.decimal) ?? 0 }
    switch key {
    case "exponential": return node.text.flatMap(read).map { .exponential(mean: $0) }
    case "uniform": return .uniform(least: value("least"), most: value("most"))
    case "weibull": return .weibull(scale: value("scale"), shape: number("shape"))
    case "pareto": return .pareto(least: value("least"), shape: number("shape"))
    case "logNormal":
      switch (node["p90"], node["sigma"]) {
      case (nil, nil):
        findings.error(
          at: node.place, "a log-normal distribution needs 'p90' or 'sigma' besides its median")
      case (_?, _?):
        findings.error(at: node.place, "a log-normal distribution has 'p90' or 'sigma', not both")
      case (nil, _?): return .logNormal(median: value("median"), sigma: number("sigma"))
      case (let p90?, nil):
        guard value("median") > 0, value("p90") >= value("median") else {
          findings.error(
            at: p90.place, "'p90' must be at least 'median', and both must be more than 0")
          return nil
        }
        return Distribution.logNormal(median: value("median"), p90: value("p90")).family
      }
      return nil
    default: return observed(node, relativeTo: file, &findings).map { .empirical($0) }
    }
  }

  private func observed(_ node: SourceNode, relativeTo file: String, _ findings: inout Findings)
    -> Distribution.Observed?
  {
    var values = node.elements.compactMap { $0.text.flatMap(read) }
    if let name = node.text {
      do throws(FileErrors) {
        let source = try SourceFile.read(SourceFile.path(name, relativeTo: file))
        for (index, line) in source.text.split(
          omittingEmptySubsequences: false, whereSeparator: \.isNewline
        ).enumerated() {
          let text = line.trimmingSpaces
          if text.isEmpty || text.hasPrefix("#") { continue }
          guard let value = read(text) else {
            findings.add(
              FileErrors([
                FileDiagnostic(
                  at: SourcePlace(file: source.name, line: index + 1, column: 1),
                  "expected \(unit.expected), found '\(text.prefix(80))'")
              ]))
            return nil
          }
          values.append(value)
        }
      } catch {
        findings.error(
          at: node.place, error.diagnostics.first?.description ?? "'\(name)' cannot be read")
        return nil
      }
    }
    guard !values.isEmpty, values.count <= Distribution.Observed.limit else {
      findings.error(
        at: node.place,
        values.isEmpty
          ? "there is no value to draw from"
          : "\(values.count) values; the limit is \(Distribution.Observed.limit)")
      return nil
    }
    return Distribution.Observed(values)
  }
}

extension SourceNode {
  /// A number with decimals.
  var decimal: Double? {
    text.flatMap { try? DecimalText.millionths(in: $0, 0...1_000_000) }.map { Double($0) / 1e6 }
  }

  /// A percentage as a fraction of 1.
  var portion: Double? { text.flatMap { try? PercentageText.read($0) }.map { Double($0) / 100 } }
}

extension Substring {
  fileprivate var trimmingSpaces: String {
    String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}
