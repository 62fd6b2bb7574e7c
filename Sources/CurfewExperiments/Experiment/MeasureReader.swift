import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewText

/// Reads the measures of an experiment, and finds measures that can never count anything
/// in its workloads.
struct MeasureReader {
  private let variants: [Experiment.Variant]
  private var findings = Findings()

  static func measures(
    _ node: SourceNode?, of variants: [Experiment.Variant], _ findings: inout Findings
  ) -> [Measure] {
    var reader = MeasureReader(variants: variants)
    let measures = (node?.pairs ?? []).compactMap { reader.measure($0) }
    if let node, node.pairs.isEmpty { reader.findings.error(at: node.place, "nothing is measured") }
    findings.add(reader.findings)
    return measures
  }

  private init(variants: [Experiment.Variant]) { self.variants = variants }

  private mutating func measure(_ pair: SourceNode.Pair) -> Measure? {
    let node = pair.value
    guard let named = node["figure"], let written = named.text else { return nil }
    guard let figure = inStoredOrder(written, at: named.place) else { return nil }
    guard FigureCatalog.isKnown(figure) else {
      let parts = FigureCatalog.names.filter { $0.hasPrefix(figure + ".") }
      guard parts.isEmpty else {
        findings.error(
          at: named.place,
          "'\(figure)' is a distribution; its figures are \(parts.joined(separator: ", "))")
        return nil
      }
      findings.error(at: named.place) {
        "unknown figure '\(figure)'"
          + $0.hint(for: figure, among: FigureCatalog.names, "expected one of")
      }
      return nil
    }
    let errors = findings.errorCount
    var measure = Measure(name: pair.key, figure: figure)
    if let app = node["app"], let name = app.text {
      // An app that only some variants have counts nothing in the others.
      let names = variants.map { $0.workload.apps.map(\.name) }
      if !names.contains(where: { $0.contains(name) }) {
        findings.error(at: app.place) {
          "unknown app '\(name)'" + $0.hint(for: name, among: names.distinct, "the workload has")
        }
      } else if let other = names.firstIndex(where: { !$0.contains(name) }) {
        findings.warn(
          at: app.place,
          "the variant '\(variants[other].name)' has no app '\(name)': nothing is counted there")
      }
      measure.app = name
    }
    if let about = node["about"], let name = about.text, FigureCatalog.hasThings(figure) {
      let names = variants.map { things(of: figure, measure.app, $0.workload) }.distinct
      if !names.contains(name) {
        findings.error(at: about.place) {
          "'\(figure)' is not about '\(name)'" + $0.hint(for: name, among: names, "it is about")
        }
      }
      measure.about = name
    }
    if node["about"] == nil, FigureCatalog.needsThing(figure) {
      findings.error(
        at: named.place, "'\(figure)' needs 'about': a kind, a state or a reason")
    }
    if let about = node["about"], !FigureCatalog.hasThings(figure) {
      findings.error(
        at: about.place, "'\(figure)' is a figure of the whole app; it takes no 'about'")
    }
    if let app = node["app"], !FigureCatalog.hasApps(figure) {
      findings.error(at: app.place, "'\(figure)' is a figure of the device; it takes no 'app'")
    }
    // If the measure has another mistake, it may be meant for another figure.
    if findings.errorCount == errors {
      checkReach(
        of: measure,
        at: (FigureCatalog.isDenials(figure) ? named : node["about"] ?? node["app"] ?? named).place)
    }
    measure.per = node["per"]?.text.flatMap(Measure.Per.init(rawValue:)) ?? .deviceDay
    if node["per"] != nil, !measure.isTotal {
      findings.warn(
        at: node["per"]?.place ?? named.place,
        "'per' has no effect on '\(figure)', which is not a total")
    }
    measure.margin = margin(node["margin"])
    if let margin = node["margin"], case .time? = measure.margin,
      FigureCatalog.unit(of: figure) != "s"
    {
      findings.error(
        at: margin.place,
        "'\(figure)' is not counted in seconds: its margin is a share such as 5%, or a number")
    }
    if let margin = node["margin"], measure.margin.map({ $0.width(besides: 1) == 0 }) ?? false {
      findings.error(at: margin.place, "'margin' must be more than 0")
    }
    return measure
  }

  /// Reports a measure that can never count anything in any variant, whatever users and devices do.
  private mutating func checkReach(of measure: Measure, at place: SourcePlace) {
    let obstacles = variants.map { FigureReach($0.workload).obstacle(to: measure) }
    guard let obstacle = obstacles.first ?? nil, !obstacles.contains(nil) else { return }
    let thing = measure.about.isEmpty ? "" : " of '\(measure.about)'"
    findings.error(at: place, "'\(measure.figure)'\(thing) can never count anything: \(obstacle)")
  }

  // MARK: Reasons

  /// Returns a figure such as `denied.lowPowerMode+budget` with its reasons in the order in which
  /// runs store them. Other figures are unchanged. Returns nil if a reason is unknown, or if
  /// the policies have different orders.
  private mutating func inStoredOrder(_ figure: String, at place: SourcePlace) -> String? {
    guard FigureCatalog.isDenials(figure) else { return figure }
    let reasons = figure.dropFirst("denied.".count).split(
      separator: "+", omittingEmptySubsequences: false
    ).map(String.init)
    let orders = variants.map { Self.reasons(of: $0.workload.policy.policy.names) }
    let names = orders.distinct
    let unknown = reasons.filter { !names.contains($0) }
    for reason in unknown {
      findings.error(at: place) {
        "nothing is denied for '\(reason)'" + $0.hint(for: reason, among: names, "reasons are")
      }
    }
    guard unknown.isEmpty else { return nil }
    var sets: [[String]] = []
    for order in orders {
      let set = order.filter(reasons.contains)
      if set.count == Set(reasons).count, !sets.contains(set) { sets.append(set) }
    }
    guard sets.count == 1 else {
      let trouble =
        sets.isEmpty
        ? "no variant's policy has all of these reasons"
        : "the variants' policies have these facts in different orders"
      findings.error(at: place, "'\(figure)': \(trouble)")
      return nil
    }
    return "denied." + sets[0].joined(separator: "+")
  }

  /// Every reason that a policy names, in the order in which figures join them. A fact that has its
  /// own reason, such as Low Power Mode, counts as that reason.
  private static func reasons(of names: PolicyNames) -> [String] {
    [DenialReasons.all.map(\.fileName) + names.facts + names.facts.map(Denials.missing)].distinct
  }

  /// The values that `about` may have for a figure of an app, or of all apps if `app` is empty.
  private func things(of figure: String, _ app: String, _ workload: Workload) -> [String] {
    Set(FigureCatalog.things(of: figure)).flatMap { things -> [String] in
      switch things {
      case .kinds: workload.policy.policy.names.kinds.map(\.rawValue)
      case .states: AppState.allCases.map(\.fileName)
      case .reasons: TerminationReason.allCases.map(\.fileName)
      case .works:
        workload.apps.filter { app.isEmpty || $0.name == app }.flatMap { $0.tasks.map(\.name) }
      }
    }
  }

  private func margin(_ node: SourceNode?) -> Measure.Margin? {
    node?.text.flatMap { try? MarginText.read($0) }
  }
}

extension [[String]] {
  /// The names in all lists, in order and without duplicates.
  fileprivate var distinct: [String] {
    var seen: Set<String> = []
    return joined().filter { seen.insert($0).inserted }
  }
}
