import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewText
import CurfewTrace
import Foundation
import TestRuns
import Testing

/// A scenario with all manifests of real apps. They are not part of the project; without them
/// the test is skipped.
@Suite(.inTurn) struct RealManifestTests {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(
      "shared/corpus/info-plists")

  static let files: [String] = {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return files.filter { $0.hasSuffix(".plist") }.sorted()
  }()

  @Test(.enabled(if: !files.isEmpty, "no manifests in ../shared/corpus/info-plists"))
  func `an hour of every real app runs, replays, and admits what the manifests declare`() throws {
    let scenario = try Scenario.decode(
      SourceFile(name: "real.yaml", bytes: Array(RealManifestTests.text.utf8)))
    #expect(scenario.apps.count == RealManifestTests.files.count)
    #expect(scenario.warnings.isEmpty)
    var simulation = Simulation(scenario)
    var lines: [TraceLine] = []
    _ = try simulation.run { lines.append($0) }
    let trace = Trace(header: simulation.header, lines: lines)
    let decoded = try Trace.decode(
      SourceFile(
        name: "real.jsonl",
        bytes: Array(([trace.header.json] + lines.map { $0.json() }).joined(separator: "\n").utf8)))
    #expect(try Replay.run(decoded, under: scenario.policy) == nil)

    // Each app gets a silent push while it is suspended: allowed if it declares the mode,
    // denied otherwise.
    for app in scenario.apps {
      let decisions = lines.compactMap { line -> Denials? in
        guard line.app == app.identifier,
          case .decision(.remoteNotification, _, let denied, _) = line.body
        else { return nil }
        return denied
      }
      let isDeclared = app.manifest.backgroundModes.contains(.remoteNotification)
      #expect(decisions == [isDeclared ? [] : .modeNotDeclared], "\(app.identifier)")
    }
  }

  /// Each app comes to the front, submits its permitted requests, goes to the background with
  /// a task, and gets a push.
  private static var text: String {
    var text =
      "curfew: scenario/1\nname: Real apps\npolicy: ios13\ndevice: {memory: 8GiB}\nuntil: 2h\napps:\n"
    for (index, file) in files.enumerated() {
      text += "  app\(index):\n    manifest: \(folder.path)/\(file)\n"
      text += "    on:\n      didEnterBackground:\n        - {do: beginTask, task: work, for: 8s}\n"
    }
    text += "timeline:\n"
    for index in files.indices {
      text += "  - {at: \(index * 60)s, do: launch, app: app\(index)}\n"
      text +=
        "  - {at: \(index * 60 + 1)s, do: setMinimumFetchInterval, app: app\(index), interval: 30m}\n"
      text +=
        "  - {at: \(index * 60 + 2)s, do: submitTask, app: app\(index), identifier: org.dpppt.refresh, kind: processing}\n"
      text += "  - {at: \(index * 60 + 30)s, do: home}\n"
    }
    for index in files.indices {
      text += "  - {at: 4000s, do: deliver, app: app\(index), kind: remoteNotification}\n"
    }
    for index in files.indices {
      text += "  - {at: 4002s, do: completeWake, app: app\(index), kind: remoteNotification}\n"
    }
    return text
  }
}
