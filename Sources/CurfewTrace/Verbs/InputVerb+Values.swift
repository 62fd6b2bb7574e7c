package import CurfewEngine
import CurfewPolicy
import CurfewText

// The values that several verbs share, and the values with their own notation.

extension InputVerb {
  static let callback = Attribute<EngineInput>(
    "callback", \.callback, .moment, .required, "The callback.")
  static let mode = Attribute<EngineInput>(
    "mode", \.kind, .kind(.session, "mode"), .required,
    "The session's kind; for a standard session, its background mode.")
  static let interval = Attribute<EngineInput>(
    "interval", \.interval, Notation.duration.or("never", what: "interval"), .required,
    "The interval; 'never' turns these wakes off.")
  static let identifier = Attribute<EngineInput>(
    "identifier", \.name, .text, .required, "The request's identifier.")
  static let notification = Attribute<EngineInput>(
    "id", \.name, .text, .required, "The notification's id; it replaces one with the same id.")

  static let quotedName: @Sendable (EngineInput) -> String? = { $0.name.map { "'\($0)'" } }
  static let intervalWords: @Sendable (EngineInput) -> String? = {
    $0.interval.map { $0.map(HumanTime.text) ?? "never" }
  }
}

extension Attribute<EngineInput> {
  /// A task by its label, or in a trace by its number if the label now belongs to another task.
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

extension Attribute<EngineInput> {
  /// The facts of a device that a change names.
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

extension Attribute<EngineInput> {
  /// The manifest of an app.
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
  /// A kind of this class, standard or declared by a policy. `what` is its name in messages. Code
  /// that has the policy checks whether the policy knows it.
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
  /// `none` for a task that was begun without a handler.
  static var noHandler: Notation {
    Notation(.text, text: { $0 == "none" ? .absent : .present }, { _ in "none" })
  }
}

extension NotificationPost.Manner {
  /// The manner of a post with this name in files: locations queue, everything else coalesces
  /// (rule A11).
  package init(ofPostNamed name: String) { self = name == "location" ? .queueing : .coalescing }
}

extension Notation<AppCall> {
  /// A callback, a handler, or the kind of a wake, which a policy may declare.
  static var moment: Notation {
    Notation(
      .name(AppCall.fileNames, what: "callback"),
      text: { AppCall(fileName: $0) ?? .wake(KindName(rawValue: $0)) }, { $0.fileName })
  }
}

extension Notation<String> {
  /// The name of a fact.
  static var fact: Notation { Notation(.name([], what: "fact"), text: { $0 }, { $0 }) }
}
