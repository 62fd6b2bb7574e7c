import CurfewEngine
import CurfewFiles
import Foundation
import Testing

@Suite struct ShippedFilesTests {
  static let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  static func files(in folder: String) -> [String] {
    let folder = repository.appendingPathComponent(folder)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasSuffix(".yaml") }.sorted().map { folder.appendingPathComponent($0).path }
  }

  @Test(arguments: PolicyFile.builtInNames) func `a built-in policy says for each written value how sure it is`(_ name: String) throws {
    let policy = try PolicyFile.load(name)
    #expect(policy.name == name)
    #expect(policy.file == "Policies/\(name).yaml")
    #expect(policy.digest.count == 16)
    for entry in policy.entries where entry.text != "none" && !entry.path.hasPrefix("tasks.") {
      #expect(entry.confidence != nil, "\(entry.place): \(entry.path)")
    }
  }

  @Test func `the shipped day is without a warning`() throws {
    let day = try Scenario.shippedDay()
    #expect(day.warnings.map(\.description) == [])
    #expect(!day.timeline.isEmpty)
  }

  @Test(arguments: ShippedFilesTests.files(in: "Policies/Scenarios")) func `a teaching scenario can be read`(_ path: String) throws {
    let scenario = try Scenario.load(path)
    #expect(scenario.warnings.map(\.description) == [])
  }

  @Test func `ios13 is what the rules say`() throws {
    let policy = try PolicyFile.load("ios13").policy
    #expect(policy.multitasking)
    #expect(policy.foregroundLimit == 1)
    #expect(policy.tasks.grant == .seconds(30))
    #expect(policy.tasks.grantAfterWake == .seconds(30))
    #expect(policy.tasks.warning == .seconds(5))
    #expect(policy.tasks.limit == 1000)
    #expect(policy.tasks.code == TerminationCode(rawValue: 0x2182_bad2))
    #expect(policy.tasks.ageWarning == .seconds(30))
    #expect(policy.sessions[.location] == SessionRules(stopsTaskClock: true, linger: .seconds(1)))
    #expect(policy.sessions.count == 6)
    #expect(policy.wakes.count == 12)
    #expect(policy.wakes[.bluetoothData]?.modes == [.bluetoothCentral, .bluetoothPeripheral])
    #expect(policy.wakes[.region]?.modes == [])
    #expect(policy.wakes[.fetch]?.deniedBy == [.backgroundRefreshDenied, .backgroundRefreshRestricted, .lowPowerMode])
    #expect(policy.wakes[.processing]?.deniedBy == [.backgroundRefreshDenied, .backgroundRefreshRestricted, .lowPowerMode, .lowBattery])
    #expect(policy.wakes[.processing]?.overrun == .drop)
    #expect(policy.wakes[.processing]?.code == nil)
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
