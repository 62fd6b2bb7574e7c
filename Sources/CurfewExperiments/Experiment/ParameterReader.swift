import CurfewText

/// A variant as an experiment's file defines it: its name and its settings.
struct VariantPlan {
  var name: String
  var settings: [Setting] = []

  /// A value that the variant sets, and its place in the file.
  struct Setting {
    var path: String
    var value: String
    var place: SourcePlace
  }

  /// The settings whose path begins with `prefix`, without the prefix.
  func settings(under prefix: String) -> [ValueSetting] {
    settings.filter { $0.path.hasPrefix(prefix) }.map {
      ValueSetting(path: String($0.path.dropFirst(prefix.count)), text: $0.value)
    }
  }
}

/// Reads the parameters or the variants of an experiment.
struct ParameterReader {
  private(set) var findings = Findings()
  private(set) var parameters: [Experiment.Parameter] = []

  /// A parameter, and the place of each of its values in the file.
  private struct Varied {
    var parameter: Experiment.Parameter
    var places: [SourcePlace]
  }

  /// The variants that the file lists, or one variant for each combination of the parameters'
  /// values. The values of the last parameter change fastest.
  mutating func plans(_ root: SourceNode) -> [VariantPlan] {
    switch (root["parameters"], root["variants"]) {
    case (nil, nil):
      findings.error(
        at: root.place, "nothing is varied: an experiment needs 'parameters' or 'variants'")
    case (_?, let variants?):
      findings.error(
        at: variants.place, "an experiment has 'parameters' or 'variants', not both")
    case (let node?, nil): return combinations(node)
    case (nil, let node?): return node.pairs.map { plan($0) }.limited(at: node.place, &findings)
    }
    return []
  }

  private mutating func plan(_ pair: SourceNode.Pair) -> VariantPlan {
    for setting in pair.value.pairs { checkPath(setting.key, at: setting.keyPlace) }
    let settings = pair.value.pairs.compactMap { setting in
      setting.value.text.map {
        VariantPlan.Setting(path: setting.key, value: $0, place: setting.value.place)
      }
    }
    return VariantPlan(name: pair.key, settings: settings)
  }

  private mutating func combinations(_ node: SourceNode) -> [VariantPlan] {
    let varied = node.pairs.compactMap { parameter($0) }
    parameters = varied.map(\.parameter)
    if node.pairs.isEmpty {
      findings.error(at: node.place, "nothing is varied: 'parameters' needs at least one parameter")
    }
    var paths: [String: String] = [:]
    for pair in node.pairs {
      guard let set = pair.value["set"], let path = set.text else { continue }
      if let other = paths[path] {
        findings.error(at: set.place, "'\(path)' is already set by '\(other)'")
      }
      paths[path] = pair.key
    }
    var plans = [VariantPlan(name: "")]
    for item in varied {
      // The limit is checked before the variants are made.
      guard plans.count * item.places.count <= ParameterRange.most else {
        return (plans + plans).limited(at: node.place, &findings, isMore: true)
      }
      plans = plans.flatMap { plan in
        zip(item.parameter.values, item.places).map { value, place in
          let name = "\(item.parameter.name)=\(value)"
          let setting = VariantPlan.Setting(path: item.parameter.path, value: value, place: place)
          return VariantPlan(
            name: plan.name.isEmpty ? name : "\(plan.name) \(name)",
            settings: plan.settings + [setting])
        }
      }
    }
    // If a parameter could not be read, its error was already reported, and the number of variants
    // is unknown.
    return varied.isEmpty || varied.count < node.pairs.count
      ? [] : plans.limited(at: node.place, &findings)
  }

  private mutating func parameter(_ pair: SourceNode.Pair) -> Varied? {
    let node = pair.value
    guard let set = node["set"], let path = set.text, !path.isEmpty else { return nil }
    checkPath(path, at: set.place)
    if let values = node["values"] {
      if let other = ["from", "to", "step", "factor"].compactMap({ node[$0] }).first {
        findings.error(at: other.place, "a parameter has 'values' or a range, not both")
      }
      let texts = values.elements.compactMap { element in
        element.scalar.flatMap { $0.isNothing ? nil : ($0.text, element.place) }
      }
      if case .list(let elements) = values.content, elements.isEmpty {
        findings.error(at: values.place, "a parameter needs at least one value")
      }
      // If the values are not a list, or the list is empty, an error was already reported.
      guard !texts.isEmpty, texts.count == values.elements.count else { return nil }
      var seen: Set<String> = []
      for (text, place) in texts where !seen.insert(text).inserted {
        findings.error(at: place, "the value '\(text)' is listed twice")
      }
      return Varied(
        parameter: .init(name: pair.key, path: path, values: texts.map(\.0)), places: texts.map(\.1)
      )
    }
    guard let from = node["from"], let to = node["to"], let first = from.text, let last = to.text,
      (node["step"] == nil) != (node["factor"] == nil)
    else {
      findings.error(
        at: node.place, "a parameter needs 'values', or 'from' and 'to' with 'step' or 'factor'")
      return nil
    }
    do {
      let factor = try node["factor"]?.text.map { text throws(Refusal) in
        try DecimalText.millionths(in: text, 1...1_000_000)
      }
      let values = try ParameterRange.values(
        from: first, to: last, step: node["step"]?.text, factor: factor)
      return Varied(
        parameter: .init(name: pair.key, path: path, values: values),
        places: values.map { _ in from.place })
    } catch {
      findings.error(at: from.place, error.message)
      return nil
    }
  }

  private mutating func checkPath(_ path: String, at place: SourcePlace) {
    if ["policy", "workload"].contains(path)
      || ["policy.", "workload."].contains(where: { path.hasPrefix($0) && path.count > $0.count })
    {
      return
    }
    findings.error(
      at: place,
      "'\(path)' cannot be set: expected policy.PATH, workload.PATH, 'policy' or 'workload'"
    )
  }
}

extension [VariantPlan] {
  /// Returns the plans. If there are more than `ParameterRange.most`, reports an error and returns
  /// none. Fewer than two plans are also an error.
  fileprivate func limited(at place: SourcePlace, _ findings: inout Findings, isMore: Bool = false)
    -> [VariantPlan]
  {
    if isMore || count > ParameterRange.most {
      findings.error(at: place, "there are more than \(ParameterRange.most) variants")
      return []
    }
    if count < 2 { findings.error(at: place, "an experiment needs at least two variants") }
    return self
  }
}
