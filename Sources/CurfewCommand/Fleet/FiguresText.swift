import CurfewConsole
import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewText
import CurfewTrace

/// Figures for a person.
struct FiguresText {
  let result: FigureResult
  let screen: Screen

  private var figures: Figures { result.figures }
  private var style: TextStyle { screen.style }
  private var names: PolicyNames { result.policy.policy.names }
  private var hours: Double { figures[.simulated].seconds / 3_600 }

  init(_ result: FigureResult, screen: Screen) { (self.result, self.screen) = (result, screen) }

  private var heading: String {
    let devices = HumanCount.text(figures[.devices], "device")
    let set = result.settings.isEmpty ? "" : " with " + result.settings.joined(separator: " ")
    let length = HumanTime.text(ofNanoseconds: result.length.nanoseconds)
    return
      "\(result.name): \(devices), \(length) each, policy \(result.policy.name)\(set), seed \(result.seed)"
  }

  var text: String {
    let parts = [[style.bold(screen.plain(heading))], device, work, launches, times, kinds, ends]
      .filter { !$0.isEmpty }
    return parts.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
  }

  private var device: [String] {
    let wakes = figures.total.wakes(names)
    let rows = [
      ("events", "\(HumanCount.text(figures[.events]))"),
      ("wakes", "\(HumanCount.text(wakes)), \(number(Double(wakes) / hours)) an hour of a device"),
      (
        "radio on",
        "\(length(figures[.radioTime].nanoseconds)), \(number(100 * figures[.radioTime].seconds / figures[.simulated].seconds)) %"
      ),
      (
        "energy proxy",
        "\(HumanNumber.rounded(figures.energy(result.weights))) (\(result.weights.words); nothing was measured)"
      ),
    ]
    return rows.map { "  " + pad($0.0, 14, .left) + screen.plain($0.1) }
  }

  // MARK: Tables

  private var work: [String] {
    var rows: [[String]] = []
    for (app, name) in figures.names.enumerated() {
      for (index, work) in figures.works[app].enumerated() {
        let figures = figures.apps[app].works[index]
        guard figures[.begun] > 0 else { continue }
        rows.append([
          "\(name) \(work)", HumanCount.text(figures[.begun]),
          figures.completionRatio.map { number($0 * 100) + " %" } ?? "",
          HumanCount.text(figures[.lost]), HumanCount.text(figures.unfinished),
          time(figures.delay, 50), time(figures.delay, 90),
          length(figures.wasted.nanoseconds),
        ])
      }
    }
    return table("work", ["begun", "done", "lost", "open", "delay p50", "p90", "in vain"], rows)
  }

  private var launches: [String] {
    let rows = each { app in
      guard app.opens + app[.backgroundLaunches] > 0 else { return nil }
      return [
        HumanCount.text(app.opens), HumanCount.text(app[.coldLaunches]),
        HumanCount.text(app[.warmLaunches]),
        HumanCount.text(app[.liveLaunches]),
        HumanCount.text(app[.backgroundLaunches]), HumanCount.text(app.purges), time(app[.age], 50),
        time(app[.age], 90),
      ]
    }
    return table(
      "launches", ["opens", "cold", "warm", "live", "in background", "purges", "age p50", "p90"],
      rows)
  }

  private var times: [String] {
    let rows = each { app in
      guard app[.apps] > 0 else { return nil }
      let whole = AppState.allCases.reduce(0) { $0 + app[$1].seconds }
      return AppState.allCases.reversed().map {
        number(whole == 0 ? 0 : 100 * app[$0].seconds / whole) + " %"
      }
        + [length(app.backgroundTime.divided(by: app[.apps])), HumanCount.text(app[.tasksExpired])]
    }
    return table(
      "time", AppState.allCases.reversed().map(\.fileName) + ["background, each", "expired tasks"],
      rows)
  }

  private var kinds: [String] {
    let total = figures.total
    let rows = names.kinds.indices.compactMap { index -> [String]? in
      guard index < total.kinds.count, !total.kinds[index].isEmpty else { return nil }
      let kind = total.kinds[index]
      let denials = kind.denials.map { (names.denials($0), $1) }.sorted { $0.0.precedes($1.0) }
        .map { "\(HumanCount.text($1)) \($0.names.joined(separator: " and "))" }.joined(
          separator: ", ")
      return [
        names.kinds[index].rawValue, HumanCount.text(kind[.allowed]), HumanCount.text(kind[.begun]),
        HumanCount.text(kind[.completed]),
        HumanCount.text(kind[.overran]), time(kind.length, 50),
        HumanCount.text(kind.denied) + (denials.isEmpty ? "" : ": " + denials),
      ]
    }
    return table(
      "kinds", ["allowed", "begun", "completed", "overran", "length p50", "denied"], rows,
      endsInText: true)
  }

  private var ends: [String] {
    let total = figures.total
    let rows = TerminationReason.allCases.filter { total[$0] > 0 }.map {
      [$0.fileName, HumanCount.text(total[$0])]
    }
    return table("ends of processes", ["count"], rows)
  }

  /// A row for each sort of app and, if there are several sorts, a row for all apps.
  private func each(_ row: (AppFigures) -> [String]?) -> [[String]] {
    let rows = figures.names.indices.compactMap { index in
      row(figures.apps[index]).map { [figures.names[index]] + $0 }
    }
    return rows.count < 2 ? rows : rows + (row(figures.total).map { [["all"] + $0] } ?? [])
  }

  private func table(
    _ name: String, _ columns: [String], _ rows: [[String]], endsInText: Bool = false
  ) -> [String] {
    TextTable(header: [name] + columns, rows: rows, endsInText: endsInText).lines(on: screen)
  }

  private func time(_ tally: Tally, _ percent: Double) -> String {
    tally.count == 0 ? "" : length(tally.percentile(percent))
  }

  /// A time in at most two units: `51m 32s`, `7h 11m`.
  private func length(_ nanoseconds: Int64) -> String {
    for (most, unit) in [(Int64(120), Int64(0)), (7_200, 1), (172_800, 60), (.max, 3_600)]
    where nanoseconds < most.multipliedClamped {
      guard unit > 0 else { return HumanTime.rounded(nanoseconds) }
      let step = unit * 1_000_000_000
      return HumanTime.text(ofNanoseconds: nanoseconds / step * step)
    }
    return HumanTime.rounded(nanoseconds)
  }

  private func number(_ value: Double) -> String {
    value.isFinite ? HumanNumber.rounded(value) : ""
  }
}

extension Int64 {
  /// This number of seconds in nanoseconds, clamped.
  fileprivate var multipliedClamped: Int64 {
    let (product, overflow) = multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? .max : product
  }
}

extension EnergyWeights {
  /// `1 × background second + 1 × radio second`
  var words: String {
    [
      (backgroundSecond, "background second"), (processorSecond, "processor second"),
      (radioSecond, "radio second"),
      (coldLaunch, "process begun"),
    ].filter { $0.0 != 0 }.map { "\(HumanNumber.decimal($0.0, places: 6)) × \($0.1)" }.joined(
      separator: " + ")
  }
}
