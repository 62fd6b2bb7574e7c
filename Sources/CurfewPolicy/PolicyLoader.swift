import CurfewEngine
import CurfewSystem
public import CurfewText

/// Reads a policy and its parents.
struct PolicyLoader {
  /// The greatest number of policies in a chain; a built-in policy counts as one. A longer chain
  /// is probably a mistake.
  static let longestChain = 16

  /// The source of a policy's text.
  private struct Origin {
    /// Equal for two names of the same file.
    var identity: String
    /// The name in errors.
    var name: String
    /// The bytes of a built-in policy; nil for a file to read.
    var bytes: [UInt8]?
  }

  /// The files from the requested one to this one.
  private var chain: [Origin] = []
  /// The built-in policies that have been read; nil means all of them.
  private var known: [String: PolicyFile]?

  /// The built-in policies, parents before their children. Each is read once, because a program
  /// that runs many scenarios names a built-in policy in each of them.
  private static let builtIns: [String: PolicyFile] = {
    var known: [String: PolicyFile] = [:]
    for name in builtInNames {
      var loader = PolicyLoader()
      loader.known = known
      known[name] = try? loader.load(name, at: nil, relativeTo: nil)
    }
    return known
  }()

  static var builtInNames: [String] { ShippedFiles.profiles }

  /// The profile for the system version in `ios12` or `ios17`: the latest profile that is not newer
  /// than the version.
  static func profile(ofVersion name: String) -> String? {
    func version(_ name: String) -> Int? { name.hasPrefix("ios") ? Int(name.dropFirst(3)) : nil }
    guard let wanted = version(name) else { return nil }
    return builtInNames.last { version($0).map { $0 <= wanted } ?? false }
  }

  /// `; the built-in policy is called 'ios13'` if a missing file has a similar name:
  /// `ios13.yaml`, `Policies/IOS13.yml`.
  private static func builtInHint(forFile path: String) -> String {
    let name = path.split(separator: "/").last?.lowercased() ?? ""
    guard let ending = [".yaml", ".yml"].first(where: name.hasSuffix) else { return "" }
    let stem = String(name.dropLast(ending.count))
    if builtInNames.contains(stem) { return "; the built-in policy is called '\(stem)'" }
    return profile(ofVersion: stem).map { "; the built-in policy that covers it is called '\($0)'" }
      ?? ""
  }

  /// Whether `name` is a path and not the name of a built-in policy.
  static func isPath(_ name: String) -> Bool {
    name.contains("/") || [".yaml", ".yml"].contains(where: name.lowercased().hasSuffix)
  }

  /// Loads the policy that is named at `place`. Relative paths start in the folder of that file;
  /// without a place, in the current folder.
  mutating func load(_ name: String, at place: SourcePlace?, relativeTo file: String?)
    throws(FileErrors) -> PolicyFile
  {
    let origin = try origin(of: name, at: place, relativeTo: file)
    if chain.contains(where: { $0.identity == origin.identity }) {
      let names = (chain + [origin]).map(\.name).joined(separator: " → ")
      throw refusal("a policy cannot extend itself: \(names)", at: place, origin.name)
    }
    guard chain.count < PolicyLoader.longestChain else {
      throw refusal(
        "a chain of more than \(PolicyLoader.longestChain) policies", at: place, origin.name)
    }
    chain.append(origin)
    let source: SourceFile
    if let bytes = origin.bytes {
      if let file = (known ?? PolicyLoader.builtIns)[name] { return file }
      source = try SourceFile(name: origin.name, bytes: bytes)
    } else {
      do {
        source = try SourceFile.read(origin.name)
      } catch {
        // Errors inside the file already have places in that file.
        guard error.diagnostics[0].place == nil else { throw error }
        let reason = error.diagnostics[0].message
        let message =
          reason + (reason == FileBytes.missing ? PolicyLoader.builtInHint(forFile: name) : "")
        // The error is shown in the file that names the policy, because that is where it can
        // be corrected.
        throw refusal(
          place == nil ? message : "the policy '\(origin.name)': \(message)", at: place, origin.name
        )
      }
    }
    return try decode(source)
  }

  /// The policy in `source`.
  mutating func decode(_ source: SourceFile) throws(FileErrors) -> PolicyFile {
    do { return try read(source) } catch { throw error.quoting(source) }
  }

