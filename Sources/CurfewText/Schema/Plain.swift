/// A value as a file has it, before it is interpreted.
package enum Plain: Hashable, Sendable {
  case text(String)
  case number(Int64)
  case flag(Bool)
  case texts([String])
}

extension SourceNode {
  /// This value in the type that `shape` requires; nil if it cannot be converted.
  package func plain(as shape: Shape) -> Plain? {
    switch (shape, content) {
    case (.boolean, _): text.flatMap { try? BooleanText.read($0) }.map(Plain.flag)
    case (.wholeNumber(let range), _):
      text.flatMap { try? WholeNumberText.read($0, in: range) }.map(Plain.number)
    case (_, .list(let elements)): .texts(elements.compactMap(\.text))
    case (_, .scalar(let scalar)): .text(scalar.text)
    case (_, .mapping): nil
    }
  }
}

extension JSONLine {
  /// Adds a value in its JSON type.
  package mutating func add(_ key: String, _ value: Plain) {
    switch value {
    case .text(let text): add(key, text)
    case .number(let number): add(key, number)
    case .flag(let flag): add(key, flag)
    case .texts(let texts): add(key, texts)
    }
  }
}
