package import CurfewEngine
package import CurfewPolicy
import CurfewText
package import CurfewTrace

/// One figure as a table row: `mail, background, time, s, 812.5`.
package struct FigureRow: Hashable, Sendable {
  /// The sort of app; empty for all apps together, and for figures of the device.
  package let app: String
  /// The subject: a kind, a piece of work, a state or a reason; empty for the app as a whole.
  package let about: String
  /// The name of the figure.
  package let figure: String
  /// `count`, `s`, `ratio`, `perHour` or `weighted`.
  package let unit: String
  /// The number, in that unit; nil if the figure has no value, such as the mean of zero values.
  package let value: FigureValue?
  /// The number as text, always in the same notation; empty if `value` is nil.
  package var text: String { value?.text ?? "" }
}

/// The value of a figure. Counts and times are exact.
package enum FigureValue: Hashable, Sendable {
  /// A count.
  case count(Int)
  /// A time, in seconds.
  case time(TotalTime)
  /// A mean, a share, a percentile or a weighted sum.
  case number(Double)

  /// The number as a `Double`; seconds for a time.
  package var number: Double {
    switch self {
    case .count(let count): Double(count)
    case .time(let time): time.seconds
    case .number(let number): number
    }
  }

  /// All digits of a count or a time; six decimals for other numbers.
  package var text: String {
    switch self {
    case .count(let count): String(count)
    case .time(let time): time.text
    case .number(let number): HumanNumber.decimal(number, places: 6)
    }
  }
}

/// A distribution. The rows contain a few of its percentiles.
package struct FigureDistribution: Hashable, Sendable {
  /// The sort of app; empty for all apps together, and for figures of the device.
  package let app: String
  /// The subject; empty for the app as a whole.
  package let about: String
  /// The name of the figure, without a percentile: `age`.
  package let figure: String
  /// The unit: `count`, or `s` for a tally of nanoseconds.
  package let unit: String
  /// The values.
  package let tally: Tally
}

extension Figures {
  /// All distributions with at least one value, in the order of the rows.
  package func distributions(under policy: PolicyFile) -> [FigureDistribution] {
    table(under: policy.policy.names, weights: EnergyWeights()).distributions
  }

  /// All figures, one per row: first those of all apps together, then those of each sort of app.
  ///
  /// - Parameter policy: The policy of the runs, which supplies the names of kinds.
  /// - Returns: The rows, including zeros, except for kinds, reasons and ends that never occurred.
  package func rows(under policy: PolicyFile, weights: EnergyWeights) -> [FigureRow] {
    rows(under: policy.policy.names, weights: weights)
  }

  package func rows(under names: PolicyNames, weights: EnergyWeights) -> [FigureRow] {
    table(under: names, weights: weights).rows
  }

  private func table(under names: PolicyNames, weights: EnergyWeights) -> FigureTable {
    var table = FigureTable(names: names)
    table.count("", "devices", self[.devices])
    table.seconds("", "simulated", self[.simulated])
    table.count("", "events", self[.events])
    table.count("", "illegalEvents", self[.illegalEvents])
    table.seconds("", "radioTime", self[.radioTime])
    table.add("", "energyProxy", "weighted", .number(energy(weights)))
    table.add("", "openTasksMean", "count", meanOpenTasks.map { .number($0) })
    for distribution in Distribution.allCases {
      let isTime = distribution == .backgroundTimePerDevice || distribution == .radioTimePerDevice
      table.distribution("", "\(distribution)", self[distribution], isTime ? "s" : "count")
    }
    if let hindsight {
      table.count("", "coldLaunchesBound", hindsight.bound)
      table.count("", "coldLaunchesForeseen", hindsight.foreseen)
    }
    table.add(total, works: [], hours: self[.simulated].seconds / 3_600)
    for (index, name) in self.names.enumerated() {
      table.app = name
      table.add(apps[index], works: works[index], hours: self[.simulated].seconds / 3_600)
    }
    return table
  }

  /// The number of open tasks on a device, averaged over time.
  package var meanOpenTasks: Double? {
    self[.simulated] == TotalTime() ? nil : self[.openTaskTime].seconds / self[.simulated].seconds
  }
}

extension FigureRow {
  /// The names of the figures that a run has only if `Fleet.looksBack` is true.
  package static let hindsight: Set = ["coldLaunchesBound", "coldLaunchesForeseen"]

