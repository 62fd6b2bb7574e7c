import Curfew
import TestRuns
import Testing

/// Texts that `print` and a failed `#expect` show.
@Suite(.inTurn) struct DescriptionTests {
  private static let grant = "because tasks.grant is 30s (Policies/ios13.yaml:12:18, documented)"

  @Test func `a leak is one line for each of its tasks, its warning and its end`() throws {
    let device = Device(policy: .ios13)
    let app = device.register("mail")
    app.launch()
    let task = app.beginBackgroundTask(withName: "upload") { device.advance(by: .seconds(1)) }
    #expect(
      "\(task) \(BackgroundTaskIdentifier.invalid) \(app.beginBackgroundTask(withName: "sync"))"
        == "1 invalid 2")
    device.advance(by: .milliseconds(8_500))
    device.home()
    let places = device.openTasks.map(\.origin.line)
    #expect(
      device.openTasks.map(\.description) == [
        "mail: task 1 'upload', open for 8.5s, begun at CurfewTests/DescriptionTests.swift:\(places[0])",
        "mail: task 2 'sync', open for 8.5s, begun at CurfewTests/DescriptionTests.swift:\(places[1])",
      ])
    device.advance(by: .seconds(60))
    #expect(
      app.expirations.first?.description
        == "mail: handler of task 1 'upload' called at 33.5s: timeLimit")
    let end = try #require(app.processEnds.first)
    let words =
      "mail: ended at 38.5s: backgroundTaskAssertionTimeout (0x2182bad2), left open: 'upload', 'sync', \(Self.grant)"
    #expect(end.description == words)
  }

  @Test func `a late handler's text says when it was due`() {
    let device = Device(policy: .ios13)
    let app = device.register("mail")
    app.launch()
    _ = app.beginBackgroundTask(withName: "first") { device.advance(by: .seconds(2)) }
    _ = app.beginBackgroundTask(withName: "second") {}
    device.home()
    device.advance(by: .seconds(28))
    #expect(
      app.expirations.last?.description
        == "mail: handler of task 2 'second' called at 27s, due at 25s: timeLimit")
  }

  @Test func `an end by the app itself names the thrown error`() {
    let device = Device(policy: .ios13)
    let app = device.register("mail")
    app.launch()
    _ = app.beginBackgroundTask(withName: "upload") { throw Full() }
    device.home()
    device.advance(by: .seconds(25))
    #expect(
      device.processEnds.map(\.description) == [
        "mail: ended at 25s: abnormalExit, left open: 'upload', the disk is full"
      ])
  }

  @Test func `a decision is one sentence, with every reason, its line and its remedy`() throws {
    let device = Device(policy: .ios13, facts: DeviceFacts(backgroundRefresh: .denied))
    let app = device.register("mail")
    let denied = try #require(app.deliver(.fetch))
    let words = try #require(denied.description.wholeMatch(of: /mail: fetch denied at 0s: (.*)/)).1
    #expect(
      words.contains("modeNotDeclared because ")
        && words.contains("backgroundRefreshDenied because "))
    #expect(
      words.contains("(Policies/ios")
        && words.hasSuffix("Turn Background App Refresh on for the device."))
    #expect(!words.contains("\n"))
    let other = device.register("news", manifest: AppManifest(backgroundModes: .fetch))
    device.update { $0.backgroundRefresh = .available }
    #expect(other.deliver(.fetch)?.description == "news: fetch allowed at 0s")
  }
}

private struct Full: Error, CustomStringConvertible {
  var description: String { "the disk is full" }
}
