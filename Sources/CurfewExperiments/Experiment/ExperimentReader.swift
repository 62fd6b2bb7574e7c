import CurfewEngine
import CurfewPolicy
import CurfewSimulation
package import CurfewText

/// Turns an experiment's tree into values. It reads the workload and the policy and applies
/// the settings of each variant to them.
///
/// `ShapeCheck` reports values that do not fit the schema. This reader skips them, so that one
/// mistake gives one error.
struct ExperimentReader {
  let source: SourceFile
  private var findings = Findings()
  /// The diagnostics so far, so that a mistake in every variant is reported once.
  private var told: Set<FileDiagnostic> = []

  init(_ source: SourceFile) { self.source = source }

  mutating func read() throws(FileErrors) -> Experiment {
    let root = try SourceDocument.parse(source, version: ExperimentSchema.version, &findings)
    findings.add(ShapeCheck.findings(in: root, .record(ExperimentSchema.file)))
    var parameters = ParameterReader()
    let plans = parameters.plans(root)
    findings.add(parameters.findings)
    let variants = variants(plans, root)
    try findings.throwIfAny(in: source.name)
    guard let first = variants.first else {
      preconditionFailure("\(source.name) has no variants, but no error was reported")
    }
    let measures = MeasureReader.measures(root["measure"], of: variants, &findings)
    let repetitions = repetitions(root["repetitions"])
    let baseline = baseline(root["baseline"], variants)
    if let length = root["for"], length.text.flatMap({ try? DurationText.read($0) }) == .zero {
      findings.error(at: length.place, "'for' must be more than 0s")
    }
    let level = level(root["level"])
    try findings.throwIfAny(in: source.name)
    var experiment = Experiment(
      name: root["name"]?.text ?? "", variants: variants, measures: measures)
    (experiment.question, experiment.about) = (root["question"]?.text, root["about"]?.text)
    experiment.published = root["published"]?.elements.compactMap(\.text) ?? []
    (experiment.parameters, experiment.baseline, experiment.level) = (
      parameters.parameters, baseline, level
    )
    experiment.repetitions = repetitions
    experiment.seed = root["seed"]?.text.flatMap(UInt64.init) ?? 0
    experiment.pairing =
      root["pairing"]?.text.flatMap(Experiment.Pairing.init(rawValue:)) ?? .common
    let recording = first.workload.recording
    experiment.devices =
      root["devices"]?.text.flatMap { Int($0) } ?? recording?.log.users.count ?? experiment.devices
    experiment.length =
      root["for"]?.text.flatMap { try? DurationText.read($0) } ?? recording.map {
        $0.end - Instant.zero
      } ?? experiment.length
    experiment.warnings = findings.warnings
    return experiment
  }

  private mutating func repetitions(_ node: SourceNode?) -> ClosedRange<Int> {
    guard let node else { return 20...20 }
    if let count = node.text.flatMap({ Int($0) }) { return count...count }
    guard let least = node["atLeast"]?.text.flatMap({ Int($0) }),
      let most = node["atMost"]?.text.flatMap({ Int($0) })
    else {
      return 20...20
    }
    guard least <= most else {
      findings.error(at: node.place, "'atMost' must be at least 'atLeast'")
      return 20...20
    }
    return least...most
  }

  private mutating func baseline(_ node: SourceNode?, _ variants: [Experiment.Variant]) -> Int {
    guard let node, let name = node.text else { return 0 }
    if let place = variants.firstIndex(where: { $0.name == name }) { return place }
    findings.error(at: node.place) {
      "unknown variant '\(name)'"
        + $0.hint(for: name, among: variants.map(\.name), "expected one of")
    }
    return 0
  }

  private mutating func level(_ node: SourceNode?) -> Double {
    guard let node, let percent = node.text.flatMap({ try? PercentageText.read($0) }) else {
      return 0.95
    }
    if !(50...99).contains(percent) {
      findings.error(at: node.place, "'level' must be from 50% to 99%")
    }
    return Double(percent) / 100
  }

  // MARK: Variants

