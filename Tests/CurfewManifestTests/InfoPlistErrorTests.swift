import CurfewEngine
import CurfewManifest
import CurfewText
import Foundation
import TestRuns
import TestSupport
import Testing

@Suite(.inTurn) struct InfoPlistErrorTests {
  @Test func `a file that cannot be read is an error`() throws {
    try withFolder(["a.plist/b": "", "empty.plist": "", "blank.plist": "\u{FEFF} \n\t\n"]) {
      folder in
      func found(_ name: String) -> [String] {
        errors(in: folder) { () throws(FileErrors) in _ = try InfoPlist.read(folder + "/" + name) }
      }
      #expect(found("none.plist") == ["none.plist: error: no such file"])
      #expect(found("a.plist") == ["a.plist: error: it is a directory, not a file"])
      #expect(found("empty.plist") == ["empty.plist:1:1: error: the file is empty"])
      #expect(found("blank.plist") == ["blank.plist:1:1: error: the file is empty"])
    }
    #expect(
      errors { () throws(FileErrors) in _ = try InfoPlist.read("") } == [": error: no such file"])
  }

  // As root, every file is readable.
  @Test(.enabled(if: getuid() != 0)) func `a file without read permission is an error`() throws {
    try withFolder(["a.plist": "{}"]) { folder in
      try #require(chmod(folder + "/a.plist", 0) == 0)
      let found = errors(in: folder) { () throws(FileErrors) in
        _ = try InfoPlist.read(folder + "/a.plist")
      }
      #expect(found == ["a.plist: error: the file cannot be read: permission denied"])
    }
  }

  @Test func `a file of 8 MiB is read and one byte more is not`() throws {
    let text = manifest("UIBackgroundModes", "<array><string>audio</string></array>")
    let full = text + String(repeating: "\n", count: SourceFile.limit - text.utf8.count)
    try withFolder(["full.plist": full, "over.plist": full + "\n"]) { folder in
      let plist = try InfoPlist.read(folder + "/full.plist")
      #expect(plist.backgroundModes == .audio)
      let over = errors(in: folder) { () throws(FileErrors) in
        _ = try InfoPlist.read(folder + "/over.plist")
      }
      #expect(over == ["over.plist: error: the file exceeds the limit of 8 MiB"])
    }
    #expect(
      found(Array((full + "\n").utf8)) == [
        "Info.plist: error: the file exceeds the limit of 8 MiB"
      ])
  }

  // The text after the line number comes from Foundation, and differs between platforms.
  @Test(arguments: [
    ("<bad/>", 5), ("\n<string>a</dict>", 6), ("<string>&bad;</string>", 5),
    ("<integer>many</integer>", 5), ("", 6),
    ("<true/><key>a</key>", 6),
  ])
  func `an error in XML has a line`(_ value: String, _ line: Int) throws {
    let found = found(Array(manifest("CFBundleIdentifier", value).utf8))
    #expect(found.count == 1)
    #expect(
      try #require(found.first).hasPrefix("Info.plist:\(line):1: error: not a property list: "))
    #expect(try !#require(found.first).contains(" line "))
  }

  @Test(arguments: [
    "{ UIBackgroundModes = (audio); }", "// by hand\n\"OK\" = \"Gut\";",
    "{\"UIBackgroundModes\": [\"audio\"]}",
  ])
  func `a list that is neither XML nor binary is refused, with the command that converts it`(
    _ text: String
  ) {
    let refusal =
      "Info.plist:1:1: error: not a property list: neither XML nor binary; 'plutil -convert xml1 FILE' converts older forms"
    #expect(found(Array(text.utf8)) == [refusal])
  }

  @Test(arguments: [
    "a b", "<", "<plist>", "<html></html>", "{", "{\"UIBackgroundModes\": [\"audio\"]}",
    "\u{7F}ELF\0\0", "/* later */", "bplist",
    "bplist00",
    "bplist16" + String(repeating: "\0", count: 40),
    "bplist00" + String(repeating: "\0", count: 40),
  ])
  func `a file that is not a property list is an error`(_ text: String) throws {
    let found = found(Array(text.utf8))
    #expect(found.count == 1)
    #expect(try #require(found.first).hasPrefix("Info.plist"))
    #expect(try #require(found.first).contains("error: "))
  }

  @Test(arguments: [
    ("<array/>", "a list"), ("<string>a</string>", "the text 'a'"), ("<true/>", "true"),
    ("<integer>3</integer>", "the number 3"),
    ("<date>2026-01-01T00:00:00Z</date>", "a date"), ("<data>AAAA</data>", "data"),
  ])
  func `a manifest is a dictionary`(_ root: String, _ words: String) throws {
    for bytes in try bothForms(of: "<plist>\(root)</plist>") {
      #expect(
        found(bytes) == ["Info.plist: error: a manifest must be a dictionary, found \(words)"])
    }
  }

  @Test func `each value of the wrong type is reported as an error`() throws {
    let text = """
      <plist><dict>
      <key>CFBundleIdentifier</key><integer>7</integer>
      <key>UIBackgroundModes</key><string>audio</string>
      <key>UIApplicationExitsOnSuspend</key><string>perhaps</string>
      <key>BGTaskSchedulerPermittedIdentifiers</key><array><string>a</string><dict/></array>
      </dict></plist>
      """
    for bytes in try bothForms(of: text) {
      #expect(
        unplaced(found(bytes)) == [
          "Info.plist: error: CFBundleIdentifier must be text, found the number 7",
          "Info.plist: error: UIBackgroundModes must be a list of strings, found the text 'audio'",
          "Info.plist: error: UIApplicationExitsOnSuspend must be true or false, found the text 'perhaps'",
          "Info.plist: error: BGTaskSchedulerPermittedIdentifiers must be a list of strings, found a dictionary in the list",
        ])
    }
  }

  @Test(arguments: [
    ("<integer>3</integer>", "the number 3"), ("<true/>", "true"), ("<array/>", "a list"),
    ("<integer>-1</integer>", "the number -1"),
    ("<dict><key>CF$UID</key><integer>1</integer></dict>", nil),
  ])
  func `a list of modes holds only strings`(_ element: String, _ words: String?) throws {
    for bytes in try bothForms(
      of: manifest("UIBackgroundModes", "<array><string>audio</string>\(element)</array>"))
    {
      let found = try #require(unplaced(self.found(bytes)).first)
      #expect(
        found.hasPrefix(
          "Info.plist: error: UIBackgroundModes must be a list of strings, found \(words ?? "")"))
      #expect(found.hasSuffix(" in the list"))
    }
  }

  @Test(arguments: [
    "<integer>2</integer>", "<integer>-1</integer>", "<real>1.5</real>", "<string></string>",
    "<array/>", "<string>yess</string>",
  ])
  func `no other number or text is read as a boolean`(_ value: String) throws {
    for bytes in try bothForms(of: manifest("UIApplicationExitsOnSuspend", value)) {
      let found = unplaced(found(bytes))
      #expect(found.count == 1)
      #expect(
        try #require(found.first).hasPrefix(
          "Info.plist: error: UIApplicationExitsOnSuspend must be true or false, found "))
    }
  }

  @Test(arguments: [400, 600, 100_000]) func `deep nesting is read or refused`(_ depth: Int) throws
  {
    let (open, close) = (
      String(repeating: "<array>", count: depth), String(repeating: "</array>", count: depth)
    )
    let inXML = found(Array(manifest("UIBackgroundModes", open + close).utf8))
    #expect(inXML.count == 1)
    let elsewhere = manifest(
      "UIBackgroundModes", "<array><string>audio</string></array><key>x</key>\(open)\(close)")
    if depth < 500 {
      #expect(
        try InfoPlist.decode(Array(elsewhere.utf8), name: "Info.plist").backgroundModes == .audio)
    } else {
      #expect(found(Array(elsewhere.utf8)).count == 1)
    }
    for opening in ["<array>", "<dict><key>a</key>", "(", "{a="] {
      #expect(found(Array(String(repeating: opening, count: depth).utf8)).count == 1)
    }
    #expect(
      found(
        Array((String(repeating: "(", count: depth) + String(repeating: ")", count: depth)).utf8)
      ).count == 1)
  }

  func found(_ bytes: [UInt8]) -> [String] {
    errors { () throws(FileErrors) in _ = try InfoPlist.decode(bytes, name: "Info.plist") }
  }
}
