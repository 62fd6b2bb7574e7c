import CurfewEngine
package import CurfewText

/// Keys that stand together in files: a policy's own, those of a mapping, or those of one row.
struct PolicyTable: Sendable {
  /// Where it stands: `tasks`, `wakes.fetch`; nothing for the policy's own keys.
  let path: String
  /// Of which kind of assertion it is a row. A row need not be there.
  let kind: AssertionKind?
  let keys: [PolicyKey<Policy>]

  /// All of them, in the language's order.
  static let all = PolicyGroup.all.flatMap(\.tables)
}

/// A mapping of a policy file: a table under its name, or the rows of one.
struct PolicyGroup: Sendable {
  /// Its keys in a file that has it, for the check and the schema.
  let fields: [Field]
  let tables: [PolicyTable]

  /// All of them, in the language's order. A key that is new is a row of its table's `keys`; a table that is new is one here.
  static let all: [PolicyGroup] = [
    PolicyGroup(own: Policy.keys),
    PolicyGroup("limits", \.limits, CallbackLimits.keys, "How long callbacks may take, in wall time from delivery to return."),
    PolicyGroup("tasks", \.tasks, TaskRules.keys, "Finite-length tasks."),
    PolicyGroup(
      rows: "sessions", of: AssertionKind.sessions, what: "session", { \.[session: $0] }, SessionRules.keys,
      "A session: an assertion while it is on.", "The sessions that are admitted, by mode."),
    PolicyGroup(
      rows: "wakes", of: AssertionKind.wakes, what: "wake", { \.[wake: $0] }, WakeRules.keys, "A wake: what an arriving event may do.",
      "The wakes that are admitted, by kind."),
    PolicyGroup(
      "lockedFiles", \.lockedFiles, LockedFileRules.keys, "Apps that hold a locked file when they are about to be suspended."),
    PolicyGroup("memory", \.memory, MemoryRules.keys, "What apps may take up together, and each alone."),
    PolicyGroup("cpu", \.self, Policy.processorKeys, "What an app in the background may use of the processor."),
    PolicyGroup("notifications", \.notifications, NotificationRules.keys, "What is kept for apps that do not run."),
  ]

  private init(own keys: [PolicyKey<Policy>]) {
    fields = keys.map(\.field)
    tables = [PolicyTable(path: "", kind: nil, keys: keys)]
  }

  /// A mapping of keys.
  private init<Table>(
    _ name: String, _ place: any WritableKeyPath<Policy, Table> & Sendable, _ keys: [PolicyKey<Table>], _ about: String
  ) {
    fields = [.optional(name, .record(Record(about, keys.map(\.field) + Provenance.fields)), about)]
    tables = [PolicyTable(path: name, kind: nil, keys: keys.map { $0.at(place, under: name + ".") })]
  }

  /// A mapping of rows by kind; `row` says what one is.
  private init<Row>(
    rows name: String, of kinds: [AssertionKind], what: String,
    _ place: (AssertionKind) -> any WritableKeyPath<Policy, Row> & Sendable, _ keys: [PolicyKey<Row>], _ row: String, _ about: String
  ) {
    let words = Shape.Keys.words(kinds.map(\.fileName), what: what, besides: Provenance.fields)
    fields = [.optional(name, .dictionary(words, .record(Record(row, keys.map(\.field) + Provenance.fields))), about)]
    tables = kinds.map { kind in
      let path = "\(name).\(kind.fileName)"
      let place = place(kind)
      return PolicyTable(path: path, kind: kind, keys: keys.map { $0.at(place, under: path + ".") })
    }
  }
}

extension PolicyKey {
  /// The key in files: the value, or a mapping of the value and where it comes from.
  fileprivate var field: Field { .optional(name, .sourced(shape, with: Provenance.fields), about) }
}

extension Policy {
  fileprivate subscript(session kind: AssertionKind) -> SessionRules {
    get { sessions[kind] ?? .unwritten }
    set { sessions[kind] = newValue }
  }

  fileprivate subscript(wake kind: AssertionKind) -> WakeRules {
    get { wakes[kind] ?? .unwritten }
    set { wakes[kind] = newValue }
  }

  /// The canonical text of each of its values by path, in the language's order: what a file would have to say that has no parent.
  package var texts: [(path: String, text: String)] {
    PolicyTable.all.flatMap { table -> [(path: String, text: String)] in
      if let kind = table.kind, sessions[kind] == nil, wakes[kind] == nil { return [] }
      return table.keys.map { ($0.path, $0.write(self)) }
    }
  }
}

extension PolicyFile {
  /// What a file may write: the mapping or row that a key stands in, the key, and what it may be. Of a row those that are for its kind.
  package static let keys: [(table: String, name: String, shape: Shape)] = PolicyTable.all.flatMap { table in
    table.keys.filter { key in table.kind.map { key.kinds?.contains($0) ?? true } ?? true }.map { (table.path, $0.name, $0.shape) }
  }
}
