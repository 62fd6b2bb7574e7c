import CurfewEngine
import CurfewManifest
import CurfewText
import Foundation
import TestRuns
import TestSupport
import Testing

@Suite(.inTurn) struct InfoPlistTests {
  @Test(arguments: PlistForm.allCases) func `a manifest is read in each format`(_ form: PlistForm)
    throws
  {
    let plist = try InfoPlist.decode(try form.bytes, name: "Info.plist")
    #expect(plist.bundleIdentifier == "com.example.mail")
    #expect(plist.backgroundModes == [.audio, .processing, .remoteNotification])
    #expect(plist.exitsOnSuspend)
    #expect(plist.permittedIdentifiers == ["com.example.mail.sync", "com.example.mail.éclair"])
    #expect(descriptions(plist) == [])
    #expect(plist.path == nil)
  }

  @Test func `a manifest without declarations is that of a plain app`() throws {
    let text = "<plist><dict><key>CFBundleName</key><string>x</string></dict></plist>"
    let plist = try InfoPlist.decode(Array(text.utf8), name: "Info.plist")
    #expect(plist.bundleIdentifier == nil)
    #expect(plist.backgroundModes == [])
    #expect(!plist.exitsOnSuspend)
    #expect(plist.permittedIdentifiers == [])
    #expect(plist.warnings == [])
  }

  @Test func `every mode is read by its name`() throws {
    let plist = try InfoPlist.decode(manifest(modes: BackgroundModes.fileNames), name: "Info.plist")
    #expect(plist.backgroundModes == BackgroundModes(BackgroundModes.named))
  }

  @Test func `a file is read with its path`() throws {
    try withFolder([
      "Info.plist": manifest("UIBackgroundModes", "<array><string>fetsh</string></array>")
    ]) { folder in
      let plist = try InfoPlist.read(folder + "/Info.plist")
      #expect(plist.path == folder + "/Info.plist")
      #expect(plist.warnings.map(\.file) == [folder + "/Info.plist"])
    }
  }

  @Test func `a byte order mark, UTF-16 and leading blanks are accepted`() throws {
    let text = manifest("CFBundleIdentifier", "<string>com.example.é</string>")
    let wide = text.replacing("UTF-8", with: "UTF-16")
    let inputs = [
      Array("\u{FEFF}\(text)".utf8), Array("\n \t\(text.dropFirst(39))".utf8),
      Array(try #require(wide.data(using: .utf16))),
    ]
    for bytes in inputs {
      #expect(try InfoPlist.decode(bytes, name: "Info.plist").bundleIdentifier == "com.example.é")
    }
  }

  @Test(arguments: [
    "$(PRODUCT_BUNDLE_IDENTIFIER)", "com.example.${PRODUCT_NAME:rfc1034identifier}",
  ])
  func `an identifier with a variable counts as missing`(_ text: String) throws {
    let plist = try InfoPlist.decode(
      Array(manifest("CFBundleIdentifier", "<string>\(text)</string>").utf8), name: "Info.plist")
    #expect(plist.bundleIdentifier == nil)
    #expect(plist.warnings.isEmpty)
  }

  @Test(arguments: [
    ("&#27;[2Jmail", #"'\u{1b}[2Jmail' contains the control character U+001B"#),
    ("a\nb", #"'a\u{a}b' contains the control character U+000A"#),
    ("a\u{2028}", #"'a\u{2028}' contains the control character U+2028"#),
    ("&#0;", #"'\u{0}' contains the control character U+0000"#),
    ("", "a name must not be blank"), ("  ", "a name must not be blank"),
  ])
  func `text that cannot be a name is not an identifier`(_ text: String, _ flaw: String) throws {
    let app = try InfoPlist.decode(
      Array(manifest("CFBundleIdentifier", "<string>\(text)</string>").utf8), name: "Info.plist")
    #expect(app.bundleIdentifier == nil)
    #expect(
      descriptions(app) == ["Info.plist: warning: CFBundleIdentifier: \(flaw); treated as missing"])
    let list = "<array><string>a</string><string>\(text)</string></array>"
    let task = try InfoPlist.decode(
      Array(manifest("BGTaskSchedulerPermittedIdentifiers", list, fetches: true).utf8),
      name: "Info.plist")
    #expect(task.permittedIdentifiers == ["a"])
    #expect(
      descriptions(task) == [
        "Info.plist: warning: BGTaskSchedulerPermittedIdentifiers: \(flaw); left out"
      ])
  }

  @Test(arguments: [
    ("background-processing", "processing"), ("background-fetch", "fetch"),
    ("App plays audio", "audio"), ("Audio", "audio"),
    ("voip ", "voip"),
    ("remote-notifications", "remote-notification"), ("bluetooth-centrl", "bluetooth-central"),
    ("App plays audio or streams audio/video using AirPlay", "audio"),
    ("App registers for location updates", "location"),
    ("App provides Voice over IP services", "voip"),
    ("App downloads content from the network", "fetch"),
    ("App downloads content in response to push notifications", "remote-notification"),
    ("App communicates using CoreBluetooth", "bluetooth-central"),
    ("App shares data using CoreBluetooth", "bluetooth-peripheral"),
    ("push to talk", "push-to-talk"),
  ])
  func `a mode that does not exist is left out, and the nearest one is named`(
    _ mode: String, _ nearest: String
  ) throws {
    let plist = try InfoPlist.decode(manifest(modes: ["location", mode]), name: "Info.plist")
    #expect(plist.backgroundModes == .location)
    #expect(
      descriptions(plist) == [
        "Info.plist: warning: UIBackgroundModes: '\(mode)' is not a background mode; did you mean '\(nearest)'?"
      ])
  }

  @Test(arguments: ["", "gps", "bluetooth", "everything in the background"])
  func `if no mode is near, all are listed`(_ mode: String) throws {
    let plist = try InfoPlist.decode(manifest(modes: [mode]), name: "Info.plist")
    #expect(plist.backgroundModes == [])
    let all = BackgroundModes.fileNames.joined(separator: ", ")
    #expect(
      plist.warnings.map(\.message) == [
        "UIBackgroundModes: '\(mode)' is not a background mode; expected one of: \(all)"
      ])
  }

  @Test(arguments: ["nearby-interaction", "network-authentication", "push-to-talk"])
  func `a mode of iOS without a rule is not called a typing error`(_ mode: String) throws {
    let plist = try InfoPlist.decode(manifest(modes: ["fetch", mode]), name: "Info.plist")
    #expect(plist.backgroundModes == .fetch)
    #expect(
      descriptions(plist) == [
        "Info.plist: warning: UIBackgroundModes: '\(mode)' is a mode of iOS that no rule here covers; ignored"
      ])
  }

