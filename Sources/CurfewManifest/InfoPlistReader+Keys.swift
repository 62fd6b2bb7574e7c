import CurfewText

/// What is odd about the keys themselves: twice there, misspelt, for other devices, or those of another kind of file.
extension InfoPlistReader {
  /// A hostile file has a million keys; an app's has a hundred.
  private static let mostKeys = 10_000
  private static let read = Set(keys)

  /// Tells of what follows the end, of keys that are there twice, and of names that are nearly a key.
  mutating func checkKeys() {
    var relations: [String: InfoPlistKey.Relation] = [:]
    var places: [String: [PropertyListOutline.Position?]] = [:]
    for (index, key) in outline.keys.enumerated() {
      guard index < InfoPlistReader.mostKeys || InfoPlistReader.read.contains(key.name) else { continue }
      guard let relation = relations[key.name] ?? InfoPlistKey.relation(of: key.name) else { continue }
      if relations.updateValue(relation, forKey: key.name) == nil { tell(relation, of: key) }
      if case .variant = relation { places[key.name, default: []].append(key.position) }
    }
    var told: Set<String> = []
    for key in outline.keys {
      guard let found = places[key.name], found.count > 1, told.insert(key.name).inserted else { continue }
      let first = found[0].map { ", first in line \($0.line)" } ?? ""
      warn(at: found[found.count - 1], "\(key.name): the key is there \(found.count) times\(first); only the last one counts")
    }
    switch outline.rest {
    case .text(let position): warn(at: position, "text after the end of the property list is not read")
    case .bytes(let count): warn("\(HumanCount.word(count, "a byte", "\(count) bytes")) after the end of the property list are not read")
    case nil: break
    }
  }

  private mutating func tell(_ relation: InfoPlistKey.Relation, of found: PropertyListOutline.Key) {
    switch relation {
    case .variant(_, ""): break
    case .variant(let key, let suffix): tellVariant(of: key, suffix, found)
    case .shown(let key):
      warn(at: found.position, "'\(found.name)' is the name that Xcode shows for '\(key.rawValue)', and no key itself; ignored")
    case .nearly(let key): warn(at: found.position, "unknown key \(found.name.quoted), ignored; did you mean '\(key.rawValue)'?")
    }
  }

  private mutating func tellVariant(of key: InfoPlistKey, _ suffix: String, _ found: PropertyListOutline.Key) {
    let taken = name(of: key)
    if taken == found.name {
      warn(at: found.position, "\(found.name): an iPhone, which the device is here, takes it for \(key.rawValue); so it counts")
    } else if key == .bundleIdentifier {
      warn(at: found.position, "\(found.name): iOS takes no variant of \(key.rawValue); ignored")
    } else if key.names.contains(found.name) {
      warn(at: found.position, "\(found.name): an iPhone prefers \(taken); ignored")
    } else if InfoPlistKey.suffixes.contains(suffix) || suffix.hasPrefix("-iphoneos~") {
      warn(at: found.position, "\(found.name): not for an iPhone, which the device is here; only \(key.rawValue) or its '~iphone' counts")
    } else {
      warn(at: found.position, "unknown key \(found.name.quoted), ignored; did you mean '\(key.rawValue)', or '\(key.rawValue)~iphone'?")
    }
  }

  /// Tells of a file that is no app's property list. Many an app's has neither an identifier nor a type, as Xcode adds both when it builds.
  mutating func checkKind() {
    if case .text(let text) = values[InfoPlistReader.typeKey] {
      let type = variables.fill(text).text
      if type != "APPL", !type.hasVariable {
        let kind = InfoPlistReader.kinds[type] ?? "something else's"
        warn(
          at: position(of: InfoPlistReader.typeKey),
          "this is \(kind) property list (\(InfoPlistReader.typeKey) is \(type.quoted)), not an app's")
        return
      }
    }
    let names = Set(outline.keys.map(\.name))
    if let key = ["NSExtension", "EXAppExtensionAttributes"].first(where: names.contains) {
      warn(at: position(of: key), "this is an app extension's property list (it has \(key)), not an app's")
      return
    }
    if outline.isStringsFile {
      warn("this is a strings file, not an app's property list")
      return
    }
    guard !names.isEmpty, !names.contains(where: { $0.hasPrefix("CFBundle") || InfoPlistKey.relation(of: $0) != nil }) else { return }
    if names.contains("Label"), let key = ["ProgramArguments", "Program", "BundleProgram"].first(where: names.contains) {
      warn(at: position(of: "Label"), "this is a launchd property list (it has Label and \(key)), not an app's")
    } else if let key = outline.keys.first(where: { InfoPlistReader.isEntitlement($0.name) }) {
      warn(at: key.position, "these are entitlements (there is \(key.name)), not an app's property list")
    } else if let key = outline.keys.first(where: { InfoPlistReader.privacyKeys.contains($0.name) }) {
      warn(at: key.position, "this is a privacy manifest (it has \(key.name)), not an app's property list")
    } else if !names.contains(where: InfoPlistReader.isFamiliar) {
      warn("no key of an app's property list is in it; where Xcode generates the list, take the Info.plist of the app that it has built")
    }
  }

  private static let kinds = [
    "FMWK": "a framework's", "BNDL": "a loadable bundle's", "XPC!": "an app extension's or XPC service's", "KEXT": "a kernel extension's",
  ]
  private static let privacyKeys = [
    "NSPrivacyTracking", "NSPrivacyTrackingDomains", "NSPrivacyCollectedDataTypes", "NSPrivacyAccessedAPITypes",
  ]
  private static let entitlements = ["application-identifier", "aps-environment", "get-task-allow", "keychain-access-groups"]
  /// How keys of an `Info.plist` begin: each framework's in its own way.
  private static let beginnings = [
    "CF", "UI", "NS", "LS", "BG", "WK", "UT", "CK", "MK", "IN", "ITS", "DT", "EN", "PH", "SK", "GC", "NFC", "EX", "MinimumOSVersion",
    "BuildMachineOSBuild",
  ]

  private static func isEntitlement(_ name: String) -> Bool { name.hasPrefix("com.apple.") || entitlements.contains(name) }

  private static func isFamiliar(_ name: String) -> Bool { beginnings.contains { name.hasPrefix($0) } }
}
