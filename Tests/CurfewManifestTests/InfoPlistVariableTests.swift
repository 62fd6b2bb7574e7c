import CurfewEngine
import CurfewManifest
import CurfewText
import TestRuns
import TestSupport
import Testing

/// Build settings that a manifest refers to and that the caller supplies.
@Suite(.inTurn) struct InfoPlistVariableTests {
  func read(_ key: String, _ value: String, _ variables: [String: String]) throws -> InfoPlist {
    try InfoPlist.decode(
      Array(manifest(key, value, fetches: true).utf8), name: "Info.plist", variables: variables)
  }

  @Test(arguments: [
    ("$(PRODUCT_BUNDLE_IDENTIFIER)", "com.example.mail"),
    ("${PRODUCT_BUNDLE_IDENTIFIER}.x", "com.example.mail.x"),
    ("a.$(PRODUCT_NAME:rfc1034identifier)", "a.My-App-2-0"),
    ("a.${PRODUCT_NAME:lower:rfc1034identifier}", "a.my-app-2-0"),
    ("$(PRODUCT_NAME:identifier).$(PRODUCT_NAME:upper)", "My_App_2_0.MY APP 2.0"),
    ("$(DIGIT:rfc1034identifier)", "-z-"),
    ("$$(X)$", "$x$"), ("$(REF)", "$PLAIN"),
  ])
  func `a variable is filled in with Xcode's modifiers`(_ text: String, _ filled: String) throws {
    let all = [
      "PRODUCT_BUNDLE_IDENTIFIER": "com.example.mail", "PRODUCT_NAME": "My App 2.0", "DIGIT": "7zé",
      "X": "x", "REF": "$PLAIN",
    ]
    let variables = all.filter { text.contains($0.key) }
    let named = try read("CFBundleIdentifier", "<string>\(text)</string>", variables)
    #expect(named.bundleIdentifier == filled)
    #expect(named.warnings == [])
    let listed = try read(
      "BGTaskSchedulerPermittedIdentifiers", "<array><string>\(text)</string></array>", variables)
    #expect(listed.permittedIdentifiers == [filled])
    #expect(listed.warnings == [])
  }

  @Test func `modes and booleans are filled in too`() throws {
    let flag = try read(
      "UIApplicationExitsOnSuspend", "<string>$(EXITS)</string>", ["EXITS": "YES"])
    #expect(flag.exitsOnSuspend)
    #expect(flag.warnings == [])
    let plist = try InfoPlist.decode(
      manifest(modes: ["$(MODE)", "$(NONE)"]), name: "a", variables: ["MODE": "voip"])
    #expect(plist.backgroundModes == .voip)
    #expect(
      plist.warnings.map(\.message) == [
        "UIBackgroundModes: '$(NONE)' has a variable that only a build expands; ignored; to fill it, give 'NONE' in 'variables'"
      ])
    let unfilled = errors { () throws(FileErrors) in
      _ = try InfoPlist.decode(
        Array(manifest("UIApplicationExitsOnSuspend", "<string>$(E)</string>").utf8), name: "a")
    }
    #expect(
      unfilled == [
        "a:4:1: error: UIApplicationExitsOnSuspend must be true or false, found the text '$(E)'; to fill it, give 'E' in 'variables'"
      ])
  }

  @Test(arguments: [
    ("$(A).$(B).$(A)", "; to fill it, give 'A' and 'B' in 'variables'"),
    (
      "$(X:base)",
      "; unknown modifier 'base'; expected one of: rfc1034identifier, identifier, lower, upper"
    ), ("$(X", ""),
    ("$(X}", ""),
  ])
  func `a variable that is not filled in is kept as written, with the reason`(
    _ text: String, _ advice: String
  ) throws {
    let plist = try read(
      "BGTaskSchedulerPermittedIdentifiers", "<array><string>\(text)</string></array>", ["X": "x"])
    #expect(plist.permittedIdentifiers == [text])
    let key = "BGTaskSchedulerPermittedIdentifiers"
    #expect(
      plist.warnings.first?.description
        == "Info.plist:4:1: warning: \(key): '\(text)' has a variable that only a build expands; kept as written\(advice)"
    )
  }

  @Test func `a variable that no value uses gives a warning`() throws {
    let variables = ["PRODUCT_BUNDLE_IDENTIFER": "a", "$(NAME)": "b", "Z": "c"]
    let plist = try read(
      "CFBundleIdentifier", "<string>$(PRODUCT_BUNDLE_IDENTIFIER)</string>", variables)
    #expect(plist.bundleIdentifier == nil)
    #expect(
      plist.warnings.map(\.description) == [
        "Info.plist: warning: the variable '$(NAME)' is not used in any value that is read; write it 'NAME'",
        """
        Info.plist: warning: the variable 'PRODUCT_BUNDLE_IDENTIFER' is not used in any value that is read; did you mean 'PRODUCT_BUNDLE_IDENTIFIER'?
        """,
        "Info.plist: warning: the variable 'Z' is not used in any value that is read",
      ])
    let type = try read(
      "CFBundlePackageType", "<string>$(PRODUCT_BUNDLE_PACKAGE_TYPE)</string>",
      ["PRODUCT_BUNDLE_PACKAGE_TYPE": "FMWK"])
    #expect(type.warnings.map(\.message) == ["CFBundlePackageType is 'FMWK'; an app's is 'APPL'"])
  }

  @Test func `a name with a filled-in variable is checked like any other`() throws {
    let plist = try read(
      "BGTaskSchedulerPermittedIdentifiers", "<array><string>$(A)</string></array>",
      ["A": "a\u{1B}[2J"])
    #expect(plist.permittedIdentifiers == [])
    let flaw = #"'a\u{1b}[2J' contains the control character U+001B; left out"#
    #expect(
      descriptions(plist) == ["Info.plist: warning: BGTaskSchedulerPermittedIdentifiers: \(flaw)"])
  }

  @Test(.timeLimit(.minutes(30)))
  func `a value that is used very often does not exhaust the memory`() throws {
    let text = String(repeating: "$(A)", count: 100_000)
    let plist = try read(
      "BGTaskSchedulerPermittedIdentifiers", "<array><string>\(text)</string></array>",
      ["A": String(repeating: "a", count: 100_000)])
    #expect(try #require(plist.permittedIdentifiers.first).utf8.count < 9 << 20)
    #expect(
      plist.warnings.first?.message.hasSuffix("; the inserted values would exceed 8 MiB") == true)
  }
}
