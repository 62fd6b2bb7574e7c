import CurfewEngine
import CurfewSimulation
import CurfewText
import CurfewTrace
import Foundation
import TestRuns
import Testing

/// Workload files: their meaning, and their errors.
@Suite(.inTurn) struct WorkloadFileTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(
      "Policies/Workloads")

  private static let shipped: [String] = {
    let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
    return (names ?? []).filter { $0.hasSuffix(".yaml") }.sorted()
  }()

  @Test(arguments: shipped) func `every shipped workload is read without a warning`(_ name: String)
    throws
  {
    let workload = try Workload.load(Self.folder.appendingPathComponent(name).path)
    #expect(workload.warnings == [] && !workload.apps.isEmpty)
    // No call of its users and apps is illegal.
    let figures = Fleet(workload, devices: 4, length: .seconds(2 * 86_400), seed: 5).run(jobs: 2)
      .figures
    #expect(figures[.illegalEvents] == 0 && figures[.events] > 500)
  }

  private static func errors(_ text: String) -> [String] {
    do {
      _ = try Workload.decode(try SourceFile(name: "w.yaml", bytes: Array(text.utf8)))
      return []
    } catch {
      return error.diagnostics.map(\.description)
    }
  }

  private static func text(_ app: String = "", user: String = "unlocks: 10", rest: String = "")
    -> String
  {
    "curfew: workload/1\nname: x\npolicy: ios13\nuser: {\(user)}\napps:\n  mail: {\(app)}\n\(rest)"
  }

  @Test func `the smallest workload is read, and a full one has its values`() throws {
    #expect(Self.errors(Self.text()) == [])
    let text = Self.text(
      "count: 3, share: 50%, footprint: {uniform: {least: 1MiB, most: 2MiB}}, returns: {expirationHandler: 10ms}, "
        + "tasks: {up: {work: {weibull: {scale: 2s, shape: 0.5}}, unfinished: rest}}",
      user: "unlocks: 12.5, visit: {logNormal: {median: 10s, sigma: 1}, atMost: 1m}",
      rest: "daily:\n  - {at: 7h, charging: true}\n")
    let workload = try Workload.decode(try SourceFile(name: "w.yaml", bytes: Array(text.utf8)))
    let app = workload.apps[0]
    #expect(
      app.count == 3 && app.share == 0.5 && app.tasks[0].unfinished == .rest
        && app.handlerTime == Distribution(.constant(1e7)))
    #expect(app.footprint == Distribution(.uniform(least: 1_048_576, most: 2_097_152)))
    #expect(app.tasks[0].work == Distribution(.weibull(scale: 2e9, shape: 0.5)))
    #expect(
      workload.user.visit == Distribution(.logNormal(median: 1e10, sigma: 1), atMost: 6e10)
        && workload.user.unlocks == 12.5)
    #expect(workload.device.daily.count == 1)
  }

  @Test(arguments: [
    (text("tasks: {up: {}}"), "w.yaml:6:22: error: missing key 'work'"),
    (
      text("tasks: {up: {work: {exponental: 3s}}}"),
      "w.yaml:6:30: error: no distribution has the key 'exponental'; did you mean 'exponential'?"
    ),
    (
      text("tasks: {up: {work: {logNormal: {median: 3s}}}}"),
      "w.yaml:6:41: error: a log-normal distribution needs 'p90' or 'sigma' besides its median"
    ),
    (
      text("tasks: {up: {work: {exponential: 0s}}}"),
      "w.yaml:6:29: error: 'exponential' must be more than 0"
    ),
    (
      text("wakes: {fech: {perDay: 3}}"),
      "w.yaml:6:18: error: unknown wake 'fech'; did you mean 'fetch'?"
    ),
    (
      text("wakes: {remoteNotification: {interval: 3m}}"),
      "w.yaml:6:49: error: 'interval' has no effect on 'remoteNotification', whose 'start' is 'event'"
    ),
    (
      text(user: "unlocks: 3, rhythm: [1, 2]"),
      "w.yaml:4:28: error: 'rhythm' must be 24 numbers that are not all 0; found 2"
    ),
    (
      text(rest: "daily:\n  - {at: 25h, charging: true}\n"),
      "w.yaml:8:10: error: 'at' must be a time of the day, under 24h"
    ),
    (
      text(rest: "daily:\n  - {at: 2h}\n"),
      "w.yaml:8:5: error: nothing changes: name a fact of the device"
    ),
    (
      text(rest: "usage: {file: none.csv, columns: {time: t, app: a}}\n"),
      "none.csv: error: no such file"
    ),
    (
      "curfew: workload/1\nname: x\npolicy: ios13\napps: {mail: {}}\n",
      "w.yaml:1:1: error: nobody uses these devices: a workload needs 'user' or 'usage'"
    ),
  ])
  func `a mistake is reported with its place and a remedy`(_ text: String, _ expected: String) {
    #expect(Self.errors(text) == [expected])
  }
}
