/// Compares a tree with a shape and reports every mismatch.
package struct ShapeCheck {
  package private(set) var findings = Findings()

  /// The errors of `node` under `shape`.
  package static func findings(in node: SourceNode, _ shape: Shape) -> Findings {
    var check = ShapeCheck()
    check.check(node, shape)
    return check.findings
  }

  private mutating func check(_ node: SourceNode, _ shape: Shape) {
    switch shape {
    case .duration, .size, .sizeUpTo, .percentage, .share, .boolean, .code, .wholeNumber, .decimal,
      .text, .word, .name,
      .span, .phrase:
      checkScalar(node, shape)
    case .list(let element):
      guard case .list(let elements) = node.content else { return expect(shape, node) }
      for node in elements { check(node, element) }
    case .record(let record):
      guard case .mapping(let pairs) = node.content else { return expect(shape, node) }
      check(pairs, record.fields, at: node.place) { "unknown key '\($0)'" }
    case .dictionary(let keys, let value):
      checkDictionary(node, keys, value, shape)
    case .either(let shapes):
      checkEither(node, shapes, shape)
    case .sourced(let value, let others):
      guard case .mapping(let pairs) = node.content else { return check(node, value) }
      check(pairs, Field.of(value, with: others), at: node.place) { "unknown key '\($0)'" }
    case .variants(let variants):
      checkVariants(node, variants, shape)
    case .forms(let forms):
      checkForms(node, forms, shape)
    case .named(_, let shape):
      check(node, shape())
    }
  }

  private mutating func expect(_ shape: Shape, _ node: SourceNode) {
    let hint =
      switch (shape, node.scalar?.isNothing) {
      case (.list, true?): "; an empty list is []"
      case (.record, true?), (.dictionary, true?): "; an empty mapping is {}"
      default: ""
      }
    findings.error(at: node.place, "expected \(shape.expected), found \(node.found)\(hint)")
  }

  private mutating func checkScalar(_ node: SourceNode, _ shape: Shape) {
    guard let scalar = node.scalar, !scalar.isNothing else { return expect(shape, node) }
    if let message = ScalarReading.refusal(of: scalar, as: shape) {
      findings.error(at: node.place, message)
    }
  }

  private mutating func check(
    _ pairs: [SourceNode.Pair], _ fields: [Field], at place: SourcePlace,
    missing: (String) -> String = { "missing key '\($0)'" },
    unknown: (String) -> String
  ) {
    for pair in pairs {
      guard let field = fields.first(where: { $0.name == pair.key }) else {
        let message = unknown(pair.key)
        findings.error(at: pair.keyPlace) {
          message + $0.hint(for: pair.key, among: fields.map(\.name), "allowed here")
        }
        continue
      }
      check(pair.value, field.shape)
    }
    for field in fields
    where field.presence == .required && !pairs.contains(where: { $0.key == field.name }) {
      findings.error(at: place, missing(field.name))
    }
  }

  private mutating func checkDictionary(
    _ node: SourceNode, _ keys: Shape.Keys, _ value: Shape, _ shape: Shape
  ) {
    guard case .mapping(let pairs) = node.content else { return expect(shape, node) }
    for pair in pairs {
      if case .words(let words, let what, let besides) = keys, !words.contains(pair.key) {
        if let field = besides.first(where: { $0.name == pair.key }) {
          check(pair.value, field.shape)
          continue
        }
        findings.error(at: pair.keyPlace) {
          "unknown \(what) '\(pair.key)'" + $0.hint(for: pair.key, among: words, "allowed here")
        }
        continue
      }
      if case .names(_, let what, let besides) = keys {
        if let field = besides.first(where: { $0.name == pair.key }) {
          check(pair.value, field.shape)
          continue
        }
        guard NameText.isSound(pair.key) else {
          findings.error(at: pair.keyPlace, NameText.refusal(of: pair.key, what))
          continue
        }
      }
      check(pair.value, value)
    }
  }

  private mutating func checkVariants(_ node: SourceNode, _ variants: Variants, _ shape: Shape) {
    guard case .mapping(let pairs) = node.content else { return expect(shape, node) }
    let words = variants.cases.map(\.word)
    guard let tag = pairs.first(where: { $0.key == variants.tag }) else {
      return findings.error(
        at: node.place, "missing key '\(variants.tag)', which states the \(variants.what)")
    }
    guard let word = tag.value.text, !word.isEmpty else {
      return expect(.word(words, what: variants.what), tag.value)
    }
    guard let variant = variants.cases.first(where: { $0.word == word }) else {
      if let message = variants.elsewhere[word] {
        return findings.error(at: tag.value.place, message)
      }
      let what = variants.what
      return findings.error(at: tag.value.place) {
        "unknown \(what) '\(word)'" + $0.hint(for: word, among: words, "expected one of")
      }
    }
    let own = variant.record.fields
    let fields =
      variants.common + [.required(variants.tag, .word(words, what: variants.what), "")] + own
    check(pairs, fields, at: node.place, missing: { "'\(word)' needs '\($0)'" }) {
      "'\(word)' takes no '\($0)'"
    }
  }

  private mutating func checkForms(_ node: SourceNode, _ forms: Forms, _ shape: Shape) {
    guard case .mapping(let pairs) = node.content else { return expect(shape, node) }
    let keys = forms.cases.map(\.key)
    guard let form = forms.form(of: pairs) else {
      let known = forms.allKeys
      if let stranger = pairs.first(where: { !known.contains($0.key) }) {
        let what = forms.what
        return findings.error(at: stranger.keyPlace) {
          "no \(what) has the key '\(stranger.key)'"
            + $0.hint(for: stranger.key, among: keys, "expected one of")
        }
      }
      return findings.error(
        at: node.place,
        "missing key that states the \(forms.what); expected one of: \(keys.joined(separator: ", "))"
      )
    }
    guard case .record(let record) = form.shape else { return check(node, form.shape) }
    check(pairs, record.fields, at: node.place, missing: { "'\(form.key)' needs '\($0)'" }) {
      "'\(form.key)' takes no '\($0)'"
    }
  }

  /// Checks a value against several shapes. If none fits, reports the errors of the only shape that
  /// accepts this kind of node, or else what all the shapes expect.
  private mutating func checkEither(_ node: SourceNode, _ shapes: [Shape], _ shape: Shape) {
    let attempts = shapes.map { (shape: $0, findings: ShapeCheck.findings(in: node, $0)) }
    if attempts.contains(where: \.findings.isSound) { return }
    let fitting = attempts.filter { $0.shape.accepts(kindOf: node) }
    guard let first = fitting.first else { return expect(shape, node) }
    // The error for a list, for a mapping, or for one of several words already has a hint.
    guard let text = node.text, first.shape.words.count < 2 else {
      return findings.add(first.findings)
    }
    let others = shapes.filter { $0.words.count == 1 }
    // No other shape can be meant.
    guard fitting.count > 1 || !others.isEmpty else { return findings.add(first.findings) }
    let message = fitting.count == 1 ? nil : first.findings.firstMessage
    findings.error(at: node.place) { search in
      if let near = search.nearest(to: text, among: others.flatMap(\.words)) {
        return "expected \(shape.expected), found '\(text)'; did you mean '\(near)'?"
      }
      guard let message else { return "expected \(shape.expected), found '\(text)'" }
      return others.isEmpty
        ? message(&search)
        : "\(message(&search)); or \(others.map(\.expected).joined(separator: ", "))"
    }
  }
}

extension Shape {
  /// The words of this shape.
  fileprivate var words: [String] {
    switch self {
    case .word(let words, _), .name(let words, _): words
    default: []
    }
  }

  /// Whether a node of this kind can have this shape.
  fileprivate func accepts(kindOf node: SourceNode) -> Bool {
    switch (self, node.content) {
    case (.list, .list), (.record, .mapping), (.dictionary, .mapping), (.variants, .mapping),
      (.forms, .mapping), (.sourced, .mapping):
      true
    case (.sourced(let shape, _), _): shape.accepts(kindOf: node)
    case (.named(_, let shape), _): shape().accepts(kindOf: node)
    case (.either(let shapes), _): shapes.contains { $0.accepts(kindOf: node) }
    case (.list, _), (.record, _), (.dictionary, _), (.variants, _), (.forms, _): false
    case (_, .scalar): true
    default: false
    }
  }
}
