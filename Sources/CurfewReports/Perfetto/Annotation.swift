import CurfewText

/// A value attached to an event: a `DebugAnnotation` without its name.
indirect enum Annotation: Sendable {
  case text(String)
  case number(Int64)
  case flag(Bool)
  case list([Annotation])
  case record([NamedAnnotation])

  /// A trace line's value.
  init(_ plain: Plain) {
    switch plain {
    case .text(let text): self = .text(text)
    case .number(let number): self = .number(number)
    case .flag(let flag): self = .flag(flag)
    case .texts(let texts): self = .list(texts.map(Annotation.text))
    }
  }
}

/// An annotation with its name.
struct NamedAnnotation: Sendable {
  let name: String
  let value: Annotation

  init(_ name: String, _ value: Annotation) { (self.name, self.value) = (name, value) }

  /// An annotation with this name and text; nil if there is no text.
  init?(_ name: String, text: String?) {
    guard let text else { return nil }
    self.init(name, .text(text))
  }
}

/// The flows of an event: arrows from the earlier event with the same number.
struct Flows: Sendable {
  /// The flows that begin at or continue from the event.
  var through: [UInt64] = []
  /// The flows that end at the event.
  var ending: [UInt64] = []

  static let none = Flows()

  static func through(_ flows: UInt64?...) -> Flows { Flows(through: flows.compactMap(\.self)) }
}
