import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewText
import CurfewTrace
import Foundation
import TestRuns
import Testing

/// The documents show what the program does.
@Suite(.inTurn) struct DocumentationTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  @Test func `the trace format's example is the trace of the scenario that it names`() throws {
    let page = try String(
      contentsOf: DocumentationTests.root.appendingPathComponent("Documentation/formats/trace.md"),
      encoding: .utf8)
    let blocks = page.components(separatedBy: "```")
    let example = try #require(blocks.dropFirst().first).split(separator: "\n").dropFirst().map(
      String.init)
    let path = DocumentationTests.root.appendingPathComponent(
      "Policies/Scenarios/asking-for-more-time.yaml"
    ).path
    var simulation = Simulation(try Scenario.load(path))
    var lines: [String] = []
    _ = try simulation.run { lines.append($0.json()) }
    #expect(Array(example.dropFirst()) == lines)
  }

  @Test func `the scenarios and the policy that the documents show can be read`() throws {
    for page in [
      "Documentation/command-line.md", "Documentation/formats/scenario.md",
      "Documentation/formats/exec.md", "Policies/README.md",
    ] {
      let text = try String(
        contentsOf: DocumentationTests.root.appendingPathComponent(page), encoding: .utf8)
      let blocks = text.components(separatedBy: "```yaml\n").dropFirst().map {
        $0.components(separatedBy: "\n```")[0]
      }
      let files = blocks.filter {
        $0.contains("curfew: scenario/1") || $0.contains("curfew: policy/1")
      }
      #expect(!files.isEmpty, "\(page) shows no file")
      for file in files {
        let source = try SourceFile(name: page, bytes: Array(file.utf8))
        if file.contains("curfew: scenario/1") {
          _ = try Scenario.decode(source)
        } else {
          _ = try PolicyFile.decode(source)
        }
      }
    }
  }

  @Test func `the host that the architecture page shows compiles and suspends its app`() throws {
    var host = Host(try PolicyFile.load("ios13").policy)
    let mail = host.driver.addApp()
    host.tell(.launch(mail), at: .zero)
    #expect(host.driver.engine.state(of: mail) == .active)
    host.tell(.home(mail), at: .zero + .seconds(8))
    #expect(host.driver.engine.state(of: mail) == .suspended)

    let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
      "ArchitectureHost.swift")
    let code =
      try String(contentsOf: source, encoding: .utf8).components(separatedBy: "compares it.\n").last
      ?? ""
    let page = try String(
      contentsOf: DocumentationTests.root.appendingPathComponent("Documentation/architecture.md"),
      encoding: .utf8)
    #expect(!code.isEmpty && page.contains(code))
  }
}
