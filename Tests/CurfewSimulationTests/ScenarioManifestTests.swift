import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewText
import Foundation
import ScenarioSupport
import TestRuns
import TestSupport
import Testing

/// Scenarios whose apps have property lists.
@Suite(.inTurn) struct ScenarioManifestTests {
  private static let list = """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0"><dict>
      <key>CFBundleIdentifier</key><string>com.example.another</string>
      <key>UIBackgroundModes</key><array><string>fetch</string><string>audio</string></array>
      <key>UIApplicationExitsOnSuspend</key><true/>
      <key>BGTaskSchedulerPermittedIdentifiers</key><array><string>com.x.refresh</string></array>
    </dict></plist>

    """

  private static func scenario(_ app: String) -> String {
    "curfew: scenario/1\nname: x\npolicy: ios13\napps:\n  a: {\(app)}\ntimeline: []\n"
  }

  @Test func `an app has the declarations of its property list`() throws {
    let files = [
      "s/s.yaml": Self.scenario("manifest: ../Info.plist, footprint: 1MiB"),
      "Info.plist": Self.list,
    ]
    try withFolder(files) { folder in
      let scenario = try Scenario.load(folder + "/s/s.yaml")
      #expect(
        scenario.apps[0].manifest
          == AppManifest(
            backgroundModes: [.fetch, .audio], exitsOnSuspend: true,
            permittedIdentifiers: ["com.x.refresh"], footprint: 1 << 20))
      #expect(scenario.apps[0].identifier == "a")
      #expect(scenario.files == [folder + "/s/s.yaml", folder + "/s/../Info.plist"])
    }
  }

  @Test func `the keys beside a manifest override it one by one`() throws {
    let own =
      "manifest: Info.plist, backgroundModes: [voip], permittedIdentifiers: [], backgroundRefresh: denied"
    try withFolder(["s.yaml": Self.scenario(own), "Info.plist": Self.list]) { folder in
      let manifest = try Scenario.load(folder + "/s.yaml").apps[0].manifest
      #expect(
        manifest
          == AppManifest(backgroundModes: .voip, exitsOnSuspend: true, backgroundRefresh: .denied))
    }
    let other = Self.scenario("manifest: Info.plist, exitsOnSuspend: false")
    try withFolder(["s.yaml": other, "Info.plist": Self.list]) { folder in
      let manifest = try Scenario.load(folder + "/s.yaml").apps[0].manifest
      #expect(
        manifest
          == AppManifest(
            backgroundModes: [.fetch, .audio], permittedIdentifiers: ["com.x.refresh"]))
    }
  }

  @Test
  func
    `a conflict between a list's modes and identifiers is not reported if one of them is overridden`()
    throws
  {
    let list = Self.list.replacingOccurrences(of: "<string>fetch</string>", with: "")
    for (own, count) in [
      ("", 1), (", backgroundModes: [fetch]", 0), (", permittedIdentifiers: []", 0),
    ] {
      try withFolder(["s.yaml": Self.scenario("manifest: Info.plist" + own), "Info.plist": list]) {
        folder in
        let warnings = try Scenario.load(folder + "/s.yaml").warnings
        #expect(
          warnings.count { $0.message.contains("every request is refused") } == count, "\(warnings)"
        )
      }
    }
  }

  @Test func `a list that cannot be read is an error at the place that names it`() throws {
    try withFolder([
      "s.yaml": Self.scenario("manifest: None.plist"), "t.yaml": Self.scenario("manifest: t.yaml"),
    ]) { folder in
      let missing = errors(in: folder) { () throws(FileErrors) in
        _ = try Scenario.load(folder + "/s.yaml")
      }
      #expect(missing == ["s.yaml:5:17: error: the manifest 'None.plist': no such file"])
      let other = errors(in: folder) { () throws(FileErrors) in
        _ = try Scenario.load(folder + "/t.yaml")
      }
      #expect(other.count == 1)
      #expect(other.first?.hasPrefix("t.yaml:5:17: error: the manifest 't.yaml") == true)
    }
  }

  @Test func `the warnings of a list are warnings of the scenario`() throws {
    let list = Self.list.replacing("<string>audio</string>", with: "<string>telepathy</string>")
    try withFolder(["s.yaml": Self.scenario("manifest: Info.plist"), "Info.plist": list]) {
      folder in
      let warnings = try Scenario.load(folder + "/s.yaml").warnings
      #expect(warnings.count == 1)
      #expect(warnings.first?.place?.line == 5)
      #expect(
        warnings.first?.message.hasPrefix(
          "the manifest '\(folder)/Info.plist:4:3': UIBackgroundModes: 'telepathy'") == true)
      #expect(warnings.first?.severity == .warning)
    }
  }

  private static let template = """
    <plist version="1.0"><dict>
      <key>CFBundleIdentifier</key><string>$(PRODUCT_BUNDLE_IDENTIFIER)</string>
      <key>UIBackgroundModes</key><array><string>fetch</string></array>
      <key>BGTaskSchedulerPermittedIdentifiers</key><array><string>$(PRODUCT_BUNDLE_IDENTIFIER).${KIND}</string></array>
    </dict></plist>

    """

  @Test func `the variables of each app fill its manifest`() throws {
    let apps = """
      curfew: scenario/1
      name: x
      policy: ios13
      apps:
        mail:
          manifest: Info.plist
          variables: {PRODUCT_BUNDLE_IDENTIFIER: com.example.mail, KIND: refresh}
        maps:
          manifest: Info.plist
          variables:
            PRODUCT_BUNDLE_IDENTIFIER: com.example.maps
            KIND: refresh
        again:
          manifest: Info.plist
          variables: {PRODUCT_BUNDLE_IDENTIFIER: com.example.mail, KIND: refresh}
      timeline: []
      """
    try withFolder(["s.yaml": apps, "Info.plist": Self.template]) { folder in
      let scenario = try Scenario.load(folder + "/s.yaml")
      let (mail, maps) = (["com.example.mail.refresh"], ["com.example.maps.refresh"])
      #expect(scenario.apps.map(\.manifest.permittedIdentifiers) == [mail, maps, mail])
      #expect(scenario.warnings.isEmpty)
      #expect(scenario.files == [folder + "/s.yaml", folder + "/Info.plist"])
    }
  }

  @Test
  func `a variable without a value or a use gives a warning at its place`()
    throws
  {
    let app = Self.scenario(
      "manifest: Info.plist, variables: {PRODUCT_BUNDLE_IDENTIFER: com.x, KIND: refresh}")
    try withFolder(["s.yaml": app, "Info.plist": Self.template]) { folder in
      let warnings = try Scenario.load(folder + "/s.yaml").warnings.map {
        $0.description.replacing(folder + "/", with: "")
      }
      #expect(
        warnings == [
          """
          s.yaml:5:17: warning: the manifest 'Info.plist:4:3': BGTaskSchedulerPermittedIdentifiers: '$(PRODUCT_BUNDLE_IDENTIFIER).refresh' \
          has a variable that only a build expands; kept as written; to fill it, give 'PRODUCT_BUNDLE_IDENTIFIER' in 'variables'
          """,
          """
          s.yaml:5:41: warning: the manifest 'Info.plist': the variable 'PRODUCT_BUNDLE_IDENTIFER' is not used in any value that is read; did you mean \
          'PRODUCT_BUNDLE_IDENTIFIER'?
          """,
        ])
    }
  }

  @Test func `variables without a manifest have no effect`() throws {
    let warnings = try Scenario.decode(
      SourceFile(name: "s.yaml", bytes: Array(Self.scenario("variables: {A: b}").utf8))
    ).warnings
    #expect(
      warnings.map(\.description) == [
        "s.yaml:5:18: warning: 'variables' have no effect without a 'manifest'"
      ])
  }

  @Test func `a variable's value is text`() {
    let found = errors { () throws(FileErrors) in
      _ = try Scenario.decode(
        SourceFile(
          name: "s.yaml", bytes: Array(Self.scenario("manifest: a, variables: {A: [b]}").utf8)))
    }
    #expect(found.contains { $0.hasPrefix("s.yaml:5:") && $0.contains("text") })
  }
}