  @Test(arguments: [
    ("<true/>", true, nil), ("<false/>", false, nil),
    ("<integer>1</integer>", true, "the number 1"),
    ("<integer>0</integer>", false, "the number 0"),
    ("<string>YES</string>", true, "the text 'YES'"),
    ("<string>No</string>", false, "the text 'No'"),
    ("<string>true</string>", true, "the text 'true'"),
    ("<string>FALSE</string>", false, "the text 'FALSE'"),
    ("<string>1</string>", true, "the text '1'"),
    ("<string>0</string>", false, "the text '0'"),
  ])
  func `booleans of old tools are read`(_ value: String, _ flag: Bool, _ found: String?)
    throws
  {
    for bytes in try bothForms(of: manifest("UIApplicationExitsOnSuspend", value)) {
      let plist = try InfoPlist.decode(bytes, name: "Info.plist")
      #expect(plist.exitsOnSuspend == flag)
      let warning = found.map {
        "Info.plist: warning: UIApplicationExitsOnSuspend: \($0) is not a boolean; read as \(flag)"
      }
      #expect(descriptions(plist) == [warning].compactMap(\.self))
    }
  }

  @Test func `a value listed twice counts once, in the order of the file`() throws {
    let list = ["b", "a", "b", "$(C).x", "a", "com.example.*", "$(C).x"]
    let text = manifest(
      "BGTaskSchedulerPermittedIdentifiers",
      "<array>\(list.map { "<string>\($0)</string>" }.joined())</array>", fetches: true)
    for bytes in try bothForms(of: text) {
      let plist = try InfoPlist.decode(bytes, name: "Info.plist")
      #expect(plist.permittedIdentifiers == ["b", "a", "$(C).x", "com.example.*"])
      let key = "Info.plist: warning: BGTaskSchedulerPermittedIdentifiers"
      #expect(
        descriptions(plist) == [
          "\(key): '$(C).x' has a variable that only a build expands; kept as written; to fill it, give 'C' in 'variables'",
          "\(key): only continued-processing tasks take a wildcard; a request for 'com.example.*' must match it literally",
        ])
    }
    #expect(
      descriptions(try InfoPlist.decode(manifest(modes: ["audio", "audio"]), name: "Info.plist"))
        == [])
    #expect(
      descriptions(try InfoPlist.decode(manifest(modes: ["gps", "gps"]), name: "Info.plist")).count
        == 1)
  }

  @Test func `processing without an identifier gives a warning, and fetch does not`() throws {
    let warning = """
      Info.plist: warning: UIBackgroundModes: 'processing' is declared, but no identifier in BGTaskSchedulerPermittedIdentifiers: every \
      processing request is refused
      """
    #expect(
      descriptions(
        try InfoPlist.decode(manifest(modes: ["processing", "fetch"]), name: "Info.plist")) == [
          warning
        ])
    #expect(
      descriptions(try InfoPlist.decode(manifest(modes: ["fetch"]), name: "Info.plist")) == [])
    func list(_ identifiers: String) -> [UInt8] {
      let modes =
        "<array><string>processing</string></array><key>BGTaskSchedulerPermittedIdentifiers</key><array>\(identifiers)</array>"
      return Array(manifest("UIBackgroundModes", modes).utf8)
    }
    #expect(descriptions(try InfoPlist.decode(list(""), name: "Info.plist")) == [warning])
    #expect(
      descriptions(try InfoPlist.decode(list("<string>a</string>"), name: "Info.plist")) == [])
  }

  @Test(.timeLimit(.minutes(30))) func `many unknown modes give a hundred warnings`() throws {
    let plist = try InfoPlist.decode(
      manifest(modes: (0..<20_000).map { "m\($0)" }), name: "Info.plist")
    #expect(plist.warnings.count == 100)
    let long = try InfoPlist.decode(
      manifest(modes: [String(repeating: "é", count: 1_000_000)]), name: "Info.plist")
    #expect(
      try #require(long.warnings.first).message.contains(
        "'\(String(repeating: "é", count: 60))…' is not a background mode"))
  }
}
