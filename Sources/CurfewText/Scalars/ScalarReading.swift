/// Reads scalars by shape.
package enum ScalarReading {
  /// The reason why `scalar` does not have this shape; nil if it does.
  package static func refusal(of scalar: SourceNode.Scalar, as shape: Shape) -> Findings.Message? {
    do {
      _ = try canonical(scalar, shape)
      return nil
    } catch {
      guard case .word(let words, _) = shape, words.count > 1, !scalar.isBareSwitch else {
        return { _ in error.message }
      }
      return { search in error.message + search.hint(for: scalar.text, among: words, "allowed here")
      }
    }
  }

  /// The scalar's value in canonical form: `030s` and `30000ms` are both `30s`.
  package static func canonical(_ scalar: SourceNode.Scalar, _ shape: Shape) throws(Refusal)
    -> String
  {
    let text = scalar.text
    if scalar.isBareSwitch {
      if case .boolean = shape { throw Refusal("'\(text)' is not a boolean; write true or false") }
      throw Refusal("a bare '\(text)' is not allowed; write true or false, or quote it")
    }
    switch shape {
    case .duration: return DurationText.text(ofNanoseconds: try DurationText.nanoseconds(in: text))
    case .size: return SizeText.write(try SizeText.read(text))
    case .sizeUpTo(let limit, let what):
      return SizeText.write(try SizeText.read(text, upTo: limit, what: what))
    case .percentage: return "\(try PercentageText.read(text))%"
    case .share(let limit): return "\(try ShareText.read(text, upTo: limit))%"
    case .code: return CodeText.text(of: try CodeText.bits(of: text))
    case .wholeNumber(let range): return "\(try WholeNumberText.read(text, in: range))"
    case .decimal(let range):
      return DecimalText.text(ofMillionths: try DecimalText.millionths(in: text, range))
    case .boolean:
      if scalar.isQuoted, text == "true" || text == "false" {
        throw Refusal("'\(text)' is quoted; booleans are written without quotes")
      }
      return try BooleanText.read(text) ? "true" : "false"
    case .text:
      guard text.contains(where: { !$0.isWhitespace }) else {
        throw Refusal("expected text, found nothing")
      }
      return text
    case .word(let words, let what):
      guard words.contains(text) else {
        if words.count == 1 { throw Refusal("expected '\(words[0])', found '\(text)'") }
        throw Refusal("unknown \(what) '\(text)'")
      }
      return text
    case .name(_, let what):
      guard NameText.isSound(text) else { throw Refusal(NameText.refusal(of: text, what)) }
      return text
    case .span(let bound):
      let span = try SpanText.read(text) { end throws(Refusal) in try amount(end, bound) }
      let ends = [span.lower, span.upper].map { $0.map { write($0, bound) } ?? "" }
      return span.lower == span.upper ? ends[0] : ends.joined(separator: SpanText.dots)
    case .phrase(let phrase): return try phrase.canonical(text)
    case .list, .record, .dictionary, .either, .sourced, .variants, .forms, .named:
      preconditionFailure("\(shape) is not a scalar's shape")
    }
  }
}

extension ScalarReading {
  /// A bound of a span as a number that can be compared.
  private static func amount(_ text: String, _ shape: Shape) throws(Refusal) -> Int64 {
    switch shape {
    case .duration: try DurationText.nanoseconds(in: text)
    case .wholeNumber(let range): try WholeNumberText.read(text, in: range)
    default: preconditionFailure("There are no spans of \(shape)")
    }
  }

  private static func write(_ amount: Int64, _ shape: Shape) -> String {
    if case .duration = shape { DurationText.text(ofNanoseconds: amount) } else { "\(amount)" }
  }
}

extension SourceNode {
  /// The value in canonical form; nil if this is not a value of `shape`. The words of a list are
  /// sorted in the order of their declaration.
  package func canonical(_ shape: Shape) -> String? {
    switch shape {
    case .duration, .size, .sizeUpTo, .percentage, .share, .boolean, .code, .wholeNumber, .decimal,
      .text, .word, .name,
      .span, .phrase:
      guard let scalar, !scalar.isNothing else { return nil }
      return try? ScalarReading.canonical(scalar, shape)
    case .either(let shapes):
      return shapes.lazy.compactMap { self.canonical($0) }.first
    case .list(.word(let words, _)):
      guard case .list(let elements) = content else { return nil }
      let present = elements.map(\.text)
      guard present.allSatisfy({ $0.map(words.contains) ?? false }) else { return nil }
      return words.filter(present.contains).joined(separator: ", ")
    case .list(.name(let names, _)):
      guard case .list(let elements) = content else { return nil }
      let present = Set(elements.compactMap(\.text))
      return (names.filter(present.contains) + present.subtracting(names).sorted()).joined(
        separator: ", ")
    case .list(.phrase(let phrase)):
      guard case .list(let elements) = content else { return nil }
      return elements.compactMap { $0.canonical(.phrase(phrase)) }.joined(separator: ", ")
    case .sourced(let shape, _):
      if case .mapping = content { return self["value"]?.canonical(shape) }
      return canonical(shape)
    case .list, .record, .dictionary, .variants, .forms, .named:
      return nil
    }
  }
}
