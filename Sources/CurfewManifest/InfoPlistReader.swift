import CurfewEngine
import CurfewText

/// Reads the keys of a manifest that matter here, and collects what is odd about them.
struct InfoPlistReader {
  static let keys = [identifierKey, modesKey, exitsKey, permittedKey]

  private static let identifierKey = "CFBundleIdentifier"
  private static let modesKey = "UIBackgroundModes"
  private static let exitsKey = "UIApplicationExitsOnSuspend"
  private static let permittedKey = "BGTaskSchedulerPermittedIdentifiers"
  private static let flags = ["yes": true, "true": true, "1": true, "no": false, "false": false, "0": false]

  let name: String
  let values: [String: PropertyListValue]
  private(set) var errors: [FileDiagnostic] = []
  private(set) var warnings: [FileDiagnostic] = []

  init(name: String, values: [String: PropertyListValue]) {
    self.name = name
    self.values = values
  }

  mutating func bundleIdentifier() -> String? {
    let key = Self.identifierKey
    guard let value = values[key] else { return nil }
    guard case .text(let text) = value else {
      error("\(key) must be a text, found \(value.inWords)")
      return nil
    }
    if let flaw = flaw(of: text) {
      warn("\(key): \(flaw); taken as missing")
      return nil
    }
    // Not worth a warning: nearly every file in a repository leaves its identifier to the build.
    return text.hasVariable ? nil : text
  }

  mutating func backgroundModes() -> BackgroundModes {
    var modes: BackgroundModes = []
    for text in texts(Self.modesKey) {
      if let mode = BackgroundModes(fileName: text) {
        modes.insert(mode)
      } else {
        warn("\(Self.modesKey): \(UnknownMode.remark(on: text))")
      }
    }
    return modes
  }

  /// Tools that know no booleans write `YES`, `true` or `1`, as a text or a number.
  mutating func exitsOnSuspend() -> Bool {
    let key = Self.exitsKey
    guard let value = values[key] else { return false }
    let flag: Bool? =
      switch value {
      case .boolean(let flag): flag
      case .integer(0): false
      case .integer(1): true
      case .text(let text): Self.flags[String(text.lowercased().prefix(6))]
      case .integer, .list, .other: nil
      }
    guard let flag else {
      error("\(key) must be true or false, found \(value.inWords)")
      return false
    }
    if value != .boolean(flag) { warn("\(key): \(value.inWords) is not a boolean; read as \(flag)") }
    return flag
  }

  mutating func permittedIdentifiers() -> [String] {
    let key = Self.permittedKey
    return texts(key).filter { text in
      if let flaw = flaw(of: text) {
        warn("\(key): \(flaw); left out")
        return false
      }
      if text.hasVariable { warn("\(key): \(text.quoted) has a variable that only a build expands; kept as it is written") }
      if text.utf8.contains(UInt8(ascii: "*")) {
        warn("\(key): only continued-processing tasks take a wildcard; a request for \(text.quoted) must match it literally")
      }
      return true
    }
  }

  /// A refresh can also come from the older fetch API, which needs no identifier; a processing task cannot.
  mutating func checkProcessing(_ modes: BackgroundModes, _ identifiers: [String]) {
    guard modes.contains(.processing), identifiers.isEmpty else { return }
    warn("\(Self.modesKey): 'processing' is declared, but no identifier in \(Self.permittedKey): every processing request is refused")
  }

  /// The texts that `key` lists, each once; none, and an error, where it holds anything else.
  private mutating func texts(_ key: String) -> [String] {
    guard let value = values[key] else { return [] }
    guard case .list(let elements) = value else {
      error("\(key) must be a list of texts, found \(value.inWords)")
      return []
    }
    var (texts, seen): ([String], Set<String>) = ([], [])
    for element in elements {
      guard case .text(let text) = element else {
        error("\(key) must be a list of texts, found \(element.inWords) in it")
        return []
      }
      if seen.insert(text).inserted { texts.append(text) }
    }
    return texts
  }

  /// Why `text` cannot name anything: names are shown on terminals and written to traces.
  private func flaw(of text: String) -> String? {
    if let control = text.unicodeScalars.first(where: \.isControl) {
      return "\(text.quoted) has the control character \(control.codePoint) in it"
    }
    return text.contains { !$0.isWhitespace } ? nil : "a blank text names nothing"
  }

  private mutating func error(_ message: String) {
    errors.append(FileDiagnostic(.error, file: name, message))
  }

  private mutating func warn(_ message: @autoclosure () -> String) {
    guard warnings.count < Findings.limit else { return }
    warnings.append(FileDiagnostic(.warning, file: name, message()))
  }
}

extension String {
  /// Whether a build setting is in it that a build has not put a value for: `$(NAME)`, `${NAME:rfc1034identifier}`.
  fileprivate var hasVariable: Bool { contains("$(") || contains("${") }
}
