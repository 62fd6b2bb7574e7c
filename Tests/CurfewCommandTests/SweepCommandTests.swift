import Foundation
import TestRuns
import Testing

/// `curfew sweep`, `compare` and `report` for rare events and for no events.
@Suite(.inTurn) struct SweepCommandTests {
  private func folder(
    _ measures: String, grants: String = "[180s, 60s]", repetitions: Int = 4,
    work: String = "{exponential: 40s}"
  ) throws
    -> TemporaryFolder
  {
    let folder = try TemporaryFolder()
    try folder.write(
      """
      curfew: workload/1
      name: Uploads
      policy: ios13
      user: {unlocks: 40, visit: 10s}
      apps: {camera: {tasks: {upload: {work: \(work)}}}}
      """, to: "uploads.yaml")
    try folder.write(
      """
      curfew: experiment/1
      name: Grants
      workload: uploads.yaml
      for: 1d
      devices: 2
      repetitions: \(repetitions)
      parameters: {grant: {set: policy.tasks.grant, values: \(grants)}}
      measure: \(measures)
      """, to: "grants.yaml")
    return folder
  }

  private func comparisons(_ output: String) throws -> [[String: Any]] {
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
    return try #require((object["comparisons"] ?? object["figures"]) as? [[String: Any]])
  }

