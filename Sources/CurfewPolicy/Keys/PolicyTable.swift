import CurfewEngine
package import CurfewText

/// A group of keys in files: the keys of a policy itself, of a mapping, or of one row.
struct PolicyTable: Sendable {
  /// The path of the mapping: `tasks`, `wakes.fetch`; empty for the policy's own keys.
  let path: String
  /// The kind of assertion whose row this is. A row may be missing.
  let kind: AssertionKind?
  let keys: [PolicyKey<Policy>]

  /// All tables, in the language's order, for a policy that declares no names of its own.
  static let standard = PolicyGroup.all.flatMap { $0.tables(PolicyNames()) }

  /// All tables, in the language's order.
  static func all(_ own: OwnNames) -> [PolicyTable] {
    own == .none ? standard : PolicyGroup.all.flatMap { [names = own.names] in $0.tables(names) }
  }
}

/// A mapping of a policy file: a table under its name, or rows.
struct PolicyGroup: Sendable {
  /// The keys in a file, for the check and the schema.
  let fields: [Field]
  let tables: @Sendable (PolicyNames) -> [PolicyTable]

  /// All mappings, in the language's order. A new key is a row of its table's `keys`; a new table
  /// is a row here.
  static let all: [PolicyGroup] = [
    PolicyGroup(own: Policy.keys),
    PolicyGroup(ownModes: "modes"),
    PolicyGroup(ownFacts: "facts"),
    PolicyGroup(ownGroups: "groups"),
    PolicyGroup(
      "limits", \.limits, CallbackLimits.keys,
      "How long callbacks may take, in wall time from delivery to return."),
    PolicyGroup("tasks", \.tasks, TaskRules.keys, "Finite-length tasks."),
    PolicyGroup(
      rows: .sessions, { \.[session: $0] }, SessionRules.keys(of:),
      "A session: an assertion while it is on.",
      "The sessions that are admitted, by kind: standard ones, and others under any name."),
    PolicyGroup(
      rows: .wakes, { \.[wake: $0] }, WakeRules.keys(of:), "A wake: a run that an event may start.",
      "The wakes that are admitted, by kind: standard ones, and others under any name."),
    PolicyGroup(
      "lockedFiles", \.lockedFiles, LockedFileRules.keys,
      "Apps that hold a locked file when they are about to be suspended."),
    PolicyGroup(
      "memory", \.memory, MemoryRules.keys, "The memory that apps may use together and alone."),
    PolicyGroup(
      "cpu", \.self, Policy.processorKeys, "The processor share of an app in the background."
    ),
    PolicyGroup(
      "notifications", \.notifications, NotificationRules.keys,
      "Notifications and posts that are kept for apps that do not run."),
  ]

  /// A mapping of rows by kind.
  enum Rows: String {
    case sessions, wakes

    var `class`: AssertionClass { self == .sessions ? .session : .wake }
    /// The word for one row.
    var what: String { self == .sessions ? "session" : "wake" }
  }

  fileprivate init(fields: [Field], tables: @escaping @Sendable (PolicyNames) -> [PolicyTable]) {
    (self.fields, self.tables) = (fields, tables)
  }

  private init(own keys: [PolicyKey<Policy>]) {
    fields = keys.map(\.field)
    tables = { _ in [PolicyTable(path: "", kind: nil, keys: keys)] }
  }

  /// A mapping of keys.
  private init<Table>(
    _ name: String, _ place: any WritableKeyPath<Policy, Table> & Sendable,
    _ keys: [PolicyKey<Table>], _ about: String
  ) {
    fields = [.optional(name, .record(Record(about, keys.map(\.field) + Provenance.fields)), about)]
    tables = { _ in
      [PolicyTable(path: name, kind: nil, keys: keys.map { $0.at(place, under: name + ".") })]
    }
  }

  /// A mapping of rows by kind; `row` describes one row.
  private init<Row>(
    rows: Rows,
    _ place: @escaping @Sendable (AssertionKind) -> any WritableKeyPath<Policy, Row> & Sendable,
    _ keys: @escaping @Sendable (StandardKind?) -> [PolicyKey<Row>], _ row: String, _ about: String
  ) {
    let record = Record(row, keys(nil).map(\.field) + Provenance.fields)
    let shape = Shape.named(rows.what) { .either([.record(record), .word(["none"], what: "row")]) }
    let known = PolicyNames().kinds(rows.class).map(\.rawValue)
    let names = Shape.Keys.names(known, what: rows.what, besides: Provenance.fields)
    fields = [.optional(rows.rawValue, .dictionary(names, shape), about)]
    tables = { names in
      names.kinds(rows.class).compactMap { name in
        guard let kind = names.kind(name) else { return nil }
        let (path, place) = ("\(rows).\(name)", place(kind))
        return PolicyTable(
          path: path, kind: kind,
          keys: keys(kind.asStandard).map { $0.at(place, under: path + ".") })
      }
    }
  }

