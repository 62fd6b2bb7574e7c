import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewText

/// Reads what an experiment measures, and finds what no run of the workload would count.
struct MeasureReader {
  private let workload: Workload
  private var findings = Findings()

  static func measures(_ node: SourceNode?, of workload: Workload, _ findings: inout Findings) -> [Measure] {
    var reader = MeasureReader(workload: workload)
    let measures = (node?.pairs ?? []).compactMap { reader.measure($0) }
    if let node, node.pairs.isEmpty { reader.findings.error(at: node.place, "nothing is measured") }
    findings.add(reader.findings)
    return measures
  }

  private init(workload: Workload) { self.workload = workload }

  private mutating func measure(_ pair: SourceNode.Pair) -> Measure? {
    let node = pair.value
    guard let named = node["figure"], let figure = named.text else { return nil }
    guard FigureCatalog.isKnown(figure) else {
      findings.error(at: named.place) { "unknown figure '\(figure)'" + $0.hint(for: figure, among: FigureCatalog.names, "there are") }
      return nil
    }
    var measure = Measure(name: pair.key, figure: figure)
    if let app = node["app"], let name = app.text {
      let names = workload.apps.map(\.name)
      if !names.contains(name) {
        findings.error(at: app.place) { "unknown app '\(name)'" + $0.hint(for: name, among: names, "the workload has") }
      }
      measure.app = name
    }
    if let about = node["about"], let name = about.text {
      let names = things
      if !names.contains(name) {
        findings.error(at: about.place) {
          "'\(name)' is no kind, no state, no reason and no work of the workload's" + $0.hint(for: name, among: names, "there are")
        }
      }
      measure.about = name
    }
    if node["about"] == nil, FigureCatalog.needsThing(figure) {
      findings.error(at: named.place, "'\(figure)' needs 'about': of what, a kind, a state or a reason")
    }
    if let about = node["about"], !FigureCatalog.hasThings(figure) {
      findings.error(at: about.place, "'\(figure)' is of an app as a whole: it has no 'about'")
    }
    if let app = node["app"], !FigureCatalog.hasApps(figure) {
      findings.error(at: app.place, "'\(figure)' is the device's: it has no 'app'")
    }
    measure.per = node["per"]?.text.flatMap(Measure.Per.init(rawValue:)) ?? .deviceDay
    if node["per"] != nil, !measure.isTotal {
      findings.warn(at: node["per"]?.place ?? named.place, "'per' says nothing of '\(figure)', which is no total")
    }
    measure.margin = margin(node["margin"])
    if let margin = node["margin"], measure.margin.map({ $0.width(besides: 1) == 0 }) ?? false {
      findings.error(at: margin.place, "'margin' must be more than 0")
    }
    return measure
  }

  /// What figures are about.
  private var things: [String] {
    let works = workload.apps.flatMap { $0.tasks.map(\.name) }
    return workload.policy.policy.names.kinds.map(\.rawValue) + AppState.allCases.map(\.fileName)
      + TerminationReason.allCases.map(\.fileName)
      + works
  }

  private func margin(_ node: SourceNode?) -> Measure.Margin? {
    guard let text = node?.text else { return nil }
    if let percent = try? PercentageText.read(text) { return .share(Double(percent) / 100) }
    return (try? DecimalText.millionths(in: text, 0...1_000_000_000)).map { .absolute(Double($0) / 1e6) }
  }
}
