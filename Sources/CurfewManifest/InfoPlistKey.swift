import CurfewText

/// A manifest key that is read.
enum InfoPlistKey: String, CaseIterable {
  case bundleIdentifier = "CFBundleIdentifier"
  case backgroundModes = "UIBackgroundModes"
  case exitsOnSuspend = "UIApplicationExitsOnSuspend"
  case permittedIdentifiers = "BGTaskSchedulerPermittedIdentifiers"

  /// The name that Xcode's editor shows instead of the key.
  private var shownName: String {
    switch self {
    case .bundleIdentifier: "Bundle identifier"
    case .backgroundModes: "Required background modes"
    case .exitsOnSuspend: "Application does not run in background"
    case .permittedIdentifiers: "Permitted background task scheduler identifiers"
    }
  }

  /// The names under which an iPhone reads the value, in CFBundle's order of preference. An iPhone
  /// reads no variant of `CFBundleIdentifier`.
  var names: [String] {
    self == .bundleIdentifier
      ? [rawValue] : ["-iphoneos~iphone", "~iphone", "-iphoneos", ""].map { rawValue + $0 }
  }

  /// The relation of a name in a file to a key that is read.
  enum Relation: Hashable {
    /// The key itself, or a variant of it for some devices: `UIBackgroundModes~ipad`.
    case variant(InfoPlistKey, suffix: String)
    /// The name that Xcode shows for the key.
    case shown(InfoPlistKey)
    /// A misspelling of the key.
    case nearly(InfoPlistKey)
  }

  /// Returns nil for a name that is not related to any key.
  static func relation(of name: String) -> Relation? {
    guard name.utf8.count <= longest else { return nil }
    let base = name.prefix { $0 != "-" && $0 != "~" }
    if let key = InfoPlistKey(rawValue: String(base)) {
      return .variant(key, suffix: String(name[base.endIndex...]))
    }
    guard name.utf8.count >= shortest, !others.contains(name) else { return nil }
    let lowercased = name.lowercased()
    if let key = allCases.first(where: { $0.shownName.lowercased() == lowercased }) {
      return .shown(key)
    }
    return allCases.first {
      NearestName.distance(from: name, to: $0.rawValue, atMost: $0.rawValue.count / 8) != nil
    }.map { .nearly($0) }
  }

  /// Names that are similar to a key but belong to watch apps.
  private static let others = ["WKBackgroundModes"]
  private static let longest = 64
  private static let shortest = 12

  /// The key suffixes for Apple's devices and platforms.
  static let suffixes = [
    "~iphone", "~ipad", "~ipod", "~appletv", "~applewatch", "~mac", "-iphoneos", "-macos",
    "-macosx", "-tvos", "-watchos", "-xros",
  ]
}
