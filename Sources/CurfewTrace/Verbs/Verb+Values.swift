package import CurfewEngine
import CurfewPolicy
import CurfewText

// The values that several verbs have, and those that are written in a manner of their own.

extension Verb {
  static let callback = Attribute<Deed>("callback", \.callback, .moment, .required, "What it was.")
  static let mode = Attribute<Deed>(
    "mode", \.kind, .kind(.session, "mode"), .required,
    "The session's kind, which of a standard one is its background mode.")
  static let interval = Attribute<Deed>(
    "interval", \.interval, Notation.duration.or("never", what: "interval"), .required,
    "How often; never for not at all.")
  static let identifier = Attribute<Deed>(
    "identifier", \.name, .text, .required, "The request's identifier.")
  static let notification = Attribute<Deed>(
    "id", \.name, .text, .required, "The notification's id; the same id replaces.")

  static let quotedName: @Sendable (Deed) -> String? = { $0.name.map { "'\($0)'" } }
  static let intervalWords: @Sendable (Deed) -> String? = {
    $0.interval.map { $0.map(HumanTime.text) ?? "never" }
  }
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
    }, write: { deed in deed.task.map { .number(Int64($0.rawValue)) } ?? deed.name.map(Plain.text) }
  )
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

extension Notation<KindName> {
  /// A kind of that class, standard or a policy's own: `what` is what messages call it. Whether
  /// the policy knows it is looked at by who knows the policy.
  static func kind(_ wanted: AssertionClass, _ what: String) -> Notation {
    Notation(
      .name(PolicyNames().kinds(wanted).map(\.rawValue), what: what), text: KindName.reading(what),
      { $0.rawValue })
  }

  /// A kind of any class.
  static var kind: Notation {
    Notation(
      .name(KindName.standard.map(\.rawValue), what: "kind"), text: KindName.reading("kind"),
      { $0.rawValue })
  }
}

extension KindName {
  fileprivate static func reading(_ what: String) -> @Sendable (String) throws(Refusal) -> KindName
  {
    { text throws(Refusal) in
      guard NameText.isSound(text) else {
        throw Refusal("unknown \(what) '\(text)'", unknownWord: text)
      }
      return KindName(rawValue: text)
    }
  }
}

extension Notation<Denials> {
  /// A list of reasons: standard ones, and facts that failed.
  static var denials: Notation {
    Notation(.list(.name(DenialReasons.fileNames, what: "reason"))) { plain throws(Refusal) in
      guard case .texts(let texts) = plain else { return nil }
      var (reasons, facts): (DenialReasons, [String]) = ([], [])
      for text in texts {
        if let reason = DenialReasons(fileName: text) {
          reasons.formUnion(reason)
        } else if NameText.isSound(text) {
          facts.append(text)
        } else {
          throw Refusal("unknown reason '\(text)'", unknownWord: text)
        }
      }
      return Denials(reasons, facts: facts)
    } write: {
      .texts($0.names)
    }
  }
}

extension Notation<ExpirationHandler> {
  /// `none` for a task that was begun without one.
  static var noHandler: Notation {
    Notation(.text, text: { $0 == "none" ? .absent : .present }, { _ in "none" })
  }
}

extension Post.Manner {
  /// The manner of what files post as `name`: locations queue, everything else coalesces
  /// (rule A11).
  package init(ofPostNamed name: String) { self = name == "location" ? .queueing : .coalescing }
}

extension Notation<Moment> {
  /// A callback, a handler, or the kind of a wake, which may be a policy's own.
  static var moment: Notation {
    Notation(
      .name(Moment.fileNames, what: "callback"),
      text: { Moment(fileName: $0) ?? .wake(KindName(rawValue: $0)) }, { $0.fileName })
  }
}

extension Notation<String> {
  /// A fact's name.
  static var fact: Notation { Notation(.name([], what: "fact"), text: { $0 }, { $0 }) }
}
