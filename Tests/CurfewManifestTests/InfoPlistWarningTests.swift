import CurfewEngine
import CurfewManifest
import CurfewText
import Foundation
import TestRuns
import TestSupport
import Testing

/// Warnings about a manifest's keys and its file. `InfoPlistTests` tests the values.
@Suite(.inTurn) struct InfoPlistWarningTests {
  static let audio = "<array><string>audio</string></array>"

  func read(_ text: String, _ variables: [String: String] = [:]) throws -> InfoPlist {
    try InfoPlist.decode(Array(text.utf8), name: "Info.plist", variables: variables)
  }

  func warnings(_ text: String) throws -> [String] { try read(text).warnings.map(\.description) }

  @Test func `a warning has the line and the column of its key`() throws {
    let text = manifest("UIBackgroundModes", "<array><string>gps</string></array>")
    #expect(
      try read(text).warnings.first?.place == SourcePlace(file: "Info.plist", line: 4, column: 1))
    let wide = text.replacing("UTF-8", with: "UTF-16").replacing(
      "<key>", with: "<!-- é😀 -->\r<key>")
    let bytes = Array(try #require(wide.data(using: .utf16)))
    #expect(
      try InfoPlist.decode(bytes, name: "a").warnings.first?.place
        == SourcePlace(file: "a", line: 5, column: 1))
    #expect(try InfoPlist.decode(binaryForm(of: text), name: "a").warnings.map(\.place) == [nil])
    let error = errors { () throws(FileErrors) in
      _ = try InfoPlist.decode(Array(manifest("UIBackgroundModes", "<true/>").utf8), name: "a")
    }
    #expect(error == ["a:4:1: error: UIBackgroundModes must be a list of strings, found true"])
  }

  @Test func `the last of two equal keys counts, with a warning`() throws {
    let xml = manifest(
      "UIBackgroundModes",
      Self.audio + "<key>Other</key><dict><key>UIBackgroundModes</key><true/></dict>\n"
        + "<!-- <key>UIBackgroundModes</key> -->\n <key>UIBackgroundModes</key><array><string>fetch</string></array>"
    )
    #expect(try read(xml).backgroundModes == .fetch)
    #expect(
      try warnings(xml) == [
        "Info.plist:7:2: warning: UIBackgroundModes: the key occurs 2 times, first in line 4; only the last one counts"
      ])
    #expect(
      try warnings(manifest("Other", "<true/><key>Other</key><false/>") + "").filter {
        $0.contains("times")
      } == [])
  }

  @Test func `a duplicate key of a binary list is reported too`() throws {
    let tests = BinaryInfoPlistTests()
    let (key, audio) = (BinaryInfoPlistTests.key, BinaryInfoPlistTests.audio)
    for second in [1, 4] {
      let bytes = tests.file([
        tests.naming(0xD0, [1, second, 2, 3]), key, tests.naming(0xA0, []), tests.naming(0xA0, [5]),
        key, audio,
      ])
      let plist = try InfoPlist.decode(bytes, name: "a")
      #expect(plist.backgroundModes == .audio)
      #expect(
        plist.warnings.map(\.description) == [
          "a: warning: UIBackgroundModes: the key occurs 2 times; only the last one counts"
        ])
    }
  }

  @Test(arguments: [
    ("UIBackgroundMode", "UIBackgroundModes"), ("UIBackgroundmodes", "UIBackgroundModes"),
    ("BackgroundModes", "UIBackgroundModes"),
    ("UIBackgorundModes ", "UIBackgroundModes"),
    ("BGTaskSchedulerPermittedIdentifier", "BGTaskSchedulerPermittedIdentifiers"),
    ("BGTaskSchedulerPermitedIdentifers", "BGTaskSchedulerPermittedIdentifiers"),
    ("UIApplicationExitOnSuspend", "UIApplicationExitsOnSuspend"),
    ("CFBundleIdentifer", "CFBundleIdentifier"),
  ])
  func `a key that is similar to a relevant key is reported, with that key`(
    _ key: String, _ nearest: String
  ) throws {
    for bytes in try bothForms(of: manifest(key, Self.audio)) {
      let plist = try InfoPlist.decode(bytes, name: "Info.plist")
      #expect(plist.backgroundModes == [])
      #expect(
        descriptions(plist) == [
          "Info.plist: warning: unknown key '\(key)', ignored; did you mean '\(nearest)'?"
        ])
    }
  }

  @Test(arguments: [
    "WKBackgroundModes", "UIApplicationSceneManifest", "UIApplicationShortcutItems",
    "CFBundleIcons", "CFBundleIconFile", "CFBundleName",
    "AppIdentifierPrefix", "AppBundleIdentifier", "WKAppBundleIdentifier",
    "UISupportedInterfaceOrientations~ipad", "UIAppFonts",
    "NSUserActivityTypes", "UIApplicationSupportsIndirectInputEvents",
    "UIApplicationSupportsMultipleScenes",
  ])
  func `other keys are not mistaken for relevant keys`(_ key: String) throws {
    #expect(try warnings(manifest(key, "<true/><key>UIBackgroundModes</key>\(Self.audio)")) == [])
  }

  @Test(arguments: [
    ("Required background modes", "UIBackgroundModes"), ("Bundle identifier", "CFBundleIdentifier"),
    ("permitted background task scheduler identifiers", "BGTaskSchedulerPermittedIdentifiers"),
    ("Application does not run in background", "UIApplicationExitsOnSuspend"),
  ])
  func `the name that Xcode shows for a key is not a key`(_ shown: String, _ key: String) throws {
    #expect(
      try warnings(manifest(shown, Self.audio)) == [
        "Info.plist:4:1: warning: '\(shown)' is the name that Xcode shows for '\(key)', not a key; ignored"
      ])
  }

  @Test func `an iPhone's variant of a key counts, and others do not`() throws {
    let key = "UIBackgroundModes"
    func plist(_ suffixes: [String]) throws -> InfoPlist {
      let modes = [
        "": "voip", "~iphone": "fetch", "-iphoneos": "location", "-iphoneos~iphone": "processing",
      ]
      let pairs = suffixes.map {
        "<key>\(key)\($0)</key><array><string>\(modes[$0] ?? "audio")</string></array>"
      }.joined(separator: "\n")
      return try read(
        "<plist><dict>\(pairs)<key>BGTaskSchedulerPermittedIdentifiers</key><array><string>*</string></array></dict></plist>"
      )
    }
    func remarks(_ plist: InfoPlist) -> [String] {
      plist.warnings.map(\.message).filter { !$0.contains("wildcard") }
    }
    let phone = try plist(["", "~iphone"])
    #expect(phone.backgroundModes == .fetch)
    #expect(
      remarks(phone) == [
        "\(key)~iphone: counts, because the device is an iPhone, which reads it as \(key)"
      ])
    let all = try plist(["~iphone", "-iphoneos~iphone", "-iphoneos", ""])
    #expect(all.backgroundModes == .processing)
    #expect(
      remarks(all) == [
        "\(key)~iphone: an iPhone prefers \(key)-iphoneos~iphone; ignored",
        "\(key)-iphoneos~iphone: counts, because the device is an iPhone, which reads it as \(key)",
        "\(key)-iphoneos: an iPhone prefers \(key)-iphoneos~iphone; ignored",
      ])
    for suffix in ["~ipad", "-macos", "-iphoneos~ipad"] {
      let other = try plist([suffix])
      #expect(other.backgroundModes == [])
      #expect(
        remarks(other) == [
          "\(key)\(suffix): ignored, because the device is an iPhone; only \(key) or its '~iphone' counts"
        ])
    }
    for suffix in ["~iPhone", "~phone", "-x"] {
      #expect(
        remarks(try plist([suffix])) == [
          "unknown key '\(key)\(suffix)', ignored; did you mean '\(key)', or '\(key)~iphone'?"
        ])
    }
    let named = try read(
      manifest(
        "CFBundleIdentifier~iphone",
        "<string>a</string><key>CFBundleIdentifier</key><string>b</string>"))
    #expect(named.bundleIdentifier == "b")
    #expect(
      remarks(named) == [
        "CFBundleIdentifier~iphone: iOS accepts no variant of CFBundleIdentifier; ignored"
      ])
  }

  @Test func `a variant's content is reported under its own name`() throws {
    let found = try warnings(
      manifest("UIBackgroundModes~iphone", "<array><string>gps</string></array>"))
    #expect(
      found.contains {
        $0.hasPrefix(
          "Info.plist:4:1: warning: UIBackgroundModes~iphone: 'gps' is not a background mode")
      })
  }

  @Test func `identifiers without a mode give a warning`() throws {
    func found(_ modes: [String], _ identifiers: [String]) throws -> [String] {
      func list(_ texts: [String]) -> String {
        "<array>\(texts.map { "<string>\($0)</string>" }.joined())</array>"
      }
      let text = manifest(
        "BGTaskSchedulerPermittedIdentifiers",
        "\(list(identifiers))<key>UIBackgroundModes</key>\(list(modes))")
      return try warnings(text).filter { $0.contains("every request") }
    }
    let warning = """
      Info.plist:4:1: warning: BGTaskSchedulerPermittedIdentifiers: there are identifiers, but neither 'fetch' nor 'processing' in \
      UIBackgroundModes: every request is refused
      """
    #expect(try found([], ["a"]) == [warning])
    #expect(try found(["audio"], ["a", "b.*"]) == [warning])
    #expect(try found(["fetch"], ["a"]) == [])
    #expect(try found(["processing"], ["a"]) == [])
    #expect(try found(["audio"], []) == [])
    #expect(try found([], ["a.*"]) == [], "continued processing needs no mode")
  }

  @Test func `a key that is spelled with references is a duplicate too`() throws {
    let xml = manifest(
      "UIBackgroundModes", Self.audio + "\n<key>UIBackground&#77;ode&#x73;</key><array/>")
    #expect(
      try warnings(xml) == [
        "Info.plist:6:1: warning: UIBackgroundModes: the key occurs 2 times, first in line 4; only the last one counts"
      ])
  }

  @Test(arguments: [
    (
      "<key>CFBundlePackageType</key><string>FMWK</string>",
      "CFBundlePackageType is 'FMWK'; an app's is 'APPL'"
    ),
    (
      "<key>Label</key><string>a</string><key>ProgramArguments</key><array/>",
      "the file has no key of an app's property list; if Xcode generates the list, use the Info.plist of the built app"
    ),
    (
      "<key>NSPrivacyTracking</key><false/><key>NSPrivacyAccessedAPITypes</key><array/>",
      "the file has no key of an app's property list; if Xcode generates the list, use the Info.plist of the built app"
    ),
    (
      "",
      "the file has no key of an app's property list; if Xcode generates the list, use the Info.plist of the built app"
    ),
    (
      "<key>method</key><string>app-store</string>",
      "the file has no key of an app's property list; if Xcode generates the list, use the Info.plist of the built app"
    ),
  ])
  func `a file that is not an app's property list is reported`(_ pairs: String, _ warning: String)
    throws
  {
    for bytes in try bothForms(of: "<plist><dict>\(pairs)</dict></plist>") {
      #expect(
        descriptions(try InfoPlist.decode(bytes, name: "Info.plist")) == [
          "Info.plist: warning: \(warning)"
        ])
    }
  }

  @Test(arguments: [
    "<key>CFBundlePackageType</key><string>APPL</string>",
    "<key>CFBundlePackageType</key><string>$(PRODUCT_BUNDLE_PACKAGE_TYPE)</string>",
    "<key>UIApplicationSceneManifest</key><dict/>",
    "<key>UIAppFonts</key><array/><key>API_KEY</key><string>$(API_KEY)</string>",
  ])
  func `an app's file is accepted, even if Xcode adds the other keys`(_ pairs: String) throws {
    for bytes in try bothForms(of: "<plist><dict>\(pairs)</dict></plist>") {
      #expect(try InfoPlist.decode(bytes, name: "Info.plist").warnings == [])
    }
  }

  @Test func `text after the end is reported`() throws {
    let text = manifest("UIBackgroundModes", Self.audio)
    for (rest, place) in [
      ("\n<key>UIBackgroundModes</key>", "8:1"), (" x", "7:10"),
      ("\n<!-- a -->\n\t<plist/>", "9:2"), ("\0", "7:9"),
    ] {
      #expect(
        try warnings(text + rest) == [
          "Info.plist:\(place): warning: text after the end of the property list is not read"
        ])
    }
    #expect(try warnings(text + "\n\n<!-- end -->\n<?x?> \r\n") == [])
    #expect(
      try warnings("<dict><key>CFBundleName</key><true/></dict>\n<dict/>") == [
        "Info.plist:2:1: warning: text after the end of the property list is not read"
      ])
    #expect(
      try warnings("<plist><dict><key>CFBundleName</key><true/></dict><!-- a --></plist>") == [])
    let binary = try binaryForm(of: text)
    let padded = Array(binary.dropLast(32)) + [1, 2, 3] + binary.suffix(32)
    #expect(
      try InfoPlist.decode(padded, name: "a").warnings.map(\.description) == [
        "a: warning: 3 bytes after the end of the property list; ignored"
      ])
    #expect(try InfoPlist.decode(binary, name: "a").warnings == [])
  }

  @Test(.timeLimit(.minutes(30))) func `a large number of keys is reported in seconds`() throws {
    let many = (0..<20_000).map { "<key>UIBackgroundMode\($0 % 10)</key><true/>" }.joined()
    #expect(try read("<plist><dict>\(many)</dict></plist>").warnings.count == 10)
    let twice = String(repeating: "<key>UIBackgroundModes</key><array/>", count: 20_000)
    #expect(
      try warnings("<plist><dict>\(twice)</dict></plist>").first?.contains("20000 times") == true)
    #expect(
      try read(
        "<plist><dict><key>CFBundleName</key><true/></dict></plist>"
          + String(repeating: "<!--", count: 1_000_000)
      ).warnings == [])
  }
}
