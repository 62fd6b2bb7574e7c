/// Writes shapes as JSON Schema, draft 2020-12. The text is the same in each call and on
/// each machine.
///
/// A schema cannot express everything that reading a file checks: the order of times, the names
/// of apps, values that must match each other.
package struct JSONSchema {
  private var definitions: [(name: String, schema: JSONText)] = []

  package static func text(_ record: Record, title: String) -> String {
    var writer = JSONSchema()
    var members: [(String, JSONText)] = [
      ("$schema", .string("https://json-schema.org/draft/2020-12/schema")),
      ("title", .string(title)),
    ]
    members += writer.members(record)
    if !writer.definitions.isEmpty {
      members.append(("$defs", .object(writer.definitions.map { ($0.name, $0.schema) })))
    }
    return JSONText.object(members).written + "\n"
  }

  private mutating func schema(_ shape: Shape, _ description: String = "") -> JSONText {
    var members = self.members(shape)
    if !description.isEmpty {
      members.removeAll { $0.0 == "description" }
      members.insert(("description", .string(description)), at: 0)
    }
    return .object(members)
  }

  private mutating func members(_ shape: Shape) -> [(String, JSONText)] {
    switch shape {
    case .duration: return pattern("^\(JSONSchema.duration)$")
    case .span(let bound): return span(bound)
    case .phrase(let phrase): return pattern("^\(phrase.pattern)$")
    case .size, .sizeUpTo: return pattern("^[0-9]+(B|KiB|MiB|GiB)$")
    case .percentage: return pattern("^(100|[0-9]{1,2})%$")
    case .share(let limit): return pattern("^(\(limit)|[0-9]{1,\("\(limit)".count - 1)})%$")
    case .boolean: return [("type", .string("boolean"))]
    case .code:
      // Editors read 0x8badf00d as a number.
      return [
        ("type", .array([.string("string"), .string("integer")])),
        ("pattern", .string("^0x[0-9a-fA-F]+$")), ("minimum", .number(0)),
        ("maximum", .number(Int64(UInt32.max))),
      ]
    case .wholeNumber(let range):
      return [
        ("type", .string("integer")), ("minimum", .number(range.lowerBound)),
        ("maximum", .number(range.upperBound)),
      ]
    case .decimal(let range):
      return [
        ("type", .string("number")), ("minimum", .number(range.lowerBound)),
        ("maximum", .number(range.upperBound)),
      ]
    case .text: return [("type", .string("string")), ("minLength", .number(1))]
    case .word(let words, _):
      return words.count == 1
        ? [("const", .string(words[0]))] : [("enum", .array(words.map(JSONText.string)))]
    case .name(let names, _):
      return [
        (
          "anyOf",
          .array([
            .object([("enum", .array(names.map(JSONText.string)))]),
            .object(pattern(NameText.pattern)),
          ])
        )
      ]
    case .list(let element): return [("type", .string("array")), ("items", schema(element))]
    case .record(let record): return members(record)
    case .dictionary(let keys, let value): return dictionary(keys, value)
    case .either(let shapes): return [("anyOf", .array(shapes.map { schema($0) }))]
    case .sourced(let value, let others):
      let entry = Record("The value and where it comes from.", Field.of(value, with: others))
      return [("anyOf", .array([schema(value), .object(members(entry))]))]
    case .variants(let variants): return self.variants(variants)
    case .forms(let forms): return [("oneOf", .array(forms.cases.map { schema($0.shape) }))]
    case .named(let name, let shape):
      if !definitions.contains(where: { $0.name == name }) {
        definitions.append((name, .object([])))
        let schema = schema(shape())
        definitions = definitions.map { $0.name == name ? (name, schema) : $0 }
      }
      return [("$ref", .string("#/$defs/\(name)"))]
    }
  }

  /// The pattern of a duration.
  package static let duration = "[0-9]+(ns|us|ms|s|m|h|d)( ?[0-9]+(ns|us|ms|s|m|h))*"

  private mutating func span(_ bound: Shape) -> [(String, JSONText)] {
    let end = if case .duration = bound { JSONSchema.duration } else { "[0-9]+" }
    let span = pattern(#"^(\#(end)\.\.(\#(end))?|\.\.\#(end))$"#)
    return [("anyOf", .array([schema(bound), .object(span)]))]
  }

  private func pattern(_ pattern: String) -> [(String, JSONText)] {
    [("type", .string("string")), ("pattern", .string(pattern))]
  }

  private mutating func members(_ record: Record) -> [(String, JSONText)] {
    [("description", .string(record.description)), ("type", .string("object"))]
      + object(record.fields)
  }

  private mutating func object(_ fields: [Field], first: [(String, JSONText)] = []) -> [(
    String, JSONText
  )] {
    var properties = first
    for field in fields { properties.append((field.name, schema(field.shape, field.description))) }
    var members: [(String, JSONText)] = [("properties", .object(properties))]
    let required = first.map(\.0) + fields.filter { $0.presence == .required }.map(\.name)
    if !required.isEmpty { members.append(("required", .array(required.map(JSONText.string)))) }
    return members + [("additionalProperties", .boolean(false))]
  }

  private mutating func dictionary(_ keys: Shape.Keys, _ value: Shape) -> [(String, JSONText)] {
    var members: [(String, JSONText)] = [("type", .string("object"))]
    if case .words(let words, _, let besides) = keys {
      let names = (words + besides.map(\.name)).map(JSONText.string)
      members.append(("propertyNames", .object([("enum", .array(names))])))
      if !besides.isEmpty {
        members.append(
          ("properties", .object(besides.map { ($0.name, schema($0.shape, $0.description)) })))
      }
    }
    if case .names(let names, _, let besides) = keys {
      // Editors complete only listed keys.
      let known =
        names.map { ($0, schema(value)) }
        + besides.map { ($0.name, schema($0.shape, $0.description)) }
      members.append(("properties", .object(known)))
      members.append(("propertyNames", .object(pattern(NameText.pattern))))
    }
    return members + [("additionalProperties", schema(value))]
  }

  private mutating func variants(_ variants: Variants) -> [(String, JSONText)] {
    var schemas: [JSONText] = []
    for variant in variants.cases {
      let tag = (variants.tag, JSONText.object([("const", .string(variant.word))]))
      schemas.append(
        .object(
          [("description", .string(variant.record.description)), ("type", .string("object"))]
            + object(variants.common + variant.record.fields, first: [tag])))
    }
    return [("oneOf", .array(schemas))]
  }
}
