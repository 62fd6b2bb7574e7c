import CurfewEngine
import CurfewText
import CurfewTrace

/// A key of an expectation, and the key of a line that it is compared with.
struct ExpectationTerm: Sendable {
  /// The key in the expectation.
  let name: String
  /// The key in the line.
  let key: String
  let shape: Shape
  let about: String
  /// The value that an absent key stands for; nil if an absent key is not compared.
  var absent: Plain?
  var presence = Field.Presence.optional
  /// The sort of name that its text refers to. A name that no step defines is reported as
  /// a typing error.
  var sort: ScenarioNames.Sort?
  /// Reads a value in the notation of lines.
  let read: @Sendable (SourceNode) throws(Refusal) -> Plain?

  /// A term in the same notation as in the lines of trace files.
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

  /// A time, which lines have in nanoseconds. A line omits an infinite time; an expectation writes
  /// it as `endless`.
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

  /// A callback by its name under `on:`, or by UIKit's or Xamarin's name.
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
          error.message + NearestName.hint(for: text, among: Callback.fileNames, "expected one of"))
      }
    }
  }

  /// A callback or handler of a diagnostic by its name under `returns:`, or by UIKit's or
  /// Xamarin's name.
  static func call(_ name: String, _ about: String) -> ExpectationTerm {
    let term = same(name, of: "diagnostic", about)
    return ExpectationTerm(name: name, key: name, shape: .text, about: about) {
      node throws(Refusal) in
      guard let call = node.text.flatMap(CallbackNames.call) else { return try term.read(node) }
      return .text(call.fileName)
    }
  }

  /// The exact set of reasons of a denial.
  static func reasons(_ name: String, _ about: String) -> ExpectationTerm {
    let term = same(name, as: "reasons", of: "decision", about)
    return ExpectationTerm(name: name, key: term.key, shape: term.shape, about: about) {
      node throws(Refusal) in
      if case .list(let elements) = node.content, elements.isEmpty {
        throw Refusal("'\(name)' names no reason; write 'allowed: true' for an admission")
      }
      return try term.read(node)
    }
  }

  var required: ExpectationTerm {
    var term = self
    term.presence = .required
    return term
  }

  /// The same term, whose text must be a name that an app defines.
  func naming(_ sort: ScenarioNames.Sort) -> ExpectationTerm {
    var term = self
    term.sort = sort
    return term
  }

  /// The same term, for which an absent key stands for `word`.
  func or(_ word: String) -> ExpectationTerm {
    var term = self
    term.absent = .text(word)
    return term
  }

  /// The schema field of the term. If `key` is given, it is the field's name, and the field is the
  /// deciding key.
  func field(_ key: String? = nil) -> Field {
    Field(
      name: key ?? name, shape: shape, presence: key == nil ? presence : .required,
      description: about)
  }
}
