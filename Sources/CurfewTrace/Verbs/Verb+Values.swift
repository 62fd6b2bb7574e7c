package import CurfewEngine
import CurfewManifest
import CurfewText

// The values that several verbs have, and those that are written in a manner of their own.

extension Verb {
  static let callback = Attribute<Deed>("callback", \.callback, .word("callback"), .required, "What it was.")
  static let mode = Attribute<Deed>(
    "mode", \.kind, .word("mode", among: AssertionKind.sessions), .required, "The session's background mode.")
  static let interval = Attribute<Deed>(
    "interval", \.interval, Notation.duration.or("never", what: "interval"), .required, "How often; never for not at all.")
  static let identifier = Attribute<Deed>("identifier", \.name, .text, .required, "The request's identifier.")
  static let notification = Attribute<Deed>("id", \.name, .text, .required, "The notification's id; the same id replaces.")

  static let quotedName: @Sendable (Deed) -> String? = { $0.name.map { "'\($0)'" } }
  static let intervalWords: @Sendable (Deed) -> String? = { $0.interval.map { $0.map(HumanTime.text) ?? "never" } }
}

extension Attribute<Deed> {
  /// By its label; in a trace by its number, where the label has come to hold another task.
  static let task = Attribute(
    Field(name: "task", shape: .text, presence: .required, description: "The task's label."),
    read: { deed, plain throws(Refusal) in
      switch plain {
      case .text(let label): deed.name = label
      case .number(let number):
        guard let id = UInt32(exactly: number) else { return false }
        deed.task = TaskID(rawValue: id)
      case .flag, .texts: return false
      }
      return true
    }, write: { deed in deed.task.map { .number(Int64($0.rawValue)) } ?? deed.name.map(Plain.text) })
}

extension Attribute<Deed> {
  /// The facts of a device, of which a change names some.
  static let facts = DeviceChange.values.map { fact in
    Attribute(
      fact.field,
      read: { deed, plain throws(Refusal) in
        var change = deed.device ?? DeviceChange()
        guard try fact.read(&change, plain) else { return false }
        deed.device = change
        return true
      }, write: { $0.device.flatMap(fact.write) })
  }
}

extension Attribute<Deed> {
  /// What an app declares.
  static let manifest = (AppManifest.fields + AppManifest.traced).map { field in
    Attribute(
      field.field,
      read: { deed, plain throws(Refusal) in
        var manifest = deed.manifest ?? AppManifest()
        guard try field.read(&manifest, plain) else { return false }
        deed.manifest = manifest
        return true
      }, write: { $0.manifest.flatMap(field.write) })
  }
}

extension Notation<AssertionKind> {
  /// The kinds of request.
  static var requestKind: Notation {
    let kind = Notation.word("kind", among: [.appRefresh, .processing])
    return Notation(kind.shape) { plain throws(Refusal) in
      do throws(Refusal) {
        return try kind.read(plain)
      } catch {
        throw Refusal("no request is of the kind '\(error.unknownWord ?? "")'")
      }
    } write: {
      .text($0.fileName)
    }
  }
}

extension Notation<ExpirationHandler> {
  /// `none` for a task that was begun without one.
  static var noHandler: Notation { Notation(.text, text: { $0 == "none" ? .absent : .present }, { _ in "none" }) }
}

extension Post.Manner {
  /// The manner of what files post as `name`: locations queue, everything else coalesces (rule A11).
  package init(ofPostNamed name: String) { self = name == "location" ? .queueing : .coalescing }
}