  /// One row for each figure, for an invented app, kind and reason. It includes figures that
  /// a table leaves out when they are zero.
  package static let catalog: [FigureRow] = {
    var table = FigureTable(names: PolicyNames())
    table.app = "app"
    table.count("reason", "ends", 0)
    table.add("kind", KindFigures())
    var figures = Figures(names: ["app"], works: [["work"]])
    figures.hindsight = Figures.Hindsight(bound: 0, foreseen: 0)
    return figures.rows(under: PolicyNames(), weights: EnergyWeights()) + table.rows
  }()
}

/// Makes the rows.
private struct FigureTable {
  let names: PolicyNames
  var rows: [FigureRow] = []
  var distributions: [FigureDistribution] = []
  var app = ""

  init(names: PolicyNames) { self.names = names }

  mutating func add(_ about: String, _ figure: String, _ unit: String, _ value: FigureValue?) {
    rows.append(FigureRow(app: app, about: about, figure: figure, unit: unit, value: value))
  }

  mutating func count(_ about: String, _ figure: String, _ count: Int) {
    add(about, figure, "count", .count(count))
  }

  mutating func seconds(_ about: String, _ figure: String, _ time: TotalTime) {
    add(about, figure, "s", .time(time))
  }

  mutating func ratio(_ about: String, _ figure: String, _ value: Double?) {
    add(about, figure, "ratio", value.map { .number($0) })
  }

  mutating func distribution(_ about: String, _ figure: String, _ tally: Tally, _ unit: String) {
    if tally.count > 0 {
      distributions.append(
        FigureDistribution(app: app, about: about, figure: figure, unit: unit, tally: tally))
    }
    let scale = unit == "s" ? 1e9 : 1
    func add(_ statistic: String, _ value: Double) {
      self.add(
        about, "\(figure).\(statistic)", unit, tally.count == 0 ? nil : .number(value / scale))
    }
    count(about, figure + ".n", tally.count)
    add("mean", tally.mean)
    for percent in [10.0, 50, 90, 99] { add("p\(Int(percent))", Double(tally.percentile(percent))) }
    add("max", Double(tally.greatest))
  }

  mutating func add(_ figures: AppFigures, works: [String], hours: Double) {
    for number in AppFigures.Count.allCases { count("", "\(number)", figures[number]) }
    count("", "opens", figures.opens)
    count("", "purges", figures.purges)
    count("", "wakes", figures.wakes(names))
    add(
      "", "wakesPerHour", "perHour", hours > 0 ? .number(Double(figures.wakes(names)) / hours) : nil
    )
    seconds("", "backgroundTime", figures.backgroundTime)
    seconds("", "processorTime", figures.processorTime)
    for state in AppState.allCases { seconds(state.fileName, "time", figures[state]) }
    for reason in TerminationReason.allCases where figures[reason] > 0 {
      count(reason.fileName, "ends", figures[reason])
    }
    for length in AppFigures.Length.allCases { distribution("", "\(length)", figures[length], "s") }
    add("", figures.work)
    for (index, name) in works.enumerated() { add(name, figures.works[index]) }
    for (number, kind) in figures.kinds.enumerated() where !kind.isEmpty {
      add(names.kinds[number].rawValue, kind)
    }
  }

  private mutating func add(_ about: String, _ work: WorkFigures) {
    for number in WorkFigures.Count.allCases {
      let name = "\(number)"
      count(about, "work\(name.prefix(1).uppercased())\(name.dropFirst())", work[number])
    }
    count(about, "workUnfinished", work.unfinished)
    seconds(about, "workWasted", work.wasted)
    ratio(about, "completion", work.completionRatio)
    distribution(about, "delay", work.delay, "s")
  }

  mutating func add(_ about: String, _ kind: KindFigures) {
    for number in KindFigures.Count.allCases { count(about, "\(number)", kind[number]) }
    count(about, "denied", kind.denied)
    for (reasons, number) in kind.denials.map({ (names.denials($0), $1) }).sorted(by: {
      $0.0.precedes($1.0)
    }) {
      count(about, "denied." + reasons.names.joined(separator: "+"), number)
    }
    distribution(about, "length", kind.length, "s")
  }
}
