import Curfew
import Foundation
import Testing

final class Player: AppDelegate {
  func applicationDidEnterBackground(_ app: App) {
    if let decision = app.startSession(.audio), !decision.isAllowed { print(decision) }
  }

  func applicationWillTerminate(_ app: App) { print("saving") }
}

@Test func `a player goes on in the background`() {
  let device = Device(policy: .ios13)
  let manifest = AppManifest(
    backgroundModes: [.audio, .fetch], permittedIdentifiers: ["com.example.player.refresh"])
  let player = device.register("com.example.player", manifest: manifest, delegate: Player())
  player.launch()
  device.home()
  device.advance(by: .seconds(3600))
  #expect(player.applicationState == .background)
}

@Test func `a player declares what its property list does`() throws {
  let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).plist").path
  let list = """
    <plist version="1.0"><dict>
      <key>UIBackgroundModes</key><array><string>audio</string></array>
      <key>CFBundleIdentifier</key><string>$(PRODUCT_BUNDLE_IDENTIFIER)</string>
    </dict></plist>
    """
  try list.write(toFile: path, atomically: true, encoding: .utf8)
  defer { try? FileManager.default.removeItem(atPath: path) }
  let manifest = try AppManifest(
    infoPlist: path, variables: ["PRODUCT_BUNDLE_IDENTIFIER": "com.example.player"])
  for warning in manifest.warnings { print(warning) }
  #expect(manifest.backgroundModes == .audio && manifest.warnings.isEmpty)
}

@Suite struct EmbedExamples {
  private func write(_ page: Int) async {}

  @Test func `how late it was`() {
    let device = Device(policy: .ios13)
    let lateness = device.lateness
    print(
      "99 of 100 handlers began within \(lateness.firstLines.percentile(99)) of when they were due")
    print(
      "\(lateness.missedHandlers) were never called, \(lateness.lateWarnedEnds) ends came without a warning in time"
    )
  }

  @Test func `an export is bounded work`() async throws {
    let device = Device(policy: .ios13)
    let app = device.register("com.example.reports")
    app.launch()
    let pages = 3
    try await app.withBackgroundTask(named: "export") {
      for page in 1...pages {
        try Task.checkCancellation()
        await write(page)
      }
    }
    #expect(device.openTasks.isEmpty)
  }

  @Test func `a policy of one's own`() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(
      "short-\(UUID().uuidString).yaml"
    ).path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try "curfew: policy/1\nname: short\nextends: ios13\ntasks: {grant: 10s}\n".write(
      toFile: path, atomically: true, encoding: .utf8)
    let policy = try PolicyFile.load(path)
    let device = Device(policy: policy)
    let app = device.register("com.example.mail")
    app.launch()
    try app.run { _ = app.beginBackgroundTask() }
    device.home()
    #expect(app.backgroundTimeRemaining == 10)
  }
}
