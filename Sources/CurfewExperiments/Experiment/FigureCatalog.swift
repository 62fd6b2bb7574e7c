import CurfewSimulation

/// Which figures there are, what they are counted in, and what they are of.
enum FigureCatalog {
  private static let rows = FigureRow.catalog
  private static let units = Dictionary(
    rows.map { ($0.figure, $0.unit) }, uniquingKeysWith: { first, _ in first })
  private static let ofWhole = Set(rows.filter { $0.about.isEmpty }.map(\.figure))
  private static let ofThings = Set(rows.filter { !$0.about.isEmpty }.map(\.figure))
  private static let ofSorts = Set(rows.filter { !$0.app.isEmpty }.map(\.figure))

  /// Every name in the table's order, but for `denied.` and reasons behind it.
  static let names: [String] = {
    var seen: Set<String> = []
    return rows.map(\.figure).filter { seen.insert($0).inserted }
  }()

  /// Whether it counts denials for certain reasons, which are not known beforehand.
  static func isDenials(_ figure: String) -> Bool {
    figure.hasPrefix("denied.") && figure != "denied."
  }

  /// Whether there is such a figure.
  static func isKnown(_ figure: String) -> Bool { units[figure] != nil || isDenials(figure) }

  /// Whether it is always one of a thing: of a kind, a state or a reason.
  static func needsThing(_ figure: String) -> Bool { !ofWhole.contains(figure) }
  /// Whether it may be one of a thing.
  static func hasThings(_ figure: String) -> Bool { ofThings.contains(figure) || isDenials(figure) }
  /// What a figure may be of.
  enum Things { case kinds, states, reasons, works }

  private static let things: [String: [Things]] = Dictionary(
    grouping: rows.filter { !$0.about.isEmpty }, by: \.figure
  ).mapValues { rows in
    Set(rows.map(\.about)).map { about in
      switch about {
      case "kind": .kinds
      case "reason": .reasons
      case "work": .works
      default: .states
      }
    }
  }

  /// What it may be of: kinds, states, reasons of ends, pieces of work.
  static func things(of figure: String) -> [Things] {
    isDenials(figure) ? [.kinds] : things[figure] ?? []
  }

  /// Whether there is one for each sort of app; else it is the device's.
  static func hasApps(_ figure: String) -> Bool { ofSorts.contains(figure) || isDenials(figure) }

  /// Whether a table leaves the figure out where it is nothing.
  static func isZeroWhereAbsent(_ figure: String) -> Bool {
    unit(of: figure) == "count" && !FigureRow.hindsight.contains(figure)
  }

  /// `count`, `s`, `ratio`, `perHour` or `weighted`.
  static func unit(of figure: String) -> String { units[figure] ?? "count" }

  /// The figure of which this is one statistic: `delay` of `delay.p90`.
  static func stem(of figure: String) -> String {
    isOfDistribution(figure) ? String(figure.prefix { $0 != "." }) : figure
  }

  /// Whether the figure counts events: what happened in a run, each time it did. What a run is made
  /// of is counted too, and is no event.
  static func countsEvents(_ figure: String) -> Bool {
    switch unit(of: figure) {
    case "count":
      // A distribution over devices has as many values as devices; its mean counts events.
      isOfDistribution(figure)
        ? figure.hasSuffix(isPerDevice(figure) ? ".mean" : ".n")
        : !["devices", "apps", "openTasksMean"].contains(figure)
    case "perHour": true
    default: false
    }
  }

  /// Whether the figure is one of a distribution over devices, such as `wakesPerDevice.mean`.
  static func isPerDevice(_ figure: String) -> Bool {
    isOfDistribution(figure) && stem(of: figure).hasSuffix("PerDevice")
  }

  /// Whether the figure is of background tasks as a whole, and zero for an app that begins none.
  static func isOfTasks(_ figure: String) -> Bool {
    [
      "tasksBegun", "tasksDenied", "tasksEnded", "tasksExpired", "taskLength", "openTasksMean",
      "lostWorkPerDevice",
    ].contains(
      stem(of: figure))
  }

  /// Whether the figure counts work that was given up.
  static func isOfLostWork(_ figure: String) -> Bool {
    ["workLost", "lostWorkPerDevice"].contains(stem(of: figure))
  }

  /// Whether the figure is of wakes of every kind together.
  static func isOfWakes(_ figure: String) -> Bool {
    ["wakes", "wakesPerHour", "wakesPerDevice", "radioTime"].contains(stem(of: figure))
  }

  /// Whether the figure is one of a distribution, such as `delay.p90`.
  static func isOfDistribution(_ figure: String) -> Bool {
    figure.contains(".") && !isDenials(figure)
  }
}
