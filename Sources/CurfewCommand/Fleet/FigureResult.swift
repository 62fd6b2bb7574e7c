import CurfewConsole
import CurfewEngine
import CurfewPolicy
import CurfewReports
import CurfewSimulation
import CurfewText
import CurfewTrace

/// The figures of a run, for a person or a program.
struct FigureResult {
  /// The name of the workload or the scenario.
  let name: String
  let policy: PolicyFile
  let weights: EnergyWeights
  let seed: UInt64
  let length: Interval
  let figures: Figures
  let isWhole: Bool
  let rows: [FigureRow]

  init(_ fleet: Fleet, _ result: Fleet.Result) {
    self.init(
      name: fleet.workload.name, policy: fleet.workload.policy, weights: fleet.workload.energy,
      seed: fleet.seed, length: fleet.length,
      figures: result.figures, isWhole: result.isWhole)
  }

  init(_ scenario: Scenario, _ figures: Figures, isWhole: Bool) {
    self.init(
      name: scenario.name, policy: scenario.policy, weights: EnergyWeights(), seed: 0,
      length: .nanoseconds(figures[.simulated].nanoseconds),
      figures: figures, isWhole: isWhole)
  }

  private init(
    name: String, policy: PolicyFile, weights: EnergyWeights, seed: UInt64, length: Interval,
    figures: Figures, isWhole: Bool
  ) {
    (self.name, self.policy, self.weights, self.seed) = (name, policy, weights, seed)
    (self.length, self.figures, self.isWhole) = (length, figures, isWhole)
    rows = figures.rows(under: policy, weights: weights)
  }

  /// The values that were set in the policy: `tasks.grant=3m`.
  var settings: [String] { policy.settings.map { "\($0.path)=\($0.text)" } }

  /// Prints the figures in `form`.
  /// - Precondition: `form` is not `perfetto`: a trace has no figures.
  func show(as form: ResultFormat, on console: Console) throws {
    switch form {
    case .text: try console.show(FiguresText(self, screen: console.screen).text)
    case .json: try console.print(FigureResult.form.json(self).closed)
    case .csv: try console.print(FigureCSV.text(self))
    case .openmetrics: try console.print(OpenMetricsText.text(rows, of: labels))
    case .perfetto: preconditionFailure("Figures of '\(name)' as a trace")
    }
  }

  /// The labels of each sample, which identify the run.
  private var labels: [(label: String, value: String)] {
    [
      ("workload", name), ("policy", policy.name), ("settings", settings.joined(separator: " ")),
      ("seed", String(seed)),
    ].filter { !$0.1.isEmpty }
  }

  /// `figures/2`.
  static let form = ResultForm<FigureResult>(
    "The figures of a workload on many devices, or of a scenario: one object on one line.",
    [
      .format("figures/2"), .text("name", "The name of the workload or the scenario.") { $0.name },
      .text("policy") { $0.policy.name },
      .text("policyDigest") { $0.policy.digest },
      .texts("settings", "The values that --policy-set has set.") { $0.settings },
      .text(
        "seed", "As text, because many parsers round integers of more than 53 bits."
      ) { String($0.seed) },
      .count("devices", "The number of devices that finished.") { $0.figures[.devices] },
      .flag("whole", "Whether all devices finished.") { $0.isWhole },
      .time("length", "The time that each device ran") { $0.length.nanoseconds },
      .objects(
        "figures", figure, "Every figure: first for all apps together, then for each sort of app."
      ) {
        $0.rows
      },
    ])

  private static let figure = ResultForm<FigureRow>(
    "",
    [
      .text("app", "The app's sort; empty for all apps together.") { $0.app },
      .text("about", "A kind, a piece of work, a state, a reason; empty for the app as a whole.") {
        $0.about
      },
      .text("figure") { $0.figure },
      .text("unit", words: ["count", "s", "ratio", "perHour", "weighted"]) { $0.unit },
      .decimal("value", "null if the figure has no value; an integer above 2^53 is text.") {
        $0.text
      },
    ])
}

/// Figures as a table for spreadsheets and data frames: RFC 4180, with a header and one figure
/// per line.
enum FigureCSV {
  static func text(_ result: FigureResult) -> String {
    let settings = result.settings.joined(separator: " ")
    let run = [
      result.name, result.policy.name, settings, String(result.seed),
      String(result.figures[.devices]),
    ]
    let lines = result.rows.map {
      (run + [$0.app, $0.about, $0.figure, $0.unit, $0.text]).map(field).joined(separator: ",")
    }
    return (["workload,policy,settings,seed,devices,app,about,figure,unit,value"] + lines).joined(
      separator: "\n")
  }

  private static func field(_ text: String) -> String {
    guard text.contains(where: { ",\"\r\n".contains($0) }) else { return text }
    return "\"" + text.replacing("\"", with: "\"\"") + "\""
  }
}
