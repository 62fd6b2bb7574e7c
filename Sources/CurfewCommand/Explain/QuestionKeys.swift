import CurfewEngine
import CurfewPolicy
import CurfewText
import CurfewTrace

/// The keys of `--set`: the facts of the app and the device, spelled as in scenarios, and the facts
/// that a policy declares.
struct QuestionKeys {
  private let attributes: [Attribute<AdmissionQuestion>]
  private let record: Record
  private let policy: PolicyFile

  /// The key for the app's own Background App Refresh switch, because the device's switch has
  /// the same name.
  private static let appKey = "app"
  private static let ofApp = AppManifest.fields.filter { $0.name == "backgroundRefresh" }.map {
    $0.part(\AdmissionQuestion.app)
  }

  private static let standard: [Attribute<AdmissionQuestion>] =
    DeviceFact.all.filter { $0.name != "memory" }.map { $0.attribute.part(\.device) } + [
      .init("locked", always: \.isLocked, .boolean, "Whether the device is locked."),
      .init("userPresent", always: \.isUserPresent, .boolean, "Whether the user is at the device."),
      .init("state", always: \.presence, .word("state"), "The app's state."),
    ]
    + AppManifest.fields.filter { $0.name == "backgroundModes" }.map {
      $0.part(\.app, called: "modes")
    }
    + AppManifest.fields.filter { $0.name == "exitsOnSuspend" }.map { $0.part(\.app) }

  /// The keys that exist under every policy.
  static var listed: String {
    (standard + ofApp.map { $0.part(\.self, called: "\(appKey).\($0.name)") }).map(\.name).joined(
      separator: ", ")
  }

  init(_ policy: PolicyFile) {
    self.policy = policy
    let names = policy.policy.names
    let ofApps = names.names(of: policy.policy.facts.ofApps).map {
      Attribute<AdmissionQuestion>(fact: $0, of: \.app.facts)
    }
    let ofDevice = names.names(of: policy.policy.facts.ofDevice).map {
      Attribute<AdmissionQuestion>(fact: $0, of: \.facts)
    }
    attributes = QuestionKeys.standard + ofDevice + ofApps
    let app = Field.optional(
      QuestionKeys.appKey, .record(Record("The app.", QuestionKeys.ofApp.map(\.field))), "The app.")
    record = Record("A question.", attributes.map(\.field) + [app])
  }

  /// Settings of the keys whose values are a closed list: `lowPowerMode=true`.
  var examples: [String] {
    record.fields.flatMap { field in
      let values: [String] =
        switch field.shape {
        case .boolean: ["true", "false"]
        case .word(let words, _): words
        default: []
        }
      return values.map { "\(field.name)=\($0)" }
    }
  }

  /// The question with the values of all `texts`.
  /// - Throws: `SettingErrors` with every mistake in any of them.
  func question(_ question: AdmissionQuestion, _ texts: [String]) throws -> AdmissionQuestion {
    var (question, errors) = (question, [FileDiagnostic]())
    var nodes: [(text: String, node: SourceNode)] = []
    for text in texts {
      do {
        let node = try node(text)
        attributes.read(node, into: &question)
        QuestionKeys.ofApp.read(node[QuestionKeys.appKey], into: &question)
        nodes.append((text, node))
      } catch let mistake as Refusal {
        errors.append(FileDiagnostic(file: "--set \(text)", mistake.message))
      } catch let found as FileErrors {
        errors += found.diagnostics.map { FileDiagnostic(file: "--set \(text)", $0.message) }
      }
    }
    for (text, node) in nodes {
      if let complaint = contradiction(node, question) {
        errors.append(FileDiagnostic(file: "--set \(text)", complaint))
      }
    }
    if !errors.isEmpty { throw SettingErrors(diagnostics: errors) }
    return question
  }

  private func node(_ text: String) throws -> SourceNode {
    guard let equals = text.firstIndex(of: "=") else {
      throw Refusal("expected a key and a value, such as lowPowerMode=true")
    }
    var findings = Findings()
    let key = String(text[..<equals])
    guard
      let node = try SourceNode(String(text[text.index(after: equals)...]), under: key, &findings)
    else {
      try findings.throwIfAny(in: key)
      throw Refusal("expected a value after the '='")
    }
    findings.add(ShapeCheck.findings(in: node, .record(record)))
    try findings.throwIfAny(in: key)
    return node
  }

  /// The error for a key of `node` that contradicts the other values; nil if no key does.
  private func contradiction(_ node: SourceNode, _ question: AdmissionQuestion) -> String? {
    if let mode = node["modes"]?.elements.compactMap(\.text).first(where: {
      policy.policy.names.mode($0) == nil
    }) {
      return "unknown mode '\(mode)'"
        + NearestName.hint(for: mode, among: policy.policy.names.modes, "expected one of")
    }
    if node["state"] != nil, question.presence != .inFront,
      policy.policy.names.class(of: question.kind) != .wake
    {
      return
        "an app that is not in front can only be woken, and '\(question.kind)' is not a wake"
    }
    for (key, value) in [("locked", question.isLocked), ("userPresent", question.isUserPresent)] {
      guard let said = node[key]?.plain(as: .boolean), said != .flag(value) else { continue }
      return
        "contradicts the other values: state \(question.presence.fileName), locked \(question.isLocked), userPresent \(question.isUserPresent)"
    }
    return nil
  }
}

extension Attribute {
  /// Returns this attribute for a value that contains its root at `path`.
  fileprivate func part<Whole>(
    _ path: any WritableKeyPath<Whole, Root> & Sendable, called name: String? = nil
  ) -> Attribute<Whole> {
    let field = Field(
      name: name ?? field.name, shape: field.shape, presence: .optional,
      description: field.description)
    return Attribute<Whole>(field) { [read] whole, plain throws(Refusal) in
      try read(&whole[keyPath: path], plain)
    } write: { [write] whole in
      write(whole[keyPath: path])
    }
  }
}

extension Attribute<AdmissionQuestion> {
  /// A fact that a policy declares.
  fileprivate init(
    fact name: String, of path: any WritableKeyPath<AdmissionQuestion, NamedFacts> & Sendable
  ) {
    self.init(
      Field(
        name: name, shape: .boolean, presence: .optional,
        description: "A fact that the policy declares.")
    ) { question, plain in
      guard case .flag(let holds) = plain else { return false }
      question[keyPath: path][name] = holds
      return true
    } write: { question in
      question[keyPath: path][name].map(Plain.flag)
    }
  }
}
