import CurfewRelease
import Foundation
import TestRuns
import Testing

@testable import CurfewExperiments

/// Runs of two builds are kept apart.
@Suite(.inTurn) struct BuildTests {
  private static let other = "0.1.0 (0123456789ab)"

  /// A file with half of a small experiment's runs, made by another build.
  private static func half(
    _ small: SmallExperiment, _ experiment: Experiment, _ name: String = "results"
  ) throws -> ResultsFile {
    let results = try ResultsFile.open(small.path(name), for: experiment)
    results.build = other
    #expect(try Sweep(experiment, shard: .init(1, of: 2)).run(into: results).made == 4)
    return results
  }

  @Test func `no run is added to runs of another build, except with --mixed-builds`() throws {
    let small = try SmallExperiment()
    defer { small.remove() }
    let experiment = try small.experiment()
    let half = try Self.half(small, experiment)
    let results = try ResultsFile.open(small.path("results"), for: experiment)
    let refusal = #expect(throws: ResultsError.self) { try Sweep(experiment).run(into: results) }
    #expect(refusal?.kind == .otherBuild)
    let message = refusal?.message ?? ""
    #expect(
      message.contains(Self.other) && message.contains(Release.build)
        && message.contains("--mixed-builds"), "\(message)")
    #expect(try results.builds() == [ResultsFile.Build(name: Self.other, runs: 4)])

    results.mixesBuilds = true
    #expect(try Sweep(experiment).run(into: results).made == 4)
    #expect(
      try Set(results.builds().map(\.name)) == [Self.other, Release.build]
        && results.builds().allSatisfy { $0.runs == 4 })
    let mixture = try #require(try results.summary().builds.mixture)
    #expect(mixture.contains("4 runs of curfew \(Self.other)"), "\(mixture)")
    _ = half
  }

  @Test
  func `a complete file of another build is compared, and a new build in the middle is refused`()
    throws
  {
    let small = try SmallExperiment()
    defer { small.remove() }
    let experiment = try small.experiment()
    let first = try ResultsFile.open(small.path("results"), for: experiment)
    first.build = Self.other
    #expect(try Sweep(experiment).run(into: first).made == 8)
    let outcome = try Sweep(experiment).run(
      into: ResultsFile.open(small.path("results"), for: experiment))
    #expect(outcome.made == 0 && outcome.evaluation != nil)
    #expect(try first.summary().builds.mixture == nil)

    let more = try small.experiment([("repetitions: 4", "repetitions: 5")])
    let second = try ResultsFile.open(small.path("results"), for: more)
    #expect(throws: ResultsError.self) {
      try second.add(.init(variant: 0, repetition: 4), seed: 1, seconds: 0, [])
    }
    #expect(try second.runs().count == 8)
  }

  @Test func `a merge accepts runs of two builds, and names both`() throws {
    let small = try SmallExperiment()
    defer { small.remove() }
    let experiment = try small.experiment()
    _ = try Self.half(small, experiment, "one")
    _ = try Sweep(experiment, shard: .init(2, of: 2)).run(
      into: ResultsFile.open(small.path("two"), for: experiment))
    let merged = try ResultsFile.merge(
      [small.path("one"), small.path("two")], into: small.path("all"))
    #expect(merged.runs == 8 && Set(merged.builds.map(\.name)) == [Self.other, Release.build])
    #expect(
      try ResultsFile.merge([small.path("one")], into: small.path("again")).builds.mixture == nil)
  }
}
