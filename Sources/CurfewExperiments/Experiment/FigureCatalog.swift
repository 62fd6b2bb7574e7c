import CurfewSimulation

/// The figures by name, with their units and the things that they count.
enum FigureCatalog {
  private static let rows = FigureRow.catalog
  private static let units = Dictionary(
    rows.map { ($0.figure, $0.unit) }, uniquingKeysWith: { first, _ in first })
  private static let ofWhole = Set(rows.filter { $0.about.isEmpty }.map(\.figure))
  private static let ofThings = Set(rows.filter { !$0.about.isEmpty }.map(\.figure))
  private static let ofSorts = Set(rows.filter { !$0.app.isEmpty }.map(\.figure))

  /// Every name, in the order of the table. Names of the form `denied.REASONS` are left out.
  static let names: [String] = {
    var seen: Set<String> = []
    return rows.map(\.figure).filter { seen.insert($0).inserted }
  }()

  /// Whether the figure counts denials for certain reasons, which depend on the policy.
  static func isDenials(_ figure: String) -> Bool {
    figure.hasPrefix("denied.") && figure != "denied."
  }

  /// Whether a figure of this name exists.
  static func isKnown(_ figure: String) -> Bool { units[figure] != nil || isDenials(figure) }

  /// Whether every row of the figure is about a kind, a state, a reason or a piece of work.
  static func needsThing(_ figure: String) -> Bool { !ofWhole.contains(figure) }
  /// Whether some row of the figure is about a kind, a state, a reason or a piece of work.
  static func hasThings(_ figure: String) -> Bool { ofThings.contains(figure) || isDenials(figure) }
  /// The sorts of things that a figure may be about.
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

  /// The sorts of things that the figure may be about: kinds, states, reasons of ends, pieces
  /// of work.
  static func things(of figure: String) -> [Things] {
    isDenials(figure) ? [.kinds] : things[figure] ?? []
  }

  /// Whether each sort of app has the figure; if not, it is a figure of the device.
  static func hasApps(_ figure: String) -> Bool { ofSorts.contains(figure) || isDenials(figure) }

  /// Whether a table leaves the figure out if it is zero.
  static func isZeroWhereAbsent(_ figure: String) -> Bool {
    unit(of: figure) == "count" && !FigureRow.hindsight.contains(figure)
  }

  /// `count`, `s`, `ratio`, `perHour` or `weighted`.
  static func unit(of figure: String) -> String { units[figure] ?? "count" }

  /// The distribution of which this figure is one statistic: `delay` of `delay.p90`.
  static func stem(of figure: String) -> String {
    isOfDistribution(figure) ? String(figure.prefix { $0 != "." }) : figure
  }

  /// Whether the figure counts events that happened in a run. Devices, apps and open tasks are
  /// counted too, but they are not events.
  static func countsEvents(_ figure: String) -> Bool {
    switch unit(of: figure) {
    case "count":
      // A distribution over devices has one value for each device, so only its mean counts events.
      isOfDistribution(figure)
        ? figure.hasSuffix(isPerDevice(figure) ? ".mean" : ".n")
        : !["devices", "apps", "openTasksMean"].contains(figure)
    case "perHour": true
    default: false
    }
  }

  /// Whether the figure is a statistic of a distribution over devices, such
  /// as `wakesPerDevice.mean`.
  static func isPerDevice(_ figure: String) -> Bool {
    isOfDistribution(figure) && stem(of: figure).hasSuffix("PerDevice")
  }

  /// Whether the figure is about all background tasks together: it is zero for an app that
  /// begins none.
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

  /// Whether the figure is about wakes of every kind together.
  static func isOfWakes(_ figure: String) -> Bool {
    ["wakes", "wakesPerHour", "wakesPerDevice", "radioTime"].contains(stem(of: figure))
  }

  /// Whether the figure is a statistic of a distribution, such as `delay.p90`.
  static func isOfDistribution(_ figure: String) -> Bool {
    figure.contains(".") && !isDenials(figure)
  }
}
