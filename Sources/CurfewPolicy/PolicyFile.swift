public import CurfewEngine
public import CurfewText

/// A policy file, read and resolved: the engine's values, and for each of them its text and
/// its place.
public struct PolicyFile: Sendable {
  /// The policy's name.
  public let name: String
  /// The subject of the policy, as the file's `about` describes it.
  public let about: String?
  /// The displayed name of the file: a path as it was given, or `Policies/ios13.yaml` for
  /// a built-in profile.
  public let file: String
  /// The paths of all files on disk that were read: this file, its parent, and so on. Built-in
  /// policies add none. A program that writes files can check here that it overwrites none of them.
  public let files: [String]
  /// The names of the policies that this one extends, its parent first.
  public let parents: [String]
  /// The values, as the engine takes them.
  public private(set) var policy: Policy
  /// Sixteen hex digits that identify the values: equal for two files that resolve to the same
  /// values, however they are written.
  public let digest: String
  /// Every value with its place and its source, in the language's order.
  public let entries: [PolicyEntry]

  /// The values that have been set in code, each path once, in the order in which they were
  /// last set.
  public private(set) var settings: [ValueSetting] = []

  /// The values that this policy and its parents write; children override them.
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

  /// Creates a built-in policy from values that a program has in code, without reading its text.
  /// It has no entries. Settings are applied to the text.
  package init(builtIn name: String, _ policy: Policy, digest: String) {
    (self.name, self.policy, self.digest) = (name, policy, digest)
    (about, file, files, parents) = (nil, "Policies/\(name).yaml", [], [])
    (layer, entries, index) = (PolicyLayer(), [], [:])
  }

  /// The value at `path`, such as `tasks.grant` or `wakes.fetch.length`.
  ///
  /// - Complexity: O(1).
  public func entry(_ path: String) -> PolicyEntry? { index[path].map { entries[$0] } }

  /// The place of the value at `path`, of a mapping such as `wakes` or `wakes.fetch`, or of the
  /// removal of a row; nil if the policy has none.
  ///
  /// - Complexity: O(1).
  package func place(of path: String) -> SourcePlace? {
    entry(path)?.place ?? layer.groups[path] ?? layer.removed[path]
  }
}

extension PolicyFile {
  /// Sets the value at `path` to `text`. The result is the same as that of a child policy that
  /// contains only this value.
  ///
  ///     try policy.set("tasks.grant", "45s")
  ///     try policy.set("wakes.bluetoothData.mode", "[bluetooth-central]")
  ///
  /// `text` is read like the text after the key in a file: quotes, lists, `none` and
  /// `{value: 45s, source: MINE}` have the same meaning. A whole mapping may be set.
  /// A row that the policy does not have may be added, with every value that such a row needs:
  /// `set("wakes.fetch", "{length: 30s, …}")`. The policy keeps its name, file and files.
  ///
  /// Errors and entries give the path of a set value instead of a file: `tasks.grant:1:1`.
  /// - Throws: The errors that reading a file would report: an unknown key, an invalid value,
  ///   or a value that does not fit another. The policy stays as it was.
  /// - Complexity: O(n) in the number of values.
  public mutating func set(_ path: String, _ text: String) throws(FileErrors) {
    self = try set([ValueSetting(path: path, text: text)])
  }

  /// Returns this policy with all the settings, applied in order and checked once at the end.
  /// - Throws: The errors of `set(_:_:)`, in any of the settings. Their file is the path of the
  ///   setting that they are about.
  package func set(_ settings: [ValueSetting]) throws(FileErrors) -> PolicyFile {
    guard let last = settings.last else { return self }
    if entries.isEmpty { return try PolicyFile.load(name).set(settings) }
    var (findings, roots, layer) = (Findings(), [SourcePlace](), layer)
    var resolution: PolicyResolution?
    for setting in settings {
      guard var root = try SourceNode(setting.text, under: setting.path, &findings) else {
        continue
      }
      findings.add(FormerConditions(takenFrom: &root).findings(over: layer))
      findings.add(ShapeCheck.findings(in: root, .record(PolicySchema.values)))
      let next = PolicyResolution(root, over: layer, besides: roots)
      roots.append(root.place)
      (layer, resolution) = (next.layer, next)
    }
    guard let resolution else {
      try findings.throwIfAny(in: last.path)
      return self
    }
    try resolution.check(findings)
    var file = PolicyFile(
      name: name, about: about, file: self.file, files: files, parents: parents, resolution)
    file.settings = settings.reduce(into: self.settings) { all, setting in
      all.removeAll { $0.path == setting.path }
      all.append(setting)
    }
    return file
  }

  /// The JSON Schema of policy files, generated from the declarations that check them.
  package static var jsonSchema: String {
    JSONSchema.text(PolicySchema.file, title: "Curfew policy")
  }
}

extension PolicyFile {
  /// Returns this policy with names for the kinds, modes and facts that only `others` have, but
  /// without rows for them. A text for several policies can then be read under each of them,
  /// and a kind without a row is denied. Values, entries and digest do not change.
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
  /// The policy's name. A test that has a policy as its argument then shows a word instead of a
  /// thousand values.
  public var description: String { name }
}

/// One value of a policy, with its place and its source.
public struct PolicyEntry: Hashable, Sendable {
  /// The keys, outermost first, joined by full stops: `wakes.fetch.length`.
  public let path: String
  /// The value in canonical form: `30s`.
  public let text: String
  /// The place where the value is written. For a value that no file writes, the place of the
  /// mapping around it, or of `multitasking` if that makes the value unnecessary.
  public let place: SourcePlace
  /// The source of the number, with short keys resolved.
  public let source: String?
  /// The confidence in the value.
  public let confidence: Confidence?

  /// The confidence in a policy's value.
  public enum Confidence: String, Hashable, Sendable, CaseIterable {
    /// The publisher documents it.
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
