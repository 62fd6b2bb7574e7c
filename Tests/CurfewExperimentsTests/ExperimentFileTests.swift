import CurfewPolicy
import CurfewSimulation
import CurfewText
import Foundation
import TestRuns
import Testing

@testable import CurfewExperiments

/// Experiment files: their meaning, and their errors with places.
@Suite(.inTurn) struct ExperimentFileTests {
  private func errors(_ replacements: [(String, String)]) throws -> [String] {
    let small = try SmallExperiment()
    defer { small.remove() }
    do throws(FileErrors) {
      _ = try small.experiment(replacements)
      return []
    } catch {
      return error.diagnostics.map {
        $0.description.replacingOccurrences(of: small.folder.path + "/", with: "")
      }
    }
  }

  @Test
  func
    `each combination is a variant, and parameters may set values or whole policies and workloads`()
    throws
  {
    let small = try SmallExperiment()
    defer { small.remove() }
    let experiment = try small.experiment([
      (
        "parameters: {grant: {set: policy.tasks.grant, values: [180s, 30s]}}",
        """
        parameters:
          policy: {set: policy, values: [ios7, ios13]}
          mails: {set: workload.apps.com.example.mail.count, from: 1, to: 4, factor: 2}
          work: {set: workload.apps.camera.tasks.upload.work, values: [10s, "{exponential: 1m}"]}
        baseline: policy=ios13 mails=1 work=10s
        """
      )
    ])
    #expect(experiment.variants.count == 12 && experiment.baseline == 6)
    #expect(experiment.variants[1].name == "policy=ios7 mails=1 work={exponential: 1m}")
    #expect(experiment.variants.map { $0.workload.apps[1].count }.prefix(6) == [1, 1, 2, 2, 4, 4])
    #expect(Set(experiment.variants.map(\.workload.policy.name)) == ["ios7", "ios13"])
    #expect(Set(experiment.variants.map(\.workload.digest)).count == 6)
  }

  private static let ranges: [(String, String, String?, Int64?, [String])] = [
    ("30m", "2h", "30m", nil, ["30m", "1h", "1h30m", "2h"]),
    ("1GiB", "4GiB", nil, Int64(2_000_000), ["1GiB", "2GiB", "4GiB"]),
    ("1", "2", "0.25", nil, ["1", "1.25", "1.5", "1.75", "2"]),
    ("5500ms", "6500ms", "500ms", nil, ["5500ms", "6s", "6500ms"]),
    ("10%", "30%", "20%", nil, ["10%", "30%"]), ("1", "1.5", "1", nil, ["1"]),
  ]

  @Test(arguments: ranges) func `a range advances by steps or by factors`(
    _ from: String, _ to: String, _ step: String?, _ factor: Int64?, _ values: [String]
  ) throws {
    #expect(try ParameterRange.values(from: from, to: to, step: step, factor: factor) == values)
  }

