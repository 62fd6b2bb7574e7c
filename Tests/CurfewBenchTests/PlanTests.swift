import Foundation
import Testing

@testable import CurfewBench

@Suite struct PlanTests {
  /// The plans of the small sizes that have at most 64 KiB. `CURFEW_WRITE_PLANS=1 swift test
  /// --filter PlanTests` writes them again.
  @Test func `small plans are in Benchmarks/Workloads, with the same bytes`() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(
        path: "Benchmarks/Workloads")
    var names: [String] = []
    for kind in WorkloadKind.all {
      let plan = kind.plan(size: kind.sizes.small, seed: 1)
      guard plan.text.count <= 1 << 16 else { continue }
      let name = kind.name.replacingOccurrences(of: "/", with: "-") + ".jsonl"
      names.append(name)
      let file = folder.appending(path: name)
      if ProcessInfo.processInfo.environment["CURFEW_WRITE_PLANS"] != nil {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(plan.text).write(to: file)
      }
      #expect(try Data(contentsOf: file) == Data(plan.text), "\(name)")
    }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == names.sorted())
    #expect(names.contains("expirations-1.jsonl"))
  }

  @Test(
    "the plans have the same bytes on every machine",
    arguments: [
      ("deadlines/1", 2_000, "spaced", "5dff5d2829578f64"),
      ("deadlines/1", 2_000, "uniform", "524fdb74f74afe94"),
      ("deadlines/1", 2_000, "clustered", "cd5b93ba1f1386bc"),
      ("deadlines/1", 2_000, "same", "2d0ee678189e61d8"),
      ("deadlines/1", 2_000, "tight", "bb4ff67c6ec81d3c"),
      ("expirations/1", 500, nil, "52e453995007b2eb"),
      ("restart/1", 100, nil, "b6f71e9025a272fe"), ("fleet/1", 1_000, nil, "2a427141e2eab0ad"),
    ] as [(String, Int, String?, String)])
  func digests(_ workload: String, _ size: Int, _ shape: String?, _ digest: String) throws {
    let plan = try WorkloadKind.named(workload).plan(size: size, shape: shape, seed: 1)
    #expect(plan.digest == digest)
  }

  @Test func `a digest is that of the file without the digest's key`() throws {
    for kind in WorkloadKind.all {
      let plan = kind.plan(size: kind.sizes.tiny, seed: 1)
      var text = String(decoding: plan.text, as: UTF8.self)
      let key = try #require(text.range(of: "\"digest\":\"\(plan.digest)\","))
      text.removeSubrange(key)
      var hash: UInt64 = 0xcbf2_9ce4_8422_2325
      for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
      #expect(UInt64(plan.digest, radix: 16) == hash, "\(kind.name)")
      #expect(plan.digest != kind.plan(size: kind.sizes.tiny, seed: 2).digest, "\(kind.name)")
      #expect(plan.digest != kind.plan(size: kind.sizes.small, seed: 1).digest, "\(kind.name)")
    }
  }

  @Test func `the digests in Benchmarks/Results are those of the plans`() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(
        path: "Benchmarks/Results")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(!files.isEmpty)
    for file in files {
      for workload in try RunRecord.read(folder.appending(path: file).path).workloads {
        // A plan of restart/1 has at least 100,000 lines.
        for plan in workload.plans.prefix(workload.name == "restart/1" ? 1 : 40) {
          let kind = try WorkloadKind.named(workload.name)
          let made = kind.plan(size: workload.size, shape: workload.shape, seed: plan.seed)
          #expect(made.digest == plan.digest, "\(file): \(workload.title), seed \(plan.seed)")
        }
      }
    }
  }

  private func lines(_ plan: Plan) -> [JSONValue?] {
    plan.text.split(separator: UInt8(ascii: "\n")).map { JSONValue(Array($0)) }
  }

  @Test func `a header names everything that a plan depends on`() throws {
    let text = String(
      decoding: WorkloadKind.all[0].plan(size: 3, seed: .max).text.prefix { $0 != 10 },
      as: UTF8.self)
    #expect(
      text.hasPrefix(
        #"{"curfew":"bench/1","workload":"deadlines/1","seed":"18446744073709551615","size":3,"shape":"spaced","digest":""#
      ))
    #expect(text.hasSuffix(#"","timers":3}"#))
  }

  @Test(
    "a third of the timers is cancelled, at least 10 ms early except in tight plans",
    arguments: ["spaced", "uniform", "clustered", "same", "tight"])
  func cancellations(_ shape: String) throws {
    let lines = lines(
      try WorkloadKind.named("deadlines").plan(size: 3_000, shape: shape, seed: 7))
    #expect(lines.count == 3_001 && lines[1]?["k"]?.number == 0)
    var cancelled = 0
    var dues: Set<Int64> = []
    for line in lines.dropFirst() {
      let due = try #require(line?["due"]?.number)
      dues.insert(due)
      guard let cancel = line?["cancel"]?.number else { continue }
      cancelled += 1
      let distance = due - cancel
      #expect(cancel > 0)
      if shape == "tight" {
        #expect(distance >= 10_000 && distance <= 1_000_000)
      } else {
        #expect(distance >= 10_000_000)
      }
    }
    #expect(cancelled == 1_000)
    switch shape {
    case "clustered": #expect(dues.count == 100)
    case "same": #expect(dues.count == 1)
    case "spaced", "tight": #expect(dues.count == 3_000)
    default: break
    }
  }

  @Test func `a large plan lasts at most five seconds`() throws {
    let lines = lines(try WorkloadKind.named("deadlines").plan(size: 50_000, seed: 1))
    #expect(try #require(lines.last??["due"]?.number) <= 5_020_000_000)
  }

  @Test func `the restarts of a plan leave the sum that is expected`() throws {
    let plan = try WorkloadKind.named("restart").plan(size: 300, seed: 3)
    var dues: [Int64: Int64] = [:]
    for line in lines(plan).dropFirst() {
      if let k = line?["k"]?.number { dues[k] = line?["due"]?.number }
      if let pair = line?.numbers { dues[pair[0]] = pair[1] }
    }
    let sum = dues.values.reduce(UInt64(0)) { $0 &+ UInt64($1) }
    let segment = SegmentMeasurement(
      began: 0, ended: 2_000_000, processorNanoseconds: 0, peakMemory: 600)
    guard case .right(let findings) = judge(plan, "sum", "\(sum)", segment) else {
      Issue.record("the sum was refused")
      return
    }
    #expect(findings.figures.last == FigureRecord(name: "memory", value: 2))
    #expect(
      judge(plan, "sum", "\(sum - 1)", segment)
        == .wrong("the sum of the deadlines is \(sum - 1), \(sum) would be right"))
  }

  @Test func `a task begins again with the deadline that it had`() throws {
    let plan = try WorkloadKind.named("tasks").plan(size: 300, seed: 3)
    var dues: [Int64: Int64] = [:]
    for line in lines(plan).dropFirst() {
      if let k = line?["k"]?.number { dues[k] = line?["due"]?.number }
      if let pair = line?.numbers { #expect(dues[pair[0]] == pair[1]) }
    }
    let sum = dues.values.reduce(UInt64(0)) { $0 &+ UInt64($1) }
    let segment = SegmentMeasurement(
      began: 0, ended: 2_000_000, processorNanoseconds: 0, peakMemory: 600)
    guard case .right(let findings) = judge(plan, "sum", "\(sum)", segment) else {
      Issue.record("the sum was refused")
      return
    }
    #expect(findings.figures.map(\.name) == ["pair", "memory"])
  }

  private func judge(
    _ plan: Plan, _ key: String, _ value: String, _ segment: SegmentMeasurement
  ) -> AnswerVerdict {
    plan.expectation.judge(
      .object([key: .text(value), "outstanding": .number(Int64(plan.size))]), segment)
  }

  @Test func `sizes have names`() throws {
    let fleet = try WorkloadKind.named("fleet")
    #expect(try fleet.size("small") == 1_000 && fleet.size("large") == 1_000_000)
    #expect(try fleet.size("17") == 17)
    #expect(throws: (any Error).self) { try fleet.size("1000001") }
    #expect(throws: (any Error).self) { try fleet.size("medium") }
    #expect(throws: (any Error).self) { try WorkloadKind.named("flet") }
    #expect(fleet.complaint(aboutShape: "x") == "fleet/1 has no shapes")
    #expect(
      try WorkloadKind.named("deadlines").complaint(aboutShape: "unifrom")
        == "unknown shape 'unifrom'; did you mean 'uniform'?")
  }
}