  private mutating func variants(_ plans: [VariantPlan], _ root: SourceNode) -> [Experiment.Variant]
  {
    guard let workload = root["workload"], workload.text?.isEmpty == false else { return [] }
    var variants: [Experiment.Variant] = []
    var parts: [(plan: VariantPlan, source: SourceFile, policy: PolicyFile?)] = []
    for plan in plans {
      do {
        let source = try workloadSource(of: plan, root)
        parts.append((plan, source, try policy(of: plan, root, source)))
      } catch {
        tell(error, plan)
      }
    }
    // A workload may name a kind that only one policy has. The other policies always deny it.
    var vocabularies: [PolicyFile] = []
    for case let policy? in parts.map(\.policy)
    where !vocabularies.contains(where: { $0.policy.names == policy.policy.names }) {
      vocabularies.append(policy)
    }
    for (plan, source, policy) in parts {
      do {
        let workload = try Workload.decode(
          source, policy: policy?.knowingNames(of: vocabularies),
          settings: plan.settings(under: "workload."))
        for warning in workload.warnings where told.insert(warning).inserted {
          findings.warn(warning)
        }
        variants.append(
          .init(
            name: plan.name,
            settings: plan.settings.map { ValueSetting(path: $0.path, text: $0.value) },
            workload: workload))
      } catch {
        tell(error, plan)
      }
    }
    return variants
  }

  private mutating func tell(_ errors: FileErrors, _ plan: VariantPlan) {
    for diagnostic in errors.diagnostics { tell(diagnostic, plan) }
  }

  /// Reports an error of a variant. If the variant sets the wrong value, the error is reported at
  /// the place where the experiment file sets it.
  private mutating func tell(_ diagnostic: FileDiagnostic, _ plan: VariantPlan) {
    guard told.insert(diagnostic).inserted else { return }
    for prefix in ["policy.", "workload."] {
      guard let setting = plan.settings.last(where: { $0.path == prefix + diagnostic.file }) else {
        continue
      }
      return findings.error(
        at: setting.place, "'\(setting.path)' in the variant '\(plan.name)': \(diagnostic.message)")
    }
    findings.add(FileErrors([diagnostic]))
  }

  /// The variant's policy; nil if neither the experiment nor the workload names a policy. Reading
  /// the workload reports this error.
  private func policy(of plan: VariantPlan, _ root: SourceNode, _ source: SourceFile)
    throws(FileErrors) -> PolicyFile?
  {
    var policy: PolicyFile?
    if let setting = plan.settings.last(where: { $0.path == "policy" }) {
      policy = try PolicyFile.load(setting.value, at: setting.place)
    } else if let node = root["policy"], let name = node.text {
      policy = try PolicyFile.load(name, at: node.place)
    }
    return try (policy ?? Scenario.policy(namedIn: source))?.set(plan.settings(under: "policy."))
  }

  private func workloadSource(of plan: VariantPlan, _ root: SourceNode) throws(FileErrors)
    -> SourceFile
  {
    let setting = plan.settings.last { $0.path == "workload" }
    let (name, place) = (
      setting?.value ?? root["workload"]?.text ?? "",
      setting?.place ?? root["workload"]?.place ?? root.place
    )
    let path = SourceFile.path(name, relativeTo: source.name)
    do {
      return try SourceFile.read(path)
    } catch {
      if !name.contains("/"), let shipped = try Workload.shippedSource(named: name) {
        return shipped
      }
      throw FileErrors(
        error.diagnostics.map {
          FileDiagnostic(
            at: $0.place ?? place, $0.place == nil ? "\(path): \($0.message)" : $0.message)
        })
    }
  }
}

extension Experiment {
  /// Reads the experiment file at `path`, its workload, its policies, and the files that they name.
  ///
  /// - Throws: Every error in any of these files.
  package static func load(_ path: String) throws(FileErrors) -> Experiment {
    try decode(try SourceFile.read(path))
  }

  /// Reads the experiment in `source`. Paths in it are relative to the source's name.
  package static func decode(_ source: SourceFile) throws(FileErrors) -> Experiment {
    var reader = ExperimentReader(source)
    do { return try reader.read() } catch { throw error.quoting(source) }
  }

  /// The JSON Schema of experiment files, generated from the declarations that check them.
  package static var jsonSchema: String {
    JSONSchema.text(ExperimentSchema.file, title: "Curfew experiment")
  }
}