  @Test(arguments: [
    (
      "values: [180s, 30s]", "values: [180s, 3x]",
      "9:62: error: 'policy.tasks.grant' in the variant 'grant=3x'"
    ),
    ("policy.tasks.grant", "policy.tasks.grnt", "did you mean 'grant'?"),
    ("policy.tasks.grant", "workload.apps.camera.cuont", "did you mean 'count'?"),
    ("policy.tasks.grant", "tasks.grant", "'tasks.grant' cannot be set"),
    (
      "parameters: {grant: {set: policy.tasks.grant, values: [180s, 30s]}}", "parameters: {}",
      "nothing is varied"
    ),
    (
      "30s]}}", "30s]}, again: {set: policy.tasks.grant, values: [10s]}}",
      "'policy.tasks.grant' is already set by 'grant'"
    ),
    ("for: 6h", "for: 0s", "'for' must be more than 0s"),
    ("values: [180s, 30s]", "values: [30s]", "an experiment needs at least two variants"),
    ("values: [180s, 30s]", "values: [30s, 30s]", "the value '30s' is listed twice"),
    (
      "values: [180s, 30s]", "from: 1s, to: 10m",
      "a parameter needs 'values', or 'from' and 'to' with 'step' or 'factor'"
    ),
    ("values: [180s, 30s]", "from: 1s, to: 10h, step: 1s", "more than 1000 values"),
    ("figure: workLost", "figure: worklost", "unknown figure 'worklost'; did you mean 'workLost'?"),
    ("figure: workLost", "figure: ends", "'ends' needs 'about': a kind"),
    (
      "figure: workLost", "figure: opens, about: fetch",
      "'opens' is a figure of the whole app; it takes no 'about'"
    ),
    (
      "figure: workLost", "figure: radioTime, app: camera",
      "'radioTime' is a figure of the device; it takes no 'app'"
    ),
    ("about: fetch", "about: fech", "did you mean 'fetch'?"),
    ("about: fetch", "about: fetch, app: camra", "did you mean 'camera'?"),
    ("seed: 5", "baseline: grant=31s", "unknown variant 'grant=31s'"),
    ("seed: 5", "level: 20%", "'level' must be from 50% to 99%"),
    (
      "repetitions: 4", "repetitions: {atLeast: 9, atMost: 4}",
      "'atMost' must be at least 'atLeast'"
    ),
    ("workload: uploads.yaml", "workload: upload.yaml", "4:11: error:"),
    ("figure: workLost", "figure: workLost, margin: 0%", "'margin' must be more than 0"),
    ("figure: workLost", "figure: workLost, margin: 1m", "'workLost' is not counted in seconds"),
    ("figure: workLost", "figure: workLost, margin: 5x", "'5x' is not a margin; a margin is a"),
    ("figure: denied, about: fetch", "figure: ends, about: fetch", "'ends' is not about 'fetch'"),
    (
      "figure: denied, about: fetch", "figure: begun, about: suspended",
      "'begun' is not about 'suspended'"
    ),
    (
      "figure: denied, about: fetch", "figure: workLost, app: com.example.mail, about: upload",
      "'workLost' is not about 'upload'"
    ),
    (
      "figure: workLost", "figure: age",
      "'age' is a distribution; its figures are age.n, age.mean"
    ),
    (
      "figure: denied", "figure: denied.budgets",
      "nothing is denied for 'budgets'; did you mean 'budget'?"
    ),
    ("figure: denied", "figure: denied.budget+lowPowerMod", "did you mean 'lowPowerMode'?"),
    (
      "figure: denied, about: fetch", "figure: begun, about: fetch",
      "'begun' of 'fetch' can never count anything: wake 'fetch' of 'com.example.mail' is always denied: modeNotDeclared"
    ),
    (
      "about: fetch", "about: fetch, app: camera",
      "'denied' of 'fetch' can never count anything: 'camera' has no wake 'fetch'"
    ),
    ("about: fetch", "about: processing", "can never count anything: no app has wake 'processing'"),
    (
      "figure: denied", "figure: denied.budget",
      "wake 'fetch' of 'com.example.mail' is always denied for 'modeNotDeclared' too"
    ),
    (
      "figure: denied", "figure: denied.modeNotDeclared+lowPowerMode",
      "no device of the workload is ever in Low Power Mode"
    ),
    (
      "figure: denied", "figure: denied.modeNotDeclared+lowBattery",
      "the device has no 'batteryLife'"
    ),
    (
      "figure: denied", "figure: denied.kindNotInPolicy+modeNotDeclared",
      "the policy 'ios13' never denies wake 'fetch' for 'kindNotInPolicy'"
    ),
    (
      "figure: workLost", "figure: ends, about: tooManyBackgroundTasks, app: camra",
      "unknown app 'camra'"
    ),
    (
      "figure: workLost", "figure: ends, about: reboot",
      "'ends' of 'reboot' can never count anything: no app of a workload crashes"
    ),
    (
      "figure: workLost", "figure: ends, about: userForceQuit",
      "the workload's user has no 'forceQuits'"
    ),
    (
      "figure: workLost", "figure: workLost, app: com.example.mail",
      "'com.example.mail' has no background tasks"
    ),
    (
      "figure: workLost", "figure: wakesPerHour, app: camera",
      "'wakesPerHour' can never count anything: 'camera' has no wakes"
    ),
    (
      "figure: workLost", "figure: allowed, about: finiteTask",
      "for background tasks, only denials are counted as decisions"
    ),
    ("values: [180s, 30s]", "values: []", "a parameter needs at least one value"),
    ("values: [180s, 30s]", "values: [180s, ~]", "expected text, found nothing"),
    ("repetitions: 4", "repetitions: 1", "2 to 1000000"),
  ])
  func `each error is reported once, with its place`(
    _ text: String, _ replacement: String, _ expected: String
  ) throws {
    let errors = try errors([(text, replacement)])
    #expect(
      errors.count == 1
        && errors.allSatisfy { $0.contains(expected) && $0.hasPrefix("experiment.yaml:") },
      "\(errors)")
  }

  @Test(arguments: [
    "lowPowerMode+modeNotDeclared", "modeNotDeclared+lowPowerMode",
    "lowPowerMode+modeNotDeclared+lowPowerMode",
  ])
  func `reasons may be in any order, and are counted in the order that runs store`(
    _ reasons: String
  ) throws {
    let small = try SmallExperiment()
    defer { small.remove() }
    try (SmallExperiment.workload + "\ndevice: {lowPowerMode: true}")
      .write(toFile: small.path("uploads.yaml"), atomically: true, encoding: .utf8)
    let experiment = try small.experiment([("figure: denied", "figure: denied.\(reasons)")])
    #expect(experiment.measures[1].figure == "denied.modeNotDeclared+lowPowerMode")
  }

  @Test func `a policy's own facts are counted, in the order of the policy`() throws {
    let small = try SmallExperiment()
    defer { small.remove() }
    let written = "facts: {driving: {of: device}, towing: {of: device}}"
    try """
    curfew: policy/1
    name: drives
    extends: ios13
    \(written)
    wakes: {fetch: {blockedBy: [driving, towing]}}
    """.write(toFile: small.path("drives.yaml"), atomically: true, encoding: .utf8)
    let experiment = try small.experiment([
      ("seed: 5", "seed: 5\npolicy: drives.yaml"),
      ("figure: denied", "figure: denied.towing+modeNotDeclared+driving"),
    ])
    #expect(experiment.measures[1].figure == "denied.modeNotDeclared+driving+towing")
  }

  @Test func `a figure that counts something in at least one variant is accepted`() throws {
    let small = try SmallExperiment()
    defer { small.remove() }
    let parameters =
      "parameters: {tasks: {set: workload.apps.camera.tasks.upload.unfinished, values: [rest, lost]}}"
    let experiment = try small.experiment([
      ("parameters: {grant: {set: policy.tasks.grant, values: [180s, 30s]}}", parameters)
    ])
    #expect(experiment.measures[0].figure == "workLost")
    let errors = try errors([
      ("upload.work, values: [rest, lost]", ""),
      (
        "parameters: {grant: {set: policy.tasks.grant, values: [180s, 30s]}}",
        parameters.replacingOccurrences(of: "lost", with: "again")
      ),
    ])
    #expect(
      errors.count == 1
        && errors[0].hasSuffix(
          "'workLost' can never count anything: no app has tasks whose 'unfinished' is 'lost'"),
      "\(errors)")
  }

  @Test func `a workload that cannot be read is reported once, at its place`() throws {
    let small = try SmallExperiment()
    defer { small.remove() }
    try SmallExperiment.workload.replacingOccurrences(of: "unlocks", with: "unlokcs")
      .write(toFile: small.path("uploads.yaml"), atomically: true, encoding: .utf8)
    let errors = #expect(throws: FileErrors.self) { try small.experiment() }
    #expect(
      errors?.diagnostics.count == 1 && errors?.diagnostics[0].place?.line == 4,
      "\(errors?.description ?? "")")
  }
}