  private mutating func read(_ source: SourceFile) throws(FileErrors) -> PolicyFile {
    if chain.isEmpty {
      chain = [Origin(identity: FileBytes.identity(of: source.name), name: source.name)]
    }
    var findings = Findings()
    var root = try SourceDocument.parse(source, version: PolicySchema.version, &findings)
    let former = FormerConditions(takenFrom: &root)
    findings.add(ShapeCheck.findings(in: root, .record(PolicySchema.file)))
    var parent: PolicyFile?
    if let extends = root["extends"], let name = extends.text, !name.isEmpty {
      do {
        parent = try load(name, at: extends.place, relativeTo: source.name)
      } catch {
        findings.add(error)
      }
    }
    if root["extends"] != nil, parent == nil { try findings.throwIfAny(in: source.name) }
    // The line to write depends on the parent's lists, so a refused parent is reported first.
    findings.add(former.findings(over: parent?.layer))
    let resolution = PolicyResolution(root, over: parent?.layer)
    try resolution.check(findings)
    return PolicyFile(
      name: root["name"]?.text ?? "", about: root["about"]?.text, file: source.name,
      files: [source.path].compactMap(\.self) + (parent?.files ?? []),
      parents: parent.map { [$0.name] + $0.parents } ?? [], resolution)
  }

  private func origin(of name: String, at place: SourcePlace?, relativeTo file: String?)
    throws(FileErrors) -> Origin
  {
    if PolicyLoader.isPath(name) {
      let path = SourceFile.path(name, relativeTo: file)
      return Origin(identity: FileBytes.identity(of: path), name: path)
    }
    guard let bytes = ShippedFiles.profile(name) else {
      let names = PolicyLoader.builtInNames
      let near =
        (PolicyLoader.profile(ofVersion: name) ?? NearestName.to(name, among: names)).map {
          "; did you mean '\($0)'?"
        } ?? ";"
      let known = "built in: \(names.joined(separator: ", "))"
      let message =
        "unknown built-in policy '\(name)'\(near) \(known); a path has a '/' or ends in .yaml"
      throw refusal(message, at: place, name)
    }
    return Origin(identity: "built-in \(name)", name: "Policies/\(name).yaml", bytes: bytes)
  }

  private func refusal(_ message: String, at place: SourcePlace?, _ file: String) -> FileErrors {
    FileErrors([
      place.map { FileDiagnostic(at: $0, message) } ?? FileDiagnostic(file: file, message)
    ])
  }
}

extension PolicyFile {
  /// The names of the built-in policies: first iOS, the oldest system first, then other devices.
  public static let builtInNames = PolicyLoader.builtInNames

  /// Loads the policy of that name: a built-in one, or the file at a path, which has a `/` or ends
  /// in `.yaml`.
  ///
  /// A relative path starts in the folder of `file`; without one, in the current folder.
  ///
  /// - Throws: All errors in the file or a parent of it.
  public static func load(_ nameOrPath: String, relativeTo file: String? = nil) throws(FileErrors)
    -> PolicyFile
  {
    var loader = PolicyLoader()
    return try loader.load(nameOrPath, at: nil, relativeTo: file)
  }

  /// Reads the policy in `text` as a file would be read.
  ///
  ///     let strict = try PolicyFile.decode("""
  ///       curfew: policy/1
  ///       name: strict
  ///       extends: ios13
  ///       tasks: {grant: 10s, warning: 2s}
  ///       """)
  ///
  /// - Parameters:
  ///   - text: The YAML text of the policy.
  ///   - name: The name in errors and places: `Tests/strict.yaml`. The relative path of a parent
  ///     starts in its folder.
  /// - Throws: All errors in the text or a parent of it.
  public static func decode(_ text: String, name: String = "policy text") throws(FileErrors)
    -> PolicyFile
  {
    try decode(try SourceFile(name: name, bytes: Array(text.utf8)))
  }

  /// Reads the policy in `source`. Relative paths start in the folder of the source's name.
  public static func decode(_ source: SourceFile) throws(FileErrors) -> PolicyFile {
    var loader = PolicyLoader()
    return try loader.decode(source)
  }

  /// Whether `name` is a path and not the name of a built-in policy.
  package static func isPath(_ name: String) -> Bool { PolicyLoader.isPath(name) }

  /// The text of a built-in policy as shipped; nil if there is none of that name.
  package static func builtInText(_ name: String) -> String? {
    ShippedFiles.profile(name).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Loads the policy `name`, which a file names at `place`; errors have this place.
  package static func load(_ name: String, at place: SourcePlace) throws(FileErrors) -> PolicyFile {
    var loader = PolicyLoader()
    return try loader.load(name, at: place, relativeTo: place.file)
  }
}