  @Test
  func
    `a measure that is zero in every run is reported before the results, with exit code 7`()
    throws
  {
    let folder = try folder("{kills: {figure: ends, about: backgroundTaskAssertionTimeout}}")
    let run = try CurfewProcess.run("sweep", "grants.yaml", in: folder)
    #expect(run.exitCode == 7)
    #expect(
      run.messages.hasPrefix("curfew: warning: kills is 0 in all 8 runs: nothing was measured\n"),
      "\(run.messages)")
    #expect(
      run.output.contains(
        "Kills: 0 and 0 in 8 device-days each: at most 0.37 a day in either, too rare to compare."),
      "\(run.output)")
    #expect(!run.output.contains("0 to 0"))

    let json = try CurfewProcess.run("sweep", "grants.yaml", "--json", in: folder)
    #expect(
      json.exitCode == 7
        && json.told.first == "curfew: warning: kills is 0 in all 8 runs: nothing was measured")
    #expect(try ResultSchemaTests.Kind.sweep.complaints(about: json.output) == [])
    let found = try #require(try comparisons(json.output).first)
    #expect(found["verdict"] as? String == "tooRare" && found["low"] == nil && found["high"] == nil)
    #expect(
      found["events"] as? Int == 0 && found["baselineEvents"] as? Int == 0
        && found["deviceDays"] as? Double == 8)
    #expect(abs((found["atMost"] as? Double ?? 0) + log(0.05) / 8) < 1e-8)

    let compare = try CurfewProcess.run(
      "compare", "grants.sqlite", "grant=180s", "grant=60s", in: folder)
    #expect(
      compare.exitCode == 7,
      "The experiment's own measure is zero in every run, whatever other figures show")
    #expect(
      compare.told.first == "curfew: warning: kills is 0 in all 8 runs: nothing was measured",
      "\(compare.messages)")
  }

  @Test
  func `compare reports a measure that is zero in merged shards, which no sweep has compared`()
    throws
  {
    let folder = try folder("{kills: {figure: ends, about: backgroundTaskAssertionTimeout}}")
    for shard in 1...2 {
      let part = try CurfewProcess.run(
        "sweep", "grants.yaml", "--shard", "\(shard)/2", "--output", "part\(shard).sqlite",
        in: folder)
      #expect(part.exitCode == 0, "\(part.messages)")
    }
    let merge = try CurfewProcess.run(
      "merge", "all.sqlite", "part1.sqlite", "part2.sqlite", in: folder)
    #expect(merge.exitCode == 0, "\(merge.messages)")
    let compare = try CurfewProcess.run(
      "compare", "all.sqlite", "grant=180s", "grant=60s", in: folder)
    #expect(
      compare.exitCode == 7 && compare.told.first?.contains("nothing was measured") == true,
      "\(compare.messages)")
  }

  @Test func `no page and no result has an interval from 0 to 0`() throws {
    let folder = try folder(
      "{kills: {figure: ends, about: backgroundTaskAssertionTimeout}, lost: {figure: workLost}}",
      repetitions: 8)
    _ = try CurfewProcess.run("sweep", "grants.yaml", in: folder)
    let page = try CurfewProcess.run("report", "grants.sqlite", in: folder)
    #expect(page.exitCode == 0 && !page.output.contains("0 to 0"))
    #expect(page.output.contains("0 (at most 0."), "The mean of no events has a bound")
    #expect(
      page.output.contains("too rare to compare: 0 and 0 events in 16 device-days each, at most 0.")
    )
    #expect(page.output.contains("It is 0 in all 16 runs: nothing was measured."))
    let all = try CurfewProcess.run(
      "compare", "grants.sqlite", "grant=180s", "grant=60s", "--all", "--json", in: folder)
    #expect(try ResultSchemaTests.Kind.comparison.complaints(about: all.output) == [])
    let figures = try comparisons(all.output)
    #expect(
      figures.contains { $0["verdict"] as? String == "tooRare" }
        && figures.contains { $0["verdict"] as? String == "identical" })
    for figure in figures {
      let ends = ["low", "high"].map { figure[$0].map { "\($0)" } ?? "none" }
      #expect(ends != ["0", "0"], "\(figure)")
    }
  }

  @Test func `results state that they were seen before the question changed`() throws {
    let folder = try folder("{lost: {figure: workLost}}")
    let first = try CurfewProcess.run("sweep", "grants.yaml", "--json", in: folder)
    #expect(!first.output.contains("lookedAt"))
    let text = try folder.read("grants.yaml")
    try folder.write(
      text.replacingOccurrences(of: "figure: workLost", with: "figure: workLost, margin: 5%"),
      to: "grants.yaml")
    let second = try CurfewProcess.run("sweep", "grants.yaml", "--json", in: folder)
    #expect(second.output.contains(#""lookedAt":4"#), "\(second.output)")
    #expect(
      try CurfewProcess.run("sweep", "grants.yaml", in: folder).output.contains(
        "The results were seen after 4 repetitions"))
  }

  @Test func `few skewed differences are reported with their interval`() throws {
    let folder = try folder(
      "{wasted: {figure: workWasted}, lost: {figure: workLost}}", repetitions: 6,
      work: "{logNormal: {median: 20s, p90: 30s}}")
    let run = try CurfewProcess.run("sweep", "grants.yaml", "--json", in: folder)
    let text = try CurfewProcess.run("sweep", "grants.yaml", in: folder).output
    let found = try comparisons(run.output)
    for comparison in found where comparison["verdict"] as? String != "tooRare" {
      #expect(comparison["skewness"] is Double, "\(comparison)")
    }
    #expect(
      found.contains { $0["low"] != nil && abs($0["skewness"] as? Double ?? 0) > 1 },
      "The example should be skewed: \(found)")
    #expect(
      text.contains("skewed: the interval may be too narrow") && text.contains("skewness"),
      "\(text)")
  }

  @Test func `a figure that can never count anything is refused before any run`() throws {
    let folder = try folder("{fetches: {figure: begun, about: fetch}}")
    let run = try CurfewProcess.run("sweep", "grants.yaml", in: folder)
    #expect(run.exitCode == 4 && run.output.isEmpty)
    #expect(
      run.messages.contains(
        "grants.yaml:8:43: error: 'begun' of 'fetch' can never count anything: no app has wake 'fetch'"
      ),
      "\(run.messages)")
    #expect(
      !FileManager.default.fileExists(
        atPath: folder.url.appendingPathComponent("grants.sqlite").path))
  }
}
