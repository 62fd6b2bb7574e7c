import Curfew
import Foundation
import TestRuns
import Testing

/// Manifests from property lists, as a program that embeds Curfew reads them.
@Suite(.inTurn) struct ManifestTests {
  private func withList(_ text: String, _ body: (String) throws -> Void) throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).plist")
    try Data(text.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    try body(file.path)
  }

  @Test func `a manifest from a property list has its warnings`() throws {
    let text = """
      <plist version="1.0"><dict>
        <key>UIBackgroundMode</key><array><string>audio</string></array>
        <key>UIBackgroundModes</key><array><string>App plays audio</string></array>
      </dict></plist>
      """
    try withList(text) { path in
      let manifest = try AppManifest(infoPlist: path)
      #expect(
        manifest.warnings.map(\.description) == [
          "\(path):2:3: warning: unknown key 'UIBackgroundMode', ignored; did you mean 'UIBackgroundModes'?",
          "\(path):3:3: warning: UIBackgroundModes: 'App plays audio' is not a background mode; did you mean 'audio'?",
        ])
      #expect(manifest.warnings.allSatisfy { $0.severity == .warning && $0.place != nil })
    }
  }

  @Test func `variables fill a manifest`() throws {
    let text = """
      <plist version="1.0"><dict>
        <key>UIBackgroundModes</key><array><string>processing</string></array>
        <key>BGTaskSchedulerPermittedIdentifiers</key><array><string>$(PRODUCT_BUNDLE_IDENTIFIER).sync</string></array>
      </dict></plist>
      """
    try withList(text) { path in
      let manifest = try AppManifest(
        infoPlist: path, variables: ["PRODUCT_BUNDLE_IDENTIFIER": "com.example.mail"])
      #expect(manifest.permittedIdentifiers == ["com.example.mail.sync"])
      #expect(manifest.warnings.isEmpty)
      let unfilled = try AppManifest(infoPlist: path)
      #expect(unfilled.permittedIdentifiers == ["$(PRODUCT_BUNDLE_IDENTIFIER).sync"])
      #expect(
        unfilled.warnings.map(\.message).first?.contains(
          "give 'PRODUCT_BUNDLE_IDENTIFIER' in 'variables'") == true)
    }
  }

  @Test func `warnings are not part of an app's declarations`() throws {
    try withList("<plist><dict><key>UIBackgroundMode</key><array/></dict></plist>") { path in
      let manifest = try AppManifest(infoPlist: path)
      #expect(!manifest.warnings.isEmpty)
      #expect(manifest == AppManifest() && manifest.hashValue == AppManifest().hashValue)
      #expect(manifest != AppManifest(backgroundModes: .audio))
      // A trace's header has the manifests that differ from a plain app's.
      let device = Device(policy: .ios13)
      device.startRecording()
      _ = device.register("mail", manifest: manifest)
      #expect(device.recordedTrace(name: "x").header.manifests.isEmpty)
    }
  }

  @Test func `a list that was read from bytes becomes a manifest as well`() throws {
    let modes = "<array><string>audio</string><string>gps</string></array>"
    let text = "<plist><dict><key>UIBackgroundModes</key>\(modes)</dict></plist>"
    let list = try InfoPlist.decode(Array(text.utf8), name: "Info.plist")
    let manifest = AppManifest(list)
    #expect(manifest == AppManifest(backgroundModes: .audio, otherModes: ["gps"]))
    #expect(manifest.warnings == list.warnings && manifest.warnings.count == 1)
  }
}
