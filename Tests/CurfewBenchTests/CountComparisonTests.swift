import CurfewBench
import CurfewText
import Testing

private func count(_ instructions: Int64, _ functions: [(String, Int64)] = []) -> InstructionCount {
  InstructionCount(
    name: "cycle-10000", instructions: instructions,
    functions: functions.map { .init(name: $0.0, instructions: $0.1) })
}

@Suite struct CountComparisonTests {
  @Test(
    "a count differs if it is more than two percent from the stored count",
    arguments: [
      (100_000, CountComparison.Verdict.same), (102_000, .same), (102_001, .more), (98_000, .same),
      (97_999, .less),
    ] as [(Int64, CountComparison.Verdict)])
  func verdicts(instructions: Int64, verdict: CountComparison.Verdict) {
    #expect(CountComparison(count(instructions), stored: count(100_000)).verdict == verdict)
  }

  @Test("a count without a stored count has no verdict and no change")
  func unknown() {
    let comparison = CountComparison(count(1), stored: nil)
    #expect(comparison.verdict == .unknown)
    #expect(comparison.change == nil)
    #expect(comparison.grown.isEmpty)
  }

  @Test("the ten functions that grew most are named, in the order of their growth")
  func growth() {
    let names = (0..<15).map { "f\($0)" }
    let before = count(15_000, names.map { ($0, 1_000) })
    let after = count(
      16_050, names.enumerated().map { ($1, 1_000 + Int64($0) * 10) } + [("new", 95)])
    let grown = CountComparison(after, stored: before).grown
    #expect(
      grown.map(\.name) == ["f14", "f13", "f12", "f11", "f10", "new", "f9", "f8", "f7", "f6"])
    #expect(grown.map(\.instructions) == [140, 130, 120, 110, 100, 95, 90, 80, 70, 60])
  }

  @Test("a function that was too cheap to be stored is charged only what is certain to be growth")
  func cutList() {
    let stored = (0..<CountsFile.storedFunctions).map { ("f\($0)", Int64(1_000 - $0)) }
    let comparison = CountComparison(
      count(100_000, stored + [("small", 961), ("grown", 1_361)]), stored: count(90_000, stored))
    #expect(comparison.grown.map(\.name) == ["grown"])
    #expect(comparison.grown.map(\.instructions) == [400])
  }
}

@Suite struct CountsFileTests {
  private let build = CountBuild(compiler: "Swift version 6.3.1 (x)", architecture: "x86_64")

  private func written(_ file: CountsFile) throws -> CountsFile {
    try CountsFile(SourceFile(name: "instructions.json", bytes: Array(file.written.utf8)))
  }

  @Test("stored counts are the same after writing and reading, with any name of a function")
  func roundTrip() throws {
    var file = CountsFile()
    let long = String(repeating: "generic specialization <A, B> of ", count: 5)
    let work = count(5, [("f(_: \"x\") -> {a: [b]} # c", 3), (long, 1), ("a\\b\tc", 1)])
    file.store([work], of: build, names: ["cycle-10000"])
    #expect(try written(file) == file)
    #expect(try written(file).counts(of: build) == [work])
    let other = CountBuild(compiler: "Swift version 6.4", architecture: "x86_64")
    #expect(file.counts(of: other) == nil)
  }

  @Test("an update replaces the named counts, keeps the others and drops works that are gone")
  func update() {
    var file = CountsFile()
    func named(_ name: String, _ instructions: Int64) -> InstructionCount {
      InstructionCount(name: name, instructions: instructions, functions: [])
    }
    file.store([named("a", 1), named("b", 2), named("c", 3)], of: build, names: ["a", "b", "c"])
    file.store([named("b", 4), named("d", 5)], of: build, names: ["a", "d", "b"])
    #expect(file.counts(of: build) == [named("a", 1), named("d", 5), named("b", 4)])
  }

  @Test("a work keeps its forty most expensive functions")
  func cut() throws {
    var file = CountsFile()
    let functions = (0..<50).map { ("f\($0)", Int64(50 - $0)) }
    file.store([count(1_275, functions)], of: build, names: ["cycle-10000"])
    let stored = try #require(file.counts(of: build)?.first)
    #expect(stored.functions.map(\.name) == functions.prefix(40).map(\.0))
  }

  @Test("an unknown key and a negative count are refused with their places")
  func refusals() throws {
    let text = """
      {"curfew": "instructions/1", "sets": [{"compiler": "x", "architecture": "y", "counts": [
        {"name": "a", "instructions": -1, "functions": {}, "cost": 2}
      ]}]}
      """
    let errors = #expect(throws: FileErrors.self) {
      try CountsFile(SourceFile(name: "instructions.json", bytes: Array(text.utf8)))
    }
    let places = try #require(errors?.diagnostics.map { "\($0)" })
    #expect(places.contains { $0.hasPrefix("instructions.json:2:") && $0.contains("-1") })
    #expect(places.contains { $0.hasPrefix("instructions.json:2:") && $0.contains("cost") })
  }

  @Test("the compiler and the architecture come from swift --version")
  func builds() {
    let text = """
      Swift version 6.3.1 (swift-6.3.1-RELEASE)
      Target: aarch64-unknown-linux-gnu
      """
    let build = CountBuild(versionText: text)
    #expect(build?.compiler == "Swift version 6.3.1 (swift-6.3.1-RELEASE)")
    #expect(build?.architecture == "aarch64")
    #expect(CountBuild(versionText: "swift: not found") == nil)
  }
}
