package import CurfewText

/// Random values for files, drawn by shape, so a new row of a table needs no change here.
extension SeededGenerator {
  /// A value for a key. `own` has the values of keys that are not drawn by shape alone. Its keys
  /// are a name, or an owner and a name: `deliver.kind`.
  package mutating func plain(
    _ field: Field, of owner: String = "", _ own: [String: [String]] = [:]
  ) -> Plain {
    plain(field.shape, own["\(owner).\(field.name)"] ?? own[field.name])
  }

  package mutating func plain(_ shape: Shape, _ own: [String]? = nil) -> Plain {
    switch shape {
    case .list(let element):
      let all = own ?? element.texts
      let isWhole = oneIn(3)
      return .texts(all.filter { _ in isWhole || oneIn(2) })
    case .either(let shapes) where own == nil: return plain(pick(shapes))
    case .wholeNumber: return .number(Int64(pick(own ?? shape.texts))!)
    case .boolean:
      let text = pick(own ?? shape.texts)
      return Bool(text).map(Plain.flag) ?? .text(text)
    default: return .text(pick(own ?? shape.texts))
    }
  }

  /// Keys with their values in YAML (`kind: fetch`); each optional key appears with a probability
  /// of 1/`times`.
  package mutating func pairs(
    _ fields: [Field], of owner: String, oneIn times: Int = 2, _ own: [String: [String]]
  ) -> [String] {
    var pairs: [String] = []
    for field in fields where field.presence == .required || oneIn(times) {
      pairs.append("\(field.name): \(plain(field, of: owner, own).yaml)")
    }
    return pairs
  }
}

extension Shape {
  /// Some values of the shape as text: extremes, and values that often coincide.
  fileprivate var texts: [String] {
    switch self {
    case .duration:
      ["0s", "1ns", "1s", "1s", "2s", "3s", "10s", "30s", "599s", "10m", "15m", "31m"]
    case .size, .sizeUpTo: ["1B", "50MiB", "100MiB", "160MiB", "300MiB", "4GiB"]
    case .percentage: ["0%", "5%", "19%", "20%", "50%", "80%", "100%"]
    case .share(let limit): ["0%", "79%", "81%", "400%", "\(limit)%"]
    case .boolean: ["true", "false"]
    case .code: ["0x0", "0x8badf00d", "0xffffffff"]
    case .wholeNumber(let range):
      [0 as Int64, 0, 1, 2, 60].map { "\(min(range.lowerBound + $0, range.upperBound))" } + [
        "\(range.upperBound)"
      ]
    case .decimal(let range):
      ["\(range.lowerBound)", "\(range.lowerBound).2", "\(range.upperBound - 1).999999"]
    case .text: ["x", "y", #"a "z" / ž"#]
    case .word(let words, _): words
    case .name(let names, _): names.isEmpty ? ["own"] : names
    case .span(let bound): bound.texts.flatMap { [$0, "\($0)..", "..\($0)"] }
    case .phrase(let phrase): phrase.examples
    case .either, .list, .record, .dictionary, .sourced, .variants, .forms, .named:
      preconditionFailure("\(self) is not the shape of a plain value")
    }
  }
}

extension Plain {
  /// The value in YAML.
  package var yaml: String {
    switch self {
    case .number(let number): "\(number)"
    case .flag(let flag): "\(flag)"
    case .texts(let texts): "[\(texts.map { Plain.text($0).yaml }.joined(separator: ", "))]"
    case .text(let text):
      text.allSatisfy { $0.isLetter || $0.isNumber || "%-".contains($0) }
        ? text : "\"\(text.replacing("\"", with: "\\\""))\""
    }
  }
}
