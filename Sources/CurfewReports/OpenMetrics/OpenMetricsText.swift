package import CurfewSimulation

/// A run's figures in the text format of OpenMetrics 1.0, which Prometheus and compatible
/// tools read.
///
/// Each figure is a metric family of gauges such as `curfew_background_time_seconds`. The labels
/// `app` and `about` distinguish its samples, and each sample has the labels of the run too. Every
/// family is a gauge, because a finished run counts nothing more and the next run may have smaller
/// values. A figure without a value has no sample.
///
/// Source: https://github.com/prometheus/OpenMetrics/blob/v1.0.0/specification/OpenMetrics.md
package enum OpenMetricsText {
  /// The text, with its `# EOF` line.
  ///
  /// - Parameters:
  ///   - rows: The figures.
  ///   - run: The labels that every sample has, in this order: the workload and the policy.
  package static func text(_ rows: [FigureRow], of run: [(label: String, value: String)]) -> String
  {
    var families: [Family] = []
    var places: [String: Int] = [:]
    for row in rows where row.value != nil {
      let (name, labels) = split(row)
      let unit = unit(row.unit)
      let family = "curfew_" + snakeCase(name) + (unit.map { "_\($0)" } ?? "")
      let place = places[family] ?? families.count
      if place == families.count {
        places[family] = place
        families.append(Family(name: family, unit: unit, figure: name))
      }
      families[place].samples.append(sample(family, run + labels, row.text))
    }
    return (families.flatMap(\.lines) + ["# EOF"]).joined(separator: "\n")
  }

  /// A metric family. The format requires its samples to be contiguous, wherever their rows are.
  private struct Family {
    let name: String
    let unit: String?
    let figure: String
    var samples: [String] = []

    var lines: [String] {
      ["# TYPE \(name) gauge"] + (unit.map { ["# UNIT \(name) \($0)"] } ?? [])
        + ["# HELP \(name) Figure '\(escaped(figure))' of Documentation/formats/figures.md."]
        + samples
    }
  }

  /// Returns the family's figure and the labels. The statistic of a distribution and the reasons
  /// of a denial become labels.
  private static func split(_ row: FigureRow) -> (
    name: String, labels: [(label: String, value: String)]
  ) {
    let parts = row.figure.split(separator: ".", maxSplits: 1).map(String.init)
    let labels = [("app", row.app), ("about", row.about)].filter { !$0.1.isEmpty }.map {
      (label: $0.0, value: $0.1)
    }
    guard parts.count == 2 else { return (row.figure, labels) }
    if parts[0] == "denied" { return ("deniedFor", labels + [("reasons", parts[1])]) }
    // The number of values is not a value of the distribution, and has a different unit.
    return parts[1] == "n"
      ? (parts[0] + "Count", labels) : (parts[0], labels + [("statistic", parts[1])])
  }

  /// The base unit as the format names it; nil if the number is a count.
  private static func unit(_ unit: String) -> String? {
    switch unit {
    case "s": "seconds"
    case "ratio": "ratio"
    default: nil
    }
  }

  private static func sample(
    _ family: String, _ labels: [(label: String, value: String)], _ value: String
  ) -> String {
    let labels = labels.map { "\($0.label)=\"\(escaped($0.value))\"" }.joined(separator: ",")
    return "\(family)\(labels.isEmpty ? "" : "{\(labels)}") \(value)"
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }

  /// Converts `backgroundTimePerDevice` to `background_time_per_device`.
  private static func snakeCase(_ name: String) -> String {
    name.reduce(into: "") { text, letter in
      if letter.isUppercase, !text.isEmpty { text += "_" }
      text += letter.isLetter || letter.isNumber ? letter.lowercased() : "_"
    }
  }
}
