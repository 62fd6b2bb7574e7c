import CurfewEngine
import CurfewSimulation

/// Which figures there are, and what they are counted in.
enum FigureCatalog {
  /// Figures that every run has, with their units, in the order of the table.
  private static let rows = Figures(names: ["app"], works: [["work"]]).rows(under: PolicyNames(), weights: EnergyWeights())
  private static let always = units(of: rows)
  /// Figures of a kind, which a table has only of kinds that came.
  private static let ofKinds = ["allowed", "denied", "requested", "begun", "completed", "failed", "warned", "overran"]
  private static let percentiles = ["n", "mean", "p10", "p50", "p90", "p99", "max"]

  /// Figures of things: of a kind, or of a reason.
  private static let ofThings =
    ofKinds.map { ($0, "count") } + [("ends", "count")] + percentiles.map { ("length.\($0)", $0 == "n" ? "count" : "s") }

  /// Every name, but for `denied.` and reasons behind it.
  static let names = always.map(\.figure) + ofThings.map(\.0)

  private static let unitsByName = Dictionary(always.map { ($0.figure, $0.unit) } + ofThings, uniquingKeysWith: { first, _ in first })

  /// Figures of which there is one for an app as a whole, and those of which there is one for a thing.
  private static let ofApps = Set(rows.filter { $0.about.isEmpty }.map(\.figure))
  private static let withThings = Set(rows.filter { !$0.about.isEmpty }.map(\.figure) + ofThings.map(\.0))
  private static let ofSorts = Set(rows.filter { !$0.app.isEmpty }.map(\.figure) + ofThings.map(\.0))

  /// Whether it is always one of a thing: of a kind, a state or a reason.
  static func needsThing(_ figure: String) -> Bool { !ofApps.contains(figure) }
  /// Whether it may be one of a thing.
  static func hasThings(_ figure: String) -> Bool { withThings.contains(figure) || figure.hasPrefix("denied.") }
  /// Whether there is one for each sort of app; else it is the device's.
  static func hasApps(_ figure: String) -> Bool { ofSorts.contains(figure) || figure.hasPrefix("denied.") }

  /// Whether there is such a figure: also denials for certain reasons.
  static func isKnown(_ figure: String) -> Bool {
    unitsByName[figure] != nil || figure.hasPrefix("denied.") && figure.count > "denied.".count
  }

  /// Whether a table leaves the figure out where it is nothing.
  static func isZeroWhereAbsent(_ figure: String) -> Bool { unit(of: figure) == "count" }

  /// `count`, `s`, `ratio`, `perHour` or `weighted`.
  static func unit(of figure: String) -> String { unitsByName[figure] ?? "count" }

  /// Whether the figure is one of a distribution, such as `delay.p90`.
  static func isOfDistribution(_ figure: String) -> Bool { percentiles.contains { figure.hasSuffix(".\($0)") } }

  private static func units(of rows: [FigureRow]) -> [(figure: String, unit: String)] {
    var seen: Set<String> = []
    return rows.filter { seen.insert($0.figure).inserted }.map { ($0.figure, $0.unit) }
  }
}
