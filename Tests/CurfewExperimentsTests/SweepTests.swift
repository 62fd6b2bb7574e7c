import CurfewEngine
import CurfewSimulation
import CurfewText
import Foundation
import GRDB
import TestRuns
import Testing

@testable import CurfewExperiments
@testable import CurfewStatistics

/// A sweep gives the same rows however it is performed, and reports what these rows show.
@Suite(.inTurn) struct SweepTests {
  @Test
  func `any number of threads, any order of parts and an interrupted sweep give the same rows`()
    throws
  {
    let small = try SmallExperiment()
    defer { small.remove() }
    let experiment = try small.experiment()
    for jobs in [1, 2, 5] {
      let outcome = try Sweep(experiment).run(
        into: ResultsFile.open(small.path("\(jobs).sqlite"), for: experiment), jobs: jobs)
      #expect(outcome.isWhole && outcome.made == 8 && outcome.kept == 0)
    }
    let rows = try SmallExperiment.rows(small.path("1.sqlite"))
    #expect(rows.count > 1_000)
    #expect(
      try SmallExperiment.rows(small.path("2.sqlite")) == rows
        && SmallExperiment.rows(small.path("5.sqlite")) == rows)

    for part in 1...3 {
      _ = try Sweep(experiment, shard: .init(part, of: 3)).run(
        into: ResultsFile.open(small.path("part-\(part)"), for: experiment))
    }
    let merged = try ResultsFile.merge(
      [3, 1, 2, 1].map { small.path("part-\($0)") }, into: small.path("all"))
    #expect(merged.runs == 8 && merged.repeated == 3 && merged.builds.map(\.runs) == [8])
    #expect(try SmallExperiment.rows(small.path("all")) == rows)
    let again = try Sweep(experiment).run(
      into: ResultsFile.open(small.path("all"), for: experiment))
    #expect(again.made == 0 && again.kept == 8 && again.evaluation != nil)