  /// Modes that the policy declares. They are not values of the policy, because a mode has no
  /// effect until a row names it.
  private init(ownModes name: String) {
    let about =
      "Background modes that the policy declares, each with a sentence: values of manifests that its rows may name."
    fields = [.optional(name, .dictionary(.names([], what: "mode"), .text), about)]
    tables = { _ in [] }
  }

  /// Facts that the policy declares.
  private init(ownFacts name: String) {
    let about =
      "Facts that the policy declares: scenarios and hosts set them, and the policy's rows may name them."
    let record = Record(
      "A fact, which holds or does not hold.",
      FactRules.keys(of: []).map(\.field) + [
        .optional("about", .text, "The meaning, in one sentence.")
      ] + Provenance.fields)
    fields = [.optional(name, .dictionary(.names([], what: "fact"), .record(record)), about)]
    tables = { names in
      names.facts.indices.dropFirst(FactSet.standardNames.count).map { place in
        let path = "\(name).\(names.facts[place])"
        return PolicyTable(
          path: path, kind: nil,
          keys: FactRules.keys(of: FactSet(place: place)).map { $0.at(\.facts, under: path + ".") })
      }
    }
  }
}

extension PolicyGroup {
  /// Groups of apps that the policy declares.
  fileprivate init(ownGroups name: String) {
    let about =
      "Groups of apps, by facts or by the time since their last use; a budget may be for one group."
    let record = Record(
      "A group of apps. An app is in at most one group.",
      GroupRules.keys.map(\.field) + [.optional("about", .text, "The meaning, in one sentence.")]
        + Provenance.fields)
    let fields: [Field] = [
      .optional(name, .dictionary(.names([], what: "group"), .record(record)), about)
    ]
    self.init(fields: fields) { names in
      names.groups.indices.map { place in
        let path = "\(name).\(names.groups[place])"
        return PolicyTable(
          path: path, kind: nil,
          keys: GroupRules.keys.map { $0.at(\.[group: place], under: path + ".") })
      }
    }
  }
}

extension PolicyKey {
  /// The key in files: the value, or a mapping of the value and its source.
  fileprivate var field: Field { .optional(name, .sourced(shape, with: Provenance.fields), about) }
}

extension Policy {
  fileprivate subscript(session kind: AssertionKind) -> SessionRules {
    get { sessions[kind] ?? .unwritten }
    set { sessions[kind] = newValue }
  }

  fileprivate subscript(group place: Int) -> GroupRules {
    get { groups[place] }
    set { groups[place] = newValue }
  }

  fileprivate subscript(wake kind: AssertionKind) -> WakeRules {
    get { wakes[kind] ?? .unwritten }
    set { wakes[kind] = newValue }
  }

  /// The canonical text of each value by path, in the language's order. A file without a parent
  /// would have to write all of them.
  package var texts: [(path: String, text: String)] {
    PolicyGroup.all.flatMap { $0.tables(names) }.flatMap {
      table -> [(path: String, text: String)] in
      if let kind = table.kind, sessions[kind] == nil, wakes[kind] == nil { return [] }
      return table.keys.map { ($0.path, $0.write(self, names)) }
    }
  }
}

extension PolicyFile {
  /// The meaning of each key, in one sentence.
  package static let abouts: [(path: String, about: String)] = PolicyTable.standard.flatMap {
    $0.keys.map { ($0.path, $0.about) }
  }

  /// The keys that a file may write: the path of the mapping or row, the key, and its shape. A
  /// wake's row has only the keys that its kind's start allows.
  package static let keys: [(table: String, name: String, shape: Shape)] = PolicyTable.standard
    .flatMap { table in
      table.keys.filter { $0.starts?.contains(table.kind?.asStandard?.start ?? .event) ?? true }.map
      { (table.path, $0.name, $0.shape) }
    }
}
