import CurfewSimulation

/// A figure of every run, by which variants are compared.
package struct Measure: Hashable, Sendable {
  /// The name in results.
  package var name: String
  /// The figure, as `figures/2` names it: `workLost`, `delay.p90`.
  package var figure: String
  /// The sort of app; empty for all together.
  package var app = ""
  /// The kind, state, piece of work or reason that is counted; empty for the app as a whole.
  package var about = ""
  /// The divisor of counts and seconds.
  package var per = Per.deviceDay
  /// The smallest difference that matters; nil if every difference matters.
  package var margin: Margin?

  /// A measure of all apps together.
  package init(name: String, figure: String) { (self.name, self.figure) = (name, figure) }

  /// The divisor of counts and seconds. Ratios, rates and statistics of distributions are
  /// not divided.
  package enum Per: String, Hashable, Sendable, CaseIterable {
    /// The simulated days of all devices together.
    case deviceDay
    /// No division.
    case fleet
  }

  /// The smallest difference that matters.
  package enum Margin: Hashable, Sendable {
    /// A share of the baseline's mean, 0.05 for 5 %.
    case share(Double)
    /// A number in the measure's own unit.
    case absolute(Double)
    /// A number of seconds; the measure is also in seconds.
    case time(Double)

    /// The margin in the measure's unit for a baseline with the mean `baseline`.
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

  /// The kind of evidence that equal values of the measure provide, in runs of `devices` devices
  /// for `days` days.
  func evidence(devices: Int, days: Double) -> Evidence {
    let deviceDays = Double(devices) * days
    guard FigureCatalog.countsEvents(figure) else {
      // A percentile is the bound of a bucket that is about 3 % wide: equal bounds may stand for
      // different times.
      return FigureCatalog.unit(of: figure) == "s" && !figure.contains(".p") ? .amount : .other
    }
    let perUnit: Double
    if FigureCatalog.unit(of: figure) == "perHour" {
      perUnit = deviceDays * 24
      // A rate has six decimals, too few to recover the counts of larger runs.
      guard perUnit < 1_000_000 else { return .other }
    } else if FigureCatalog.isPerDevice(figure) {
      perUnit = Double(devices)
    } else {
      perUnit = isTotal && per == .deviceDay ? deviceDays : 1
    }
    return .events(EventScale(eventsPerUnit: perUnit, deviceDays: deviceDays))
  }

  /// The unit of its numbers: `s per device and day`.
  package var unit: String {
    let unit = FigureCatalog.unit(of: figure)
    let name = unit == "perHour" ? "per hour" : unit
    return isTotal && per == .deviceDay
      ? (unit == "count" ? "per device and day" : "\(name) per device and day") : name
  }
}
