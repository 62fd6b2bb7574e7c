import CurfewEngine
import CurfewPolicy
package import CurfewText

/// The description of a verb. Readers, writers, schemas, the words on a terminal and the engine's
/// events are made from it.
package struct VerbRow: Sendable {
  /// The originator of the event.
  package enum Speaker: Sendable { case user, device, world, app, host }

  /// Whether the verb names an app.
  package enum Subject: Sendable {
    case none, required
    /// The app in front, which may be left out if only one can be in front.
    case inFront
    /// An app; without one the verb is about all apps, or about the device, as `about` says.
    case optional(about: String)
  }

  package let verb: InputVerb
  /// The word.
  package let name: String
  package let speaker: Speaker
  package let subject: Subject
  package let about: String
  /// The values, in scenarios and traces.
  package let values: [Attribute<EngineInput>]
  /// The values that only traces have.
  package let traced: [Attribute<EngineInput>]
  package private(set) var words: @Sendable (EngineInput) -> String
  let event: @Sendable (EngineInput, AppID?, inout TraceCoder) -> Event?

  /// Returns this row with `words` in place of the default words: its name and values.
  func said(_ words: @escaping @Sendable (EngineInput) -> String) -> VerbRow {
    var row = self
    row.words = words
    return row
  }

  /// A verb about a device or an app.
  static func of(
    _ verb: InputVerb, by speaker: Speaker, on subject: Subject = .none, _ about: String,
    _ values: [Attribute<EngineInput>] = [],
    words: @escaping @Sendable (EngineInput) -> String? = { _ in nil },
    event: @escaping @Sendable (EngineInput, AppID?, inout TraceCoder) -> Event?
  ) -> VerbRow {
    let name = "\(verb)"
    return VerbRow(
      verb: verb, name: name, speaker: speaker, subject: subject, about: about, values: values,
      traced: [],
      words: {
        [name, words($0)].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " ")
      }, event: event)
  }

  /// A verb for deeds of an app, or for events about an app: the app must be named.
  static func of(
    _ verb: InputVerb, by speaker: Speaker = .app, app about: String,
    _ values: [Attribute<EngineInput>] = [],
    traced: [Attribute<EngineInput>] = [],
    words: @escaping @Sendable (EngineInput) -> String? = { _ in nil },
    event: @escaping @Sendable (EngineInput, AppID, inout TraceCoder) -> Event?
  ) -> VerbRow {
    let name = "\(verb)"
    return VerbRow(
      verb: verb, name: name, speaker: speaker, subject: .required, about: about, values: values,
      traced: traced,
      words: {
        [name, words($0)].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " ")
      },
      event: { deed, app, coder in app.flatMap { event(deed, $0, &coder) } })
  }
}

extension InputVerb {
  /// The verb's row in the table.
  package var row: VerbRow { InputVerb.rows[Int(rawValue)] }

  /// The word: `useCPU`.
  public var name: String { row.name }

  /// The verb with this word; nil if there is none.
  package static func named(_ name: String) -> InputVerb? { byName[name] }

  private static let byName = Dictionary(uniqueKeysWithValues: rows.map { ($0.name, $0.verb) })

  /// Whether this is a voluntary call of an app, which the app may make inside a callback.
  package var isOwnCall: Bool { row.speaker == .app }
}

extension EngineInput {
  /// A value that the verb's row requires; a deed without it is a mistake of the program.
  func need<Value>(_ path: KeyPath<EngineInput, Value?>) -> Value {
    guard let value = self[keyPath: path] else {
      preconditionFailure("A deed '\(verb.name)' lacks a value: \(self)")
    }
    return value
  }
}
