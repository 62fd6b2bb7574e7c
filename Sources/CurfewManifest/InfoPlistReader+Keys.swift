import CurfewText

/// Checks the keys themselves: duplicate keys, misspelt keys, keys for other devices, and whether
/// the file is an app's.
extension InfoPlistReader {
  /// The maximum number of keys that are checked. An app's file has about a hundred; a hostile
  /// file may have a million.
  private static let mostKeys = 10_000
  private static let read = Set(keys)

  /// Warns about text or bytes after the end, duplicate keys, and names that resemble a key.
  mutating func checkKeys() {
    var relations: [String: InfoPlistKey.Relation] = [:]
    var places: [String: [PropertyListOutline.Position?]] = [:]
    for (index, key) in outline.keys.enumerated() {
      guard index < InfoPlistReader.mostKeys || InfoPlistReader.read.contains(key.name) else {
        continue
      }
      guard let relation = relations[key.name] ?? InfoPlistKey.relation(of: key.name) else {
        continue
      }
      if relations.updateValue(relation, forKey: key.name) == nil { tell(relation, of: key) }
      if case .variant = relation { places[key.name, default: []].append(key.position) }
    }
    var told: Set<String> = []
    for key in outline.keys {
      guard let found = places[key.name], found.count > 1, told.insert(key.name).inserted else {
        continue
      }
      let first = found[0].map { ", first in line \($0.line)" } ?? ""
      warn(
        at: found[found.count - 1],
        "\(key.name): the key occurs \(found.count) times\(first); only the last one counts")
    }
    switch outline.rest {
    case .text(let position):
      warn(at: position, "text after the end of the property list is not read")
    case .bytes(let count):
      warn(
        "\(HumanCount.word(count, "a byte", "\(count) bytes")) after the end of the property list; ignored"
      )
    case nil: break
    }
  }

  private mutating func tell(_ relation: InfoPlistKey.Relation, of found: PropertyListOutline.Key) {
    switch relation {
    case .variant(_, ""): break
    case .variant(let key, let suffix): tellVariant(of: key, suffix, found)
    case .shown(let key):
      warn(
        at: found.position,
        "'\(found.name)' is the name that Xcode shows for '\(key.rawValue)', not a key; ignored"
      )
    case .nearly(let key):
      warn(
        at: found.position,
        "unknown key \(found.name.quoted), ignored; did you mean '\(key.rawValue)'?")
    }
  }

  private mutating func tellVariant(
    of key: InfoPlistKey, _ suffix: String, _ found: PropertyListOutline.Key
  ) {
    let taken = name(of: key)
    if taken == found.name {
      warn(
        at: found.position,
        "\(found.name): counts, because the device is an iPhone, which reads it as \(key.rawValue)"
      )
    } else if key == .bundleIdentifier {
      warn(at: found.position, "\(found.name): iOS accepts no variant of \(key.rawValue); ignored")
    } else if key.names.contains(found.name) {
      warn(at: found.position, "\(found.name): an iPhone prefers \(taken); ignored")
    } else if InfoPlistKey.suffixes.contains(suffix) || suffix.hasPrefix("-iphoneos~") {
      warn(
        at: found.position,
        "\(found.name): ignored, because the device is an iPhone; only \(key.rawValue) or its '~iphone' counts"
      )
    } else {
      warn(
        at: found.position,
        "unknown key \(found.name.quoted), ignored; did you mean '\(key.rawValue)', or '\(key.rawValue)~iphone'?"
      )
    }
  }

  /// Warns if the file is not an app's property list. Many apps' lists have neither an identifier
  /// nor a type, because Xcode adds both when it builds.
  mutating func checkKind() {
    if case .text(let text) = values[InfoPlistReader.typeKey] {
      let type = variables.fill(text).text
      if type != "APPL", !type.hasVariable {
        warn(
          at: position(of: InfoPlistReader.typeKey),
          "\(InfoPlistReader.typeKey) is \(type.quoted); an app's is 'APPL'")
      }
    } else if !outline.keys.contains(where: { InfoPlistReader.isFamiliar($0.name) }) {
      warn(
        "the file has no key of an app's property list; if Xcode generates the list, use the Info.plist of the built app"
      )
    }
  }

  /// The prefixes of `Info.plist` keys; each framework has its own.
  private static let beginnings = [
    "CF", "UI", "NS", "LS", "BG", "WK", "UT", "CK", "MK", "IN", "ITS", "DT", "EN", "PH", "SK", "GC",
    "NFC", "EX", "MinimumOSVersion",
    "BuildMachineOSBuild",
  ]

  private static func isFamiliar(_ name: String) -> Bool {
    !name.hasPrefix("NSPrivacy") && beginnings.contains { name.hasPrefix($0) }
      || InfoPlistKey.relation(of: name) != nil
  }
}