    var asked = 0
    let first = try Sweep(experiment).run(
      into: ResultsFile.open(small.path("cut"), for: experiment),
      isInterrupted: {
        asked += 1; return asked > 3
      })
    #expect(first.made < 8)
    let rest = try Sweep(experiment).run(into: ResultsFile.open(small.path("cut"), for: experiment))
    #expect(rest.kept == first.made && rest.made + rest.kept == 8)
    #expect(try SmallExperiment.rows(small.path("cut")) == rows)
  }

  @Test
  func `C4 a run that stands still ends its sweep, which names variant, repetition and device`()
    throws
  {
    let small = try SmallExperiment()
    defer { small.remove() }
    var experiment = try small.experiment()
    var workload = experiment.variants[1].workload
    workload.user.visit = Distribution(.constant(10))
    workload.apps[0].behavior = { turn in
      switch turn.cause {
      case .moment(.callback(.didBecomeActive)), .planned: turn.plan(1, after: .zero)
      default: break
      }
    }
    let variant = experiment.variants[1]
    experiment.variants[1] = Experiment.Variant(
      name: variant.name, settings: variant.settings, workload: workload)
    let results = try ResultsFile.open(small.path("still"), for: experiment)
    let error = #expect(throws: ResultsError.self) {
      try Sweep(experiment).run(into: results, jobs: 1)
    }
    let (app, message) = (workload.apps[0].name, error?.message ?? "")
    #expect(
      message.hasPrefix("time stands still at ")
        && message.contains("'\(app)' does something by itself"), "\(message)")
    #expect(message.hasSuffix(", on device 1 of '\(variant.name)', repetition 1"), "\(message)")
    #expect(try results.summary().runs == 1)
  }

  @Test func `variants share their seeds, or each run has its own`() throws {
    let small = try SmallExperiment()
    defer { small.remove() }
    let common = try small.experiment()
    #expect(common.seed(ofRepetition: 2, variant: 0) == common.seed(ofRepetition: 2, variant: 1))
    #expect(common.seed(ofRepetition: 2, variant: 0) != common.seed(ofRepetition: 3, variant: 0))
    let own = try small.experiment([("seed: 5", "seed: 5\npairing: independent")])
    let seeds = (0..<4).flatMap { repetition in
      (0..<2).map { own.seed(ofRepetition: repetition, variant: $0) }
    }
    #expect(Set(seeds).count == 8 && seeds.allSatisfy { $0 <= UInt64(Int64.max) })
  }

  @Test func `two equal variants are reported as the same, and a shorter grant loses more`() throws
  {
    let small = try SmallExperiment()
    defer { small.remove() }
    let experiment = try small.experiment([
      ("values: [180s, 30s]", "values: [180s, 3m, 30s]"), ("devices: 3", "devices: 40"),
    ])
    let results = try ResultsFile.open(small.path("results"), for: experiment)
    let evaluation = try #require(try Sweep(experiment).run(into: results).evaluation)
    #expect(evaluation.repetitions == 4 && evaluation.comparisons.count == 4)
    #expect(
      evaluation.comparisons.map(\.verdict) == [.tooRare, .differs(.more), .identical, .identical])
    let summary = try results.summary()
    #expect(
      summary.comparisons.map(\.verdict) == evaluation.comparisons.map(\.verdict)
        && summary.means.count == 6)
    #expect(SweepSentence(summary).first.hasPrefix("Lost: "))
    // Reads the file as any other program would.
    let mean = try results.read { database in
      try Double.fetchOne(
        database,
        sql:
          "SELECT avg(difference) FROM differences WHERE variant = 'grant=30s' AND measure = 'lost'"
      )
    }
    #expect(abs((mean ?? 0) - evaluation.comparisons[1].differences.mean) < 1e-12)
  }

  @Test func `a sweep that may stop early does, and gives the same result in parts`() throws {
    let small = try SmallExperiment()
    defer { small.remove() }
    let experiment = try small.experiment([
      ("repetitions: 4", "repetitions: {atLeast: 4, atMost: 16}"),
      (", denied: {figure: denied, about: fetch}", ""),
    ])
    #expect(experiment.plan.looks == [4, 8, 16])
    let outcome = try Sweep(experiment).run(
      into: ResultsFile.open(small.path("early"), for: experiment))
    let evaluation = try #require(outcome.evaluation)
    #expect(
      evaluation.isDecided && evaluation.repetitions < 16
        && outcome.made == 2 * evaluation.repetitions)
    let part = try ResultsFile.open(small.path("part"), for: experiment)
    #expect(try Sweep(experiment, shard: .init(1, of: 1)).run(into: part).made == 32)
    #expect(try part.evaluate(experiment) == evaluation)
  }

  @Test func `a file belongs to one experiment, and a merge refuses files that disagree`() throws {
    let small = try SmallExperiment()
    defer { small.remove() }
    let experiment = try small.experiment()
    _ = try Sweep(experiment).run(into: ResultsFile.open(small.path("one"), for: experiment))
    // The question may change without a new run.
    let asked = try small.experiment([
      ("name: Grants", "name: Other words"), ("figure: workLost", "figure: completion"),
    ])
    #expect(try Sweep(asked).run(into: ResultsFile.open(small.path("one"), for: asked)).made == 0)
    let other = try small.experiment([("seed: 5", "seed: 6")])
    let refusal = #expect(throws: ResultsError.self) {
      try ResultsFile.open(small.path("one"), for: other)
    }
    #expect(refusal?.kind == .otherExperiment)

    try FileManager.default.copyItem(atPath: small.path("one"), toPath: small.path("two"))
    let two = try DatabaseQueue(path: small.path("two"))
    try two.write {
      try $0.execute(sql: "UPDATE value SET value = value + 1 WHERE run = 3 AND metric = 2")
    }
    let otherwise = #expect(throws: ResultsError.self) {
      try ResultsFile.merge([small.path("two")], into: small.path("one"))
    }
    #expect(otherwise?.message.contains("disagrees with") ?? false, "\(otherwise?.message ?? "")")

    try "no results".write(toFile: small.path("text"), atomically: true, encoding: .utf8)
    #expect(
      #expect(throws: ResultsError.self) { try ResultsFile.read(small.path("text")) }?.kind
        == .notResults)
    _ = try DatabaseQueue(path: small.path("foreign")).write {
      try $0.execute(sql: "CREATE TABLE a (b)")
    }
    #expect(
      #expect(throws: ResultsError.self) {
        try ResultsFile.open(small.path("foreign"), for: experiment)
      }?.kind == .notResults)
  }

  @Test func `a file that was damaged, merged with itself or cut off is reported or repaired`()
    throws
  {
    let small = try SmallExperiment()
    defer { small.remove() }
    let experiment = try small.experiment()
    _ = try Sweep(experiment).run(into: ResultsFile.open(small.path("one"), for: experiment))
    let same = try ResultsFile.merge(
      [small.path("one"), small.path("one")], into: small.path("one"))
    #expect(same.runs == 8 && same.repeated == 0)
    try FileManager.default.createSymbolicLink(
      atPath: small.path("link"), withDestinationPath: small.path("one"))
    #expect(try ResultsFile.merge([small.path("one")], into: small.path("link")).runs == 8)

    try FileManager.default.copyItem(atPath: small.path("one"), toPath: small.path("short"))
    let handle = try #require(FileHandle(forWritingAtPath: small.path("short")))
    try handle.truncate(atOffset: 20_000)
    try handle.close()
    #expect(
      #expect(throws: ResultsError.self) { try ResultsFile.read(small.path("short")).summary() }?
        .kind == .notResults)
    try FileManager.default.copyItem(atPath: small.path("one"), toPath: small.path("less"))
    _ = try DatabaseQueue(path: small.path("less")).write {
      try $0.execute(sql: "DROP TABLE comparison")
    }
    #expect(
      #expect(throws: ResultsError.self) { try ResultsFile.read(small.path("less")).summary() }?
        .kind == .notResults)

    try FileManager.default.setAttributes(
      [.posixPermissions: 0o444], ofItemAtPath: small.path("one"))
    #expect(try ResultsFile.merge([small.path("one")], into: small.path("all")).runs == 8)
    let mode = try #require(
      FileManager.default.attributesOfItem(atPath: small.path("all"))[.posixPermissions] as? Int)
    #expect(mode & 0o200 != 0, "A merged file can be continued")
  }

  @Test(arguments: [
    "UPDATE value SET value = 1e200 WHERE metric = 3", "UPDATE experiment SET baseline = 0",
    "UPDATE experiment SET baseline = 99",
    "DELETE FROM measure WHERE id = 1", "UPDATE measure SET id = -5 WHERE id = 1",
    "UPDATE experiment SET days = 9e999",
    "UPDATE experiment SET at_least = 9, at_most = -9",
    "PRAGMA foreign_keys = OFF; DELETE FROM variant WHERE id = 2",
    "DROP VIEW measured; CREATE VIEW measured AS SELECT 1", "DELETE FROM experiment",
  ])
  func `a file that was changed by hand is refused`(_ change: String) throws {
    let small = try SmallExperiment()
    defer { small.remove() }
    let experiment = try small.experiment()
    _ = try Sweep(experiment).run(into: ResultsFile.open(small.path("results"), for: experiment))
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    try DatabaseQueue(path: small.path("results"), configuration: configuration).write {
      try $0.execute(sql: change)
    }
    for open in [
      { try ResultsFile.read(small.path("results")) },
      { try ResultsFile.open(small.path("results"), for: experiment) },
    ] {
      let refusal = #expect(throws: ResultsError.self) { try open() }
      #expect(refusal?.kind == .notResults, "\(refusal.map { "\($0)" } ?? "")")
    }
  }

  /// The lost uploads of Camera differ in a few repetitions only: two equal repetitions are no
  /// reason to stop.
  @Test func `repetitions in which nothing differed do not end a sweep early`() throws {
    let small = try SmallExperiment()
    defer { small.remove() }
    let experiment = try small.experiment([
      ("repetitions: 4", "repetitions: {atLeast: 2, atMost: 8}"), ("devices: 3", "devices: 20"),
      ("values: [180s, 30s]", "values: [180s, 180000ms]"),
    ])
    let evaluation = try #require(
      try Sweep(experiment).run(into: ResultsFile.open(small.path("results"), for: experiment))
        .evaluation)
    #expect(
      evaluation.repetitions == 8
        && evaluation.comparisons.map(\.verdict) == [.tooRare, .identical])
  }

  @Test func `more repetitions after an answer are another look, and are reported as such`() throws
  {
    let small = try SmallExperiment()
    defer { small.remove() }
    let experiment = try small.experiment()
    _ = try Sweep(experiment).run(into: ResultsFile.open(small.path("results"), for: experiment))
    #expect(try ResultsFile.read(small.path("results")).summary().lookedAt == nil)
    let more = try small.experiment([("repetitions: 4", "repetitions: 6")])
    _ = try Sweep(more).run(into: ResultsFile.open(small.path("results"), for: more))
    let summary = try ResultsFile.open(small.path("results"), for: more).summary()
    #expect(
      summary.lookedAt == 4 && summary.repetitions == 6
        && summary.afterthought?.hasPrefix("The results were seen after 4 repetitions") ?? false)
  }

  @Test(arguments: [
    ("figure: workLost", "figure: workLost, margin: 1"),
    ("figure: workLost", "figure: workLost, margin: 2"),
  ])
  func `a margin that is added or changed afterwards is a changed question`(
    _ text: String, _ replacement: String
  ) throws {
    let small = try SmallExperiment()
    defer { small.remove() }
    let before = try small.experiment(
      replacement.contains("2") ? [("figure: workLost", "figure: workLost, margin: 1")] : [])
    let after = try small.experiment([(text, replacement)])
    for (experiment, lookedAt) in [(before, nil), (before, nil), (after, 4), (after, 4)]
      as [(Experiment, Int?)]
    {
      _ = try Sweep(experiment).run(into: ResultsFile.open(small.path("results"), for: experiment))
      #expect(try ResultsFile.read(small.path("results")).summary().lookedAt == lookedAt)
    }
  }

  @Test func `a measure that is zero in every run is reported, and others are not`() throws {
    let small = try SmallExperiment()
    defer { small.remove() }
    let experiment = try small.experiment([
      (
        "measure: {",
        "measure: {purges: {figure: purges}, wasted: {figure: workWasted, app: camera}, "
      ),
      ("values: [180s, 30s]", "values: [3000s, 30s]"),
    ])
    let results = try ResultsFile.open(small.path("results"), for: experiment)
    let evaluation = try #require(try Sweep(experiment).run(into: results).evaluation)
    let summary = try results.summary()
    #expect(
      summary.unmeasured.map(\.measure) == [0]
        && summary.warnings == ["purges is 0 in all 8 runs: nothing was measured"])
    #expect(evaluation.comparisons[0].verdict == .tooRare && !evaluation.isDecided)
    // 3 devices for a quarter of a day, four times.
    let mean = try #require(summary.means.first { $0.measure == 0 })
    #expect(
      mean.mean == 0
        && mean.interval.map {
          abs($0.upperBound - 2.995_732_273_553_991 / 3) < 1e-9 && $0.lowerBound == 0
        } ?? false)
  }

  @Test func `rare events are stored with their bounds, and read back`() throws {
    let small = try SmallExperiment()
    defer { small.remove() }
    let experiment = try small.experiment([("values: [180s, 30s]", "values: [600s, 180s]")])
    let results = try ResultsFile.open(small.path("results"), for: experiment)
    let evaluation = try #require(try Sweep(experiment).run(into: results).evaluation)
    let rare = try #require(evaluation.comparisons[0].finding.rare)
    #expect(try results.summary().comparisons.first?.rare == rare)
    // Reads the file as any other program would.
    let row = try #require(
      try results.read {
        try Row.fetchOne($0, sql: "SELECT * FROM comparisons WHERE measure = 'lost'")
      })
    #expect(
      row["verdict"] == "tooRare" && row["low"] == nil as Double? && row["high"] == nil as Double?)
    #expect(
      row["events"] == rare.variant.events && row["device_days"] == 3.0
        && row["at_most"] == rare.variant.bounds.upperBound)
  }

  @Test func `a page has the spread of values and the decisions`() throws {
    let small = try SmallExperiment()
    defer { small.remove() }
    let experiment = try small.experiment([
      ("measure: {", "policy: denying.yaml\nmeasure: {delay: {figure: delay.p90}, ")
    ])
    let results = try ResultsFile.open(small.path("results"), for: experiment)
    _ = try Sweep(experiment).run(into: results)
    let summary = try results.summary()
    #expect(
      summary.spreads.map(\.variant) == [0, 1] && summary.spreads.allSatisfy { $0.measure == 0 })
    for spread in summary.spreads {
      #expect(spread.quantiles.map(\.share) == [0.1, 0.5, 0.9, 0.99])
      #expect(
        zip(spread.quantiles, spread.quantiles.dropFirst()).allSatisfy { $0.value <= $1.value })
    }
    let denied = try #require(
      summary.decisions.first { $0.kind == "fetch" && $0.reasons == "modeNotDeclared" })
    #expect(denied.counts.count == 2 && denied.counts.allSatisfy { $0 > 0 })
  }

  @Test func `every figure of two variants is compared`() throws {
    let small = try SmallExperiment()
    defer { small.remove() }
    let experiment = try small.experiment()
    let results = try ResultsFile.open(small.path("results"), for: experiment)
    _ = try Sweep(experiment).run(into: results)
    let found = try results.compare(0, 1)
    #expect(found.count > 100 && found.allSatisfy { $0.differences.count <= 4 })
    let opens = try #require(found.first { $0.figure == "opens" && $0.app.isEmpty })
    #expect(opens.verdict == .identical, "The users are the same in both")
    #expect(
      found.first { $0.figure == "workLost" && $0.app == "camera" && $0.about.isEmpty }.map {
        $0.second > $0.first
      } ?? false)
  }
}
