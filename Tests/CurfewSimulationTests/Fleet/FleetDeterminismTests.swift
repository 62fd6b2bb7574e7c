import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewText
import CurfewTrace
import Foundation
import TestRuns
import TestSupport
import Testing

/// The same fleet gives the same results however it is run, and one change affects nothing else.
@Suite(.inTurn) struct FleetDeterminismTests {
  private static let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(
      "Policies/Workloads/phone.yaml"
    ).path

  private static func text(_ workload: Workload, devices: Int, seed: UInt64, jobs: Int) -> String {
    let figures = Fleet(workload, devices: devices, length: .seconds(86_400), seed: seed).run(
      jobs: jobs
    ).figures
    return figures.rows(under: workload.policy, weights: workload.energy).map { "\($0)" }.joined(
      separator: "\n")
  }

  @Test func `one, two and five threads give the same figures`() throws {
    let workload = try Workload.load(Self.path)
    let fleet = Fleet(workload, devices: 7, length: .seconds(86_400), seed: 3)
    let figures = [1, 2, 5].map { fleet.run(jobs: $0).figures }
    #expect(figures[0] == figures[1] && figures[0] == figures[2])
    let texts = [1, 2, 5].map { Self.text(workload, devices: 7, seed: 3, jobs: $0) }
    #expect(texts[0] == texts[1] && texts[0] == texts[2])
    #expect(figures[0][.devices] == 7 && figures[0][.events] > 7_000)
  }

  @Test func `another process gives the same figures`() async throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(
      "curfew-\(UUID().uuidString)"
    ).path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let file = Self.path
    await #expect(processExitsWith: .success) { [path = path as String, file = file as String] in
      let workload = try Workload.load(file)
      try FleetDeterminismTests.text(workload, devices: 3, seed: 9, jobs: 2).write(
        toFile: path, atomically: true, encoding: .utf8)
    }
    let other = try String(contentsOfFile: path, encoding: .utf8)
    #expect(other == Self.text(try Workload.load(Self.path), devices: 3, seed: 9, jobs: 1))
  }

  @Test func `another seed gives another fleet`() throws {
    let workload = try Workload.load(Self.path)
    #expect(
      Self.text(workload, devices: 2, seed: 1, jobs: 1)
        != Self.text(workload, devices: 2, seed: 2, jobs: 1))
  }

  @Test func `another policy does not change what users do, nor which work comes up`() throws {
    let workload = try Workload.load(Self.path)
    var shorter = workload
    try shorter.policy.set("tasks.grant", "10s")
    func run(_ workload: Workload) -> Figures {
      Fleet(workload, devices: 5, length: .seconds(86_400), seed: 4).run().figures
    }
    let (usual, short) = (run(workload), run(shorter))
    #expect(usual.apps.map(\.opens) == short.apps.map(\.opens))
    #expect(
      usual.apps.map { $0.works.map(\.[.begun]) } == short.apps.map { $0.works.map(\.[.begun]) })
    #expect(
      usual.total.work[.lost] < short.total.work[.lost]
        || usual.total.work[.cutOff] < short.total.work[.cutOff])
  }

  @Test func `one more sort of app, task or wake does not change the others`() throws {
    let workload = try Workload.load(Self.path)
    func run(_ workload: Workload) -> Figures {
      Fleet(workload, devices: 4, length: .seconds(86_400), seed: 4).run().figures
    }
    let before = run(workload)
    var more = workload
    var idle = WorkloadApp("idle")
    idle.popularity = 0
    more.apps.insert(idle, at: 0)
    #expect(Array(run(more).apps.dropFirst()) == before.apps)
    // A task of zero length before the others changes the results of its own app only.
    var busier = workload
    busier.apps[3].tasks.insert(TaskModel("first", work: Distribution(.constant(0))), at: 0)
    let after = run(busier)
    for index in before.apps.indices where index != 3 {
      #expect(after.apps[index].works.map(\.[.begun]) == before.apps[index].works.map(\.[.begun]))
      #expect(after.apps[index].opens == before.apps[index].opens)
    }
  }

  @Test func `a run that is stopped has the figures of the devices that finished`() throws {
    let workload = try Workload.load(Self.path)
    let fleet = Fleet(workload, devices: 100_000, length: .seconds(86_400), seed: 3)
    var last = Fleet.Progress()
    let result = fleet.run(jobs: 2, isInterrupted: { last.devices > 3 }, progress: { last = $0 })
    #expect(!result.isWhole && result.figures[.devices] > 3 && result.figures[.devices] < 100_000)
    #expect(
      result.figures[.simulated].nanoseconds == Int64(result.figures[.devices]) * 86_400_000_000_000
    )
  }
}
