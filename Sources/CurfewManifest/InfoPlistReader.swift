import CurfewEngine
import CurfewText

/// Reads the values of an `InfoPlist`, and collects warnings and errors.
struct InfoPlistReader {
  static let typeKey = "CFBundlePackageType"
  /// The keys that are read, under every name that an iPhone accepts.
  static let keys = InfoPlistKey.allCases.flatMap(\.names) + [typeKey]

  private static let flags = [
    "yes": true, "true": true, "1": true, "no": false, "false": false, "0": false,
  ]

  let name: String
  let values: [String: PropertyListValue]
  let outline: PropertyListOutline
  var variables: BuildVariables
  private(set) var errors: [FileDiagnostic] = []
  private(set) var warnings: [FileDiagnostic] = []
  /// The remarks about nonstandard modes, by mode.
  private(set) var remarksOnModes: [String: FileDiagnostic] = [:]

  init(name: String, content: PropertyListContent, variables: BuildVariables) {
    self.name = name
    values = content.values
    outline = content.outline
    self.variables = variables
  }

  /// The name under which an iPhone reads the value of `key` from this file.
  func name(of key: InfoPlistKey) -> String {
    key.names.first { values[$0] != nil } ?? key.rawValue
  }

  mutating func bundleIdentifier() -> String? {
    let key = name(of: .bundleIdentifier)
    guard let value = values[key] else { return nil }
    guard case .text(let raw) = value else {
      error(key, "must be text, found \(value.inWords)")
      return nil
    }
    let text = variables.fill(raw).text
    if let flaw = flaw(of: text) {
      warn(key, "\(flaw); treated as missing")
      return nil
    }
    // No warning: nearly every file in a repository leaves its identifier to the build.
    return text.hasVariable ? nil : text
  }

  /// Returns the standard modes, and the others, some of which a policy may know.
  mutating func backgroundModes() -> (standard: BackgroundModes, others: [String]) {
    let key = name(of: .backgroundModes)
    var (modes, others): (BackgroundModes, [String]) = ([], [])
    for (text, advice) in texts(key) {
      if let mode = BackgroundModes(fileName: text) {
        modes.insert(mode)
      } else if text.hasVariable {
        warn(key, "\(text.quoted) has a variable that only a build expands; ignored\(advice)")
      } else {
        let count = warnings.count
        warn(key, UnknownMode.remark(on: text))
        others.append(text)
        if warnings.count > count { remarksOnModes[text] = warnings[count] }
      }
    }
    return (modes, others)
  }

  /// Tools without booleans write `YES`, `true` or `1`, as text or as a number.
  mutating func exitsOnSuspend() -> Bool {
    let key = name(of: .exitsOnSuspend)
    guard var value = values[key] else { return false }
    var advice = ""
    if case .text(let raw) = value {
      let filled = variables.fill(raw)
      (value, advice) = (.text(filled.text), filled.advice)
    }
    let flag: Bool? =
      switch value {
      case .boolean(let flag): flag
      case .integer(0): false
      case .integer(1): true
      case .text(let text): Self.flags[String(text.lowercased().prefix(6))]
      case .integer, .list, .other: nil
      }
    guard let flag else {
      error(key, "must be true or false, found \(value.inWords)\(advice)")
      return false
    }
    // No warning for a filled-in variable: a build replaces a variable with text, never a boolean.
    if value != .boolean(flag), value == values[key] {
      warn(key, "\(value.inWords) is not a boolean; read as \(flag)")
    }
    return flag
  }

  mutating func permittedIdentifiers() -> [String] {
    let key = name(of: .permittedIdentifiers)
    var identifiers: [String] = []
    for (text, advice) in texts(key) {
      if let flaw = flaw(of: text) {
        warn(key, "\(flaw); left out")
        continue
      }
      if text.hasVariable {
        warn(
          key,
          "\(text.quoted) has a variable that only a build expands; kept as written\(advice)")
      }
      if text.hasWildcard {
        warn(
          key,
          "only continued-processing tasks take a wildcard; a request for \(text.quoted) must match it literally"
        )
      }
      identifiers.append(text)
    }
    return identifiers
  }

  /// Warns about modes and identifiers that do not go together. A refresh can also come from the
  /// older fetch API, which needs no identifier; a processing task always needs one.
  /// A continued-processing task needs no mode.
  mutating func checkRequests(_ modes: BackgroundModes, _ identifiers: [String]) {
    let (modesKey, permittedKey) = (name(of: .backgroundModes), name(of: .permittedIdentifiers))
    if modes.contains(.processing), identifiers.isEmpty {
      warn(
        modesKey,
        "'processing' is declared, but no identifier in \(permittedKey): every processing request is refused"
      )
    }
    if modes.isDisjoint(with: [.processing, .fetch]),
      identifiers.contains(where: { !$0.hasWildcard })
    {
      warn(
        permittedKey,
        "there are identifiers, but neither 'fetch' nor 'processing' in \(modesKey): every request is refused"
      )
    }
  }

  /// Returns the strings that `key` lists, with variables filled in, without duplicates. Reports
  /// an error and returns an empty array if the value is anything else.
  private mutating func texts(_ key: String) -> [(text: String, advice: String)] {
    guard let value = values[key] else { return [] }
    guard case .list(let elements) = value else {
      error(key, "must be a list of strings, found \(value.inWords)")
      return []
    }
    var (texts, seen): ([(text: String, advice: String)], Set<String>) = ([], [])
    for element in elements {
      guard case .text(let raw) = element else {
        error(key, "must be a list of strings, found \(element.inWords) in the list")
        return []
      }
      let filled = variables.fill(raw)
      if seen.insert(filled.text).inserted { texts.append(filled) }
    }
    return texts
  }

  /// Returns the reason why `text` cannot be a name. Names are shown on terminals and written
  /// to traces.
  private func flaw(of text: String) -> String? {
    if let control = text.unicodeScalars.first(where: \.isControl) {
      return "\(text.quoted) contains the control character \(control.codePoint)"
    }
    return text.contains { !$0.isWhitespace } ? nil : "a name must not be blank"
  }

  /// The position of `key`; for duplicates, the position of the one that counts.
  func position(of key: String) -> PropertyListOutline.Position? {
    outline.keys.last { $0.name == key }?.position
  }

  private mutating func error(_ key: String, _ message: String) {
    errors.append(diagnostic(.error, at: position(of: key), "\(key) \(message)"))
  }

  private mutating func warn(_ key: String, _ message: @autoclosure () -> String) {
    guard warnings.count < Findings.limit else { return }
    warn(at: position(of: key), "\(key): \(message())")
  }

  mutating func warn(
    at position: PropertyListOutline.Position? = nil, _ message: @autoclosure () -> String
  ) {
    guard warnings.count < Findings.limit else { return }
    warnings.append(diagnostic(.warning, at: position, message()))
  }

  private func diagnostic(
    _ severity: FileDiagnostic.Severity, at position: PropertyListOutline.Position?,
    _ message: String
  ) -> FileDiagnostic {
    guard let position else { return FileDiagnostic(severity, file: name, message) }
    return FileDiagnostic(
      severity, at: SourcePlace(file: name, line: position.line, column: position.column), message)
  }
}

extension String {
  /// Whether the identifier has a wildcard: `com.example.*`.
  fileprivate var hasWildcard: Bool { utf8.contains(UInt8(ascii: "*")) }
}
