import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewText
import Foundation
import TestRuns
import Testing

@Suite(.inTurn) struct ShippedFilesTests {
  static let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
    .deletingLastPathComponent()

  static func files(in folder: String) -> [String] {
    let folder = repository.appendingPathComponent(folder)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasSuffix(".yaml") }.sorted().map {
      folder.appendingPathComponent($0).path
    }
  }

  @Test(arguments: PolicyFile.builtInNames) func `a built-in policy is found by its name`(
    _ name: String
  ) throws {
    let policy = try PolicyFile.load(name)
    #expect(policy.name == name)
    #expect(policy.file == "Policies/\(name).yaml")
    #expect(policy.digest.count == 16)
  }

  @Test func `the embedded files are under 80 KB`() throws {
    var bytes = 0
    for path in Self.files(in: "Policies") {
      bytes += try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    }
    #expect(bytes > 20_000 && bytes < 80 << 10)
  }

  @Test func `the shipped day has no warning`() throws {
    let day = try Scenario.shippedDay()
    #expect(day.warnings.map(\.description) == [])
    #expect(!day.timeline.isEmpty)
  }

  @Test(arguments: ShippedFilesTests.files(in: "Policies/Scenarios"))
  func `a teaching scenario can be read`(_ path: String) throws {
    let scenario = try Scenario.load(path)
    #expect(scenario.warnings.map(\.description) == [])
  }

  @Test func `ios3 has no finite-length tasks and nothing in the background`() throws {
    let file = try PolicyFile.load("ios3")
    #expect(!file.policy.multitasking)
    #expect(file.policy.tasks.grant == .zero)
    #expect(file.policy.sessions.isEmpty)
    #expect(file.policy.wakes.isEmpty)
    #expect(file.entry("tasks.grant")?.place == file.entry("multitasking")?.place)
  }
}
