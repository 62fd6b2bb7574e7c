import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewTrace
import Foundation
import TestRuns
import Testing

/// The article on populations shows what the library does.
@Suite(.inTurn) struct PopulationsArticleTests {
  @Test func `the article shows the code that is tested here`() throws {
    let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
      "PopulationsArticle.swift")
    let code =
      try String(contentsOf: source, encoding: .utf8).components(separatedBy: "compares it.\n").last
      ?? ""
    let root = source.deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let article = root.appendingPathComponent(
      "Sources/CurfewSimulation/CurfewSimulation.docc/Populations.md")
    let text = try String(contentsOf: article, encoding: .utf8)
    for part in code.components(separatedBy: "\n\n/// A player") {
      let part = part.hasPrefix(" that is") ? "/// A player" + part : part
      #expect(!part.isEmpty && text.contains(part.trimmingCharacters(in: .newlines)))
    }
  }

  @Test func `the longer the grant, the fewer uploads are lost`() throws {
    let shares = try lostUploads().map(\.share)
    #expect(
      shares[0] > 0.5 && shares[0] < 0.6 && shares[1] < 0.03 && shares[2] <= shares[1], "\(shares)")
  }

  @Test func `a closure app does what its code says, with or without other apps`() throws {
    var workload = Workload(name: "Music", policy: try PolicyFile.load("ios13"), apps: [player()])
    workload.user.unlocks = 10
    workload.user.visit = Distribution(.constant(1e9))
    let fleet = Fleet(workload, devices: 40, length: .seconds(86_400), seed: 1)
    let figures = fleet.run(jobs: 2).figures
    let sessions = figures.total.kinds[Int(AssertionKind.audio.rawValue)]
    #expect(
      FleetModels.isNear(
        Double(sessions[.begun]) / Double(figures.total.opens), 0.5, of: figures.total.opens),
      "\(sessions[.begun])")
    #expect(sessions.length.greatest == 600_000_000_000)
    workload.apps.append(WorkloadApp("idle"))
    workload.apps[1].popularity = 0
    #expect(
      Fleet(workload, devices: 40, length: .seconds(86_400), seed: 1).run().figures.apps[0]
        == figures.apps[0])
  }
}
