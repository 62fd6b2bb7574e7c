import CurfewSimulation

/// A number that every run gives, and that variants are compared by: one of the figures.
package struct Measure: Hashable, Sendable {
  /// What it is called in results.
  package var name: String
  /// The figure, as `figures/2` has it: `workLost`, `delay.p90`.
  package var figure: String
  /// The sort of app; empty for all together.
  package var app = ""
  /// What of it: a kind, a state, a piece of work, a reason; empty for the app as a whole.
  package var about = ""
  /// What counts and seconds are divided by.
  package var per = Per.deviceDay
  /// The smallest difference that matters; nil where each does.
  package var margin: Margin?

  /// A measure of all apps together.
  package init(name: String, figure: String) { (self.name, self.figure) = (name, figure) }

  /// What counts and seconds are divided by. Ratios, rates and what a distribution says stay as
  /// they are.
  package enum Per: String, Hashable, Sendable, CaseIterable {
    /// By the days that were simulated, of all devices together.
    case deviceDay
    /// By nothing.
    case fleet
  }

  /// The smallest difference that matters.
  package enum Margin: Hashable, Sendable {
    /// A share of the baseline's mean, 0.05 for 5 %.
    case share(Double)
    /// In the measure's own unit.
    case absolute(Double)
    /// In seconds, of a measure that is.
    case time(Double)

    /// In the measure's unit, beside a baseline of that mean.
    func width(besides baseline: Double) -> Double {
      switch self {
      case .share(let share): share * (baseline < 0 ? -baseline : baseline)
      case .absolute(let width), .time(let width): width
      }
    }
  }

  /// Whether its figure is a total that grows with devices and days.
  package var isTotal: Bool {
    let unit = FigureCatalog.unit(of: figure)
    return (unit == "count" || unit == "s") && !FigureCatalog.isOfDistribution(figure)
  }

  /// How much equal values of it prove, in runs of so many devices and days.
  func evidence(devices: Int, days: Double) -> Evidence {
    let deviceDays = Double(devices) * days
    guard FigureCatalog.countsEvents(figure) else {
      // A percentile is the bound of a bucket that is about 3 % wide: equal ones may stand for
      // different times.
      return FigureCatalog.unit(of: figure) == "s" && !figure.contains(".p") ? .amount : .other
    }
    let perUnit: Double
    if FigureCatalog.unit(of: figure) == "perHour" {
      perUnit = deviceDays * 24
      // A rate has six decimals, from which the counts of larger runs cannot be told.
      guard perUnit < 1_000_000 else { return .other }
    } else if FigureCatalog.isPerDevice(figure) {
      perUnit = Double(devices)
    } else {
      perUnit = isTotal && per == .deviceDay ? deviceDays : 1
    }
    return .events(EventScale(eventsPerUnit: perUnit, deviceDays: deviceDays))
  }

  /// What its numbers are: `count per device and day`.
  package var unit: String {
    let unit = FigureCatalog.unit(of: figure)
    let name = unit == "perHour" ? "per hour" : unit
    return isTotal && per == .deviceDay
      ? (unit == "count" ? "per device and day" : "\(name) per device and day") : name
  }
}
