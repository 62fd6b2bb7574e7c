import CurfewEngine
import CurfewText
import CurfewTrace

/// Reads the expectations of a scenario.
extension ScenarioReader {
  mutating func expectations(_ node: SourceNode?) -> [ScenarioExpectation] {
    (node?.elements ?? []).compactMap { expectation($0) }
  }

  private mutating func expectation(_ node: SourceNode) -> ScenarioExpectation? {
    guard let key = ExpectationForm.forms.form(of: node.pairs)?.key else { return nil }
    let isCounting = ExpectationForm.named(key) == nil
    guard let form = ExpectationForm.named(isCounting ? node[key]?.text ?? "" : key) else {
      return nil
    }
    let app = node["app"].flatMap { self.app(named: $0) }
    var pattern: [(key: String, value: Plain?)] = []
    for (index, term) in ([form.subject] + form.terms).enumerated() {
      guard let value = node[index == 0 && !isCounting ? key : term.name] else {
        if let absent = term.absent { pattern.append((term.key, absent)) }
        continue
      }
      guard ShapeCheck.findings(in: value, term.shape).isSound else { continue }
      do throws(Refusal) {
        pattern.append((term.key, try term.read(value)?.unordered))
      } catch {
        findings.error(at: value.place, error.message)
      }
      checkNames(value, of: term, in: form)
      if let sort = term.sort, let name = value.text {
        names.expect(sort, name, of: app, at: value.place)
      }
    }
    guard let claim = claim(node, form, counting: isCounting ? key : nil) else { return nil }
    return ScenarioExpectation(
      place: node.place, text: node.inOneLine, at: node["at"].flatMap { instants($0) },
      app: node["app"]?.text,
      lines: LinePattern(type: form.line, subject: form.subject.key, values: pattern), claim: claim)
  }

  /// Reports kinds and reasons that the policy does not have.
  private mutating func checkNames(
    _ node: SourceNode, of term: ExpectationTerm, in form: ExpectationForm
  ) {
    guard let names = policyNames else { return }
    let text = node.text ?? ""
    switch term.key {
    case "kind", "mode":
      let (what, known) =
        switch form.line {
        case "session": ("mode", names.kinds(.session))
        case "wake", "request", "diagnostic": ("wake", names.kinds(.wake))
        default: ("kind", names.kinds)
        }
      guard !known.contains(KindName(rawValue: text)) else { return }
      findings.error(at: node.place) {
        "unknown \(what) '\(text)'"
          + $0.hint(for: text, among: known.map(\.rawValue), "allowed here")
      }
    case "name" where form.line == "callback": checkCallback(node, Callback.fileNames, names)
    case "callback": checkCallback(node, AppCall.fileNames, names)
    case "reasons":
      let known = DenialReasons.fileNames + names.facts + names.facts.map(Denials.missing)
      for element in node.elements {
        guard let text = element.text, !known.contains(text) else { continue }
        findings.error(at: element.place) {
          "unknown reason '\(text)'" + $0.hint(for: text, among: known, "expected one of")
        }
      }
    default: break
    }
  }

  /// Reports a callback that has none of these names, is no wake of the policy, and is unknown
  /// to UIKit and Xamarin.
  private mutating func checkCallback(
    _ node: SourceNode, _ allowed: [String], _ names: PolicyNames
  ) {
    let text = node.text ?? ""
    let own = names.kinds(.wake).map(\.rawValue)
    let all = allowed.filter { !own.contains($0) } + own
    guard !CallbackNames.isKnown(text), !all.contains(text) else { return }
    findings.error(at: node.place) {
      "there is no callback '\(text)'"
        + $0.hint(for: text, among: all + CallbackNames.known, "expected one of", telling: all)
    }
  }

  private mutating func claim(_ node: SourceNode, _ form: ExpectationForm, counting key: String?)
    -> ScenarioExpectation.Claim?
  {
    if key == "never" { return .counts(Span(0, 0)) }
    if key != nil {
      guard let text = node["is"]?.text, let span = try? SpanText.read(text, ExpectationForm.count)
      else { return nil }
      return .counts(span)
    }
    guard form.name == ExpectationForm.stateName, node["at"] != nil else { return .happens }
    guard node["app"] != nil else {
      findings.error(at: node.place, "'state' with 'at' needs 'app'")
      return nil
    }
    return node["state"]?.text.map { .holds(state: $0) }
  }

  private func instants(_ node: SourceNode) -> Span<Instant>? {
    guard let span = node.text.flatMap({ try? SpanText.read($0, DurationText.nanoseconds) }) else {
      return nil
    }
    return Span(
      span.lower.map(Instant.init(nanoseconds:)), span.upper.map(Instant.init(nanoseconds:)))
  }
}

extension SourceNode {
  /// The YAML of the node in one line.
  fileprivate var inOneLine: String {
    switch content {
    case .mapping(let pairs):
      "{" + pairs.map { "\($0.key): \($0.value.inOneLine)" }.joined(separator: ", ") + "}"
    case .list(let elements): "[" + elements.map(\.inOneLine).joined(separator: ", ") + "]"
    case .scalar(let scalar): scalar.isQuoted ? "\"\(scalar.text)\"" : scalar.text
    }
  }
}
