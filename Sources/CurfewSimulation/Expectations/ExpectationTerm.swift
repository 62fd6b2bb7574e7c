import CurfewEngine
import CurfewText
import CurfewTrace

/// A key of an expectation, and which of a line's it asks about.
struct ExpectationTerm: Sendable {
  /// In the expectation.
  let name: String
  /// In the line.
  let key: String
  let shape: Shape
  let about: String
  /// What its absence asks for; nil for nothing.
  var absent: Plain?
  var presence = Field.Presence.optional
  /// What its text names that an app makes, so that one that nobody makes is a slip of the pen.
  var sort: ScenarioNames.Sort?
  /// A value as lines have it.
  let read: @Sendable (SourceNode) throws(Refusal) -> Plain?

  /// As the line's own files have it.
  static func same(_ name: String, as key: String? = nil, of line: String, _ about: String)
    -> ExpectationTerm
  {
    let type = LineType.named(line)
    let key = key ?? name
    let shape = type.shape(of: key)
    return ExpectationTerm(name: name, key: key, shape: shape, about: about) {
      node throws(Refusal) in
      guard let plain = node.plain(as: shape) else { return nil }
      return try type.canonical(plain, of: key)
    }
  }

  /// A time, which lines have in nanoseconds; of a time that has no end they say nothing, and here
  /// it is `endless`.
  static func time(_ name: String, endless: String? = nil, _ about: String) -> ExpectationTerm {
    let shape = endless.map { Shape.either([.duration, .word([$0], what: "time")]) } ?? .duration
    return ExpectationTerm(name: name, key: name, shape: shape, about: about) { node in
      node.interval.map { .number($0.nanoseconds) }
    }
  }

  /// One of several words.
  static func word(_ name: String, _ words: [String], _ about: String) -> ExpectationTerm {
    ExpectationTerm(name: name, key: name, shape: .word(words, what: name), about: about) {
      $0.text.map(Plain.text)
    }
  }

  /// A callback by the name that `on:` calls it by, or by UIKit's or Xamarin's.
  static func callback(_ about: String) -> ExpectationTerm {
    let type = LineType.named("callback")
    return ExpectationTerm(name: "name", key: "name", shape: .text, about: about) {
      node throws(Refusal) in
      let text = node.text ?? ""
      let name = Callback(fileName: text).map { CallbackNames.uikit.name(of: $0) } ?? text
      do throws(Refusal) {
        return try type.canonical(.text(name), of: "name")
      } catch {
        throw Refusal(
          error.message + NearestName.hint(for: text, among: Callback.fileNames, "there are"))
      }
    }
  }

  /// The reasons of a denial: these, and no other.
  static func reasons(_ name: String, _ about: String) -> ExpectationTerm {
    let term = same(name, as: "reasons", of: "decision", about)
    return ExpectationTerm(name: name, key: term.key, shape: term.shape, about: about) {
      node throws(Refusal) in
      if case .list(let elements) = node.content, elements.isEmpty {
        throw Refusal("'\(name)' names no reason; what is allowed is 'allowed: true'")
      }
      return try term.read(node)
    }
  }

  var required: ExpectationTerm {
    var term = self
    term.presence = .required
    return term
  }

  /// The same where somebody has to make what it names.
  func naming(_ sort: ScenarioNames.Sort) -> ExpectationTerm {
    var term = self
    term.sort = sort
    return term
  }

  /// The same, and what its absence asks for.
  func or(_ word: String) -> ExpectationTerm {
    var term = self
    term.absent = .text(word)
    return term
  }

  /// Its key under the name `key`, as the one that decides.
  func field(_ key: String? = nil) -> Field {
    Field(
      name: key ?? name, shape: shape, presence: key == nil ? presence : .required,
      description: about)
  }
}
