public import CurfewEngine
public import CurfewText

/// A policy file, read and resolved: the engine's values, and for each of them what the file says
/// and where.
public struct PolicyFile: Sendable {
  /// The policy's name.
  public let name: String
  /// What the policy is about, in the file's words.
  public let about: String?
  /// The file by the name that it is shown under: a path as it was given, or `Policies/ios13.yaml`
  /// for a built-in profile.
  public let file: String
  /// The paths of all files on disk that were read for it: itself, its parent, and so on;
  /// of built-in policies nothing. Whoever writes a file can see here what not to overwrite.
  public let files: [String]
  /// The names of the policies that it extends, its parent first.
  public let parents: [String]
  /// The values, as the engine takes them.
  public private(set) var policy: Policy
  /// Sixteen hex digits that stand for the values: equal for two files that resolve to the same
  /// values, however they are written.
  public let digest: String
  /// Every value with its place and its source, in the language's order.
  public let entries: [PolicyEntry]

  /// What has been set of it, each path once, in the order in which they were set last.
  public private(set) var settings: [ValueSetting] = []

  /// What it and its parents write, for children to stand over.
  let layer: PolicyLayer
  private let index: [String: Int]

  init(
    name: String, about: String?, file: String, files: [String], parents: [String],
    _ resolution: PolicyResolution
  ) {
    self.name = name
    self.about = about
    self.file = file
    self.files = files
    self.parents = parents
    (layer, policy, entries) = (resolution.layer, resolution.policy, resolution.entries)
    digest = PolicyDigest.of(entries)
    index = Dictionary(
      entries.enumerated().map { ($1.path, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The value at `path`, such as `tasks.grant` or `wakes.fetch.length`.
  ///
  /// - Complexity: O(1).
  public func entry(_ path: String) -> PolicyEntry? { index[path].map { entries[$0] } }

  /// Where the value at `path` is written, or the mapping, such as `wakes` or `wakes.fetch`,
  /// or where a row is taken away; nil where the policy has none.
  ///
  /// - Complexity: O(1).
  package func place(of path: String) -> SourcePlace? {
    entry(path)?.place ?? layer.groups[path] ?? layer.removed[path]
  }
}

extension PolicyFile {
  /// Sets the value at `path` to what `text` says, as a child of this policy would that writes this
  /// one value.
  ///
  ///     try policy.set("tasks.grant", "45s")
  ///     try policy.set("wakes.bluetoothData.mode", "[bluetooth-central]")
  ///
  /// `text` is what a file has after the key: quotes, lists, `none` and
  /// `{value: 45s, source: MINE}` mean the same here. A whole mapping may be set,
  /// and a row that the policy does not have, with every value that such a row needs:
  /// `set("wakes.fetch", "{length: 30s, …}")`. Name, file and files stay the policy's.
  ///
  /// The place of what is set, in errors and entries, has the path as its file: `tasks.grant:1:1`.
  /// - Throws: What the reader of a file says: an unknown key, a text that is no such value,
  ///   a value that does not fit another. The policy stays as it was.
  /// - Complexity: O(n) in the number of values.
  public mutating func set(_ path: String, _ text: String) throws(FileErrors) {
    var findings = Findings()
    guard var root = try SourceNode(text, under: path, &findings) else {
      return try findings.throwIfAny(in: path)
    }
    findings.add(FormerConditions(takenFrom: &root).findings(over: layer))
    findings.add(ShapeCheck.findings(in: root, .record(PolicySchema.values)))
    let resolution = PolicyResolution(root, over: layer)
    try resolution.check(findings)
    let settings = settings.filter { $0.path != path } + [ValueSetting(path: path, text: text)]
    self = PolicyFile(
      name: name, about: about, file: file, files: files, parents: parents, resolution)
    self.settings = settings
  }

  /// This policy with all of that set.
  /// - Throws: As `set(_:_:)`.
  package func set(_ settings: [ValueSetting]) throws(FileErrors) -> PolicyFile {
    var policy = self
    for setting in settings { try policy.set(setting.path, setting.text) }
    return policy
  }

  /// The JSON Schema of policy files, written from the declarations that check them.
  package static var jsonSchema: String {
    JSONSchema.text(PolicySchema.file, title: "Curfew policy")
  }
}

extension PolicyFile {
  /// This policy with names for the kinds, modes and facts that only `others` have, and no rows:
  /// what is written for several policies can be read for each of them, and a kind without a row is
  /// denied. Values, entries and digest are this policy's.
  package func knowingNames(of others: [PolicyFile]) -> PolicyFile {
    var file = self
    for other in others.map(\.policy) {
      let (old, names) = (file.policy.names, file.policy.names.adding(other.names))
      for name in names.kinds.dropFirst(old.kinds.count) {
        guard names.class(of: name) == .wake, let kind = names.kind(name),
          let theirs = other.names.kind(name)
        else { continue }
        file.policy.startsElsewhere[kind] = other.start(of: theirs)
      }
      for name in names.facts.dropFirst(old.facts.count) {
        guard let fact = names.fact(name), let theirs = other.names.fact(name) else { continue }
        if other.facts.ofApps.contains(theirs) { file.policy.facts.ofApps.insert(fact) }
        if other.facts.ofDevice.contains(theirs) { file.policy.facts.ofDevice.insert(fact) }
      }
      file.policy.names = names
    }
    return file
  }
}

extension PolicyFile: CustomStringConvertible {
  /// The policy's name: as a test's argument a policy is a word and not its thousand values.
  public var description: String { name }
}

/// One value of a policy and where it comes from.
public struct PolicyEntry: Hashable, Sendable {
  /// Its keys from the outside in, joined by full stops: `wakes.fetch.length`.
  public let path: String
  /// The value, always written in the same way: `30s`.
  public let text: String
  /// Where it is written; for a value that is nowhere written, where the policy says that it need
  /// not be.
  public let place: SourcePlace
  /// Where the number comes from, with short keys resolved.
  public let source: String?
  /// How sure it is.
  public let confidence: Confidence?

  /// How sure a policy's value is.
  public enum Confidence: String, Hashable, Sendable, CaseIterable {
    /// Its publisher says so.
    case documented
    /// Seen in logs or measured.
    case observed
    /// A guess that fits the rest.
    case assumed
  }

  init(path: String, text: String, place: SourcePlace, source: String?, confidence: Confidence?) {
    self.path = path
    self.text = text
    self.place = place
    self.source = source
    self.confidence = confidence
  }
}
