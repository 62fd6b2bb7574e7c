package import CurfewText

/// The stored counts, `instructions.json`: one set for each compiler and architecture.
package struct CountsFile: Hashable, Sendable {
  static let version = "instructions/1"
  /// The number of functions that are stored for a work.
  package static let storedFunctions = 40

  package struct CountSet: Hashable, Sendable {
    package var build: CountBuild
    package var counts: [InstructionCount]
  }

  package private(set) var sets: [CountSet] = []

  package init() {}

  /// The counts of a build; nil if none are stored.
  package func counts(of build: CountBuild) -> [InstructionCount]? {
    sets.first { $0.build == build }?.counts
  }

  /// Stores counts in place of the counts of the same works and build. The order of `names` is that
  /// of the works; a work that is not among them no longer exists and is removed.
  package mutating func store(_ counts: [InstructionCount], of build: CountBuild, names: [String]) {
    let place = sets.firstIndex { $0.build == build } ?? sets.count
    if place == sets.count { sets.append(CountSet(build: build, counts: [])) }
    let known = sets[place].counts
    sets[place].counts = names.compactMap { name in
      guard var count = counts.first(where: { $0.name == name }) else {
        return known.first { $0.name == name }
      }
      count.functions = Array(count.functions.prefix(Self.storedFunctions))
      return count
    }
  }

  // MARK: The file

  private static let shape = Shape.record(
    Record(
      "Stored counts of instructions.",
      [
        .required("curfew", .word([version], what: "format"), "The format and its version."),
        .required("sets", .list(.record(set)), "One set for each compiler and architecture."),
      ]))

  private static let set = Record(
    "The counts of one compiler and architecture.",
    [
      .required("compiler", .text, "The first line of swift --version."),
      .required("architecture", .text, "The first part of the target."),
      .required("counts", .list(.record(count)), "The counts."),
    ])

  private static let count = Record(
    "The count of one work.",
    [
      .required("name", .text, "The work."),
      .required("instructions", .wholeNumber(0...Int64.max), "All instructions."),
      .required(
        "functions", .dictionary(.any(what: "function"), .wholeNumber(0...Int64.max)),
        "The instructions of the most expensive functions themselves."),
    ])

  /// Reads a file of counts.
  /// - Throws: All errors in the file, with their places.
  package init(_ source: SourceFile) throws(FileErrors) {
    var findings = Findings()
    let root = try SourceDocument.parse(source, version: Self.version, &findings)
    findings.add(ShapeCheck.findings(in: root, Self.shape))
    try findings.throwIfAny(in: source.name)
    sets = (root["sets"]?.elements ?? []).map { set in
      CountSet(
        build: CountBuild(
          compiler: set["compiler"]?.text ?? "", architecture: set["architecture"]?.text ?? ""),
        counts: (set["counts"]?.elements ?? []).map(Self.count))
    }
  }

  private static func count(_ node: SourceNode) -> InstructionCount {
    func number(_ node: SourceNode?) -> Int64 { node?.text.flatMap { Int64($0) } ?? 0 }
    return InstructionCount(
      name: node["name"]?.text ?? "", instructions: number(node["instructions"]),
      functions: (node["functions"]?.pairs ?? []).map {
        InstructionCount.FunctionCost(name: $0.key, instructions: number($0.value))
      })
  }

  /// The text of the file.
  package var written: String {
    let sets = sets.map { set in
      JSONText.object([
        ("compiler", .string(set.build.compiler)),
        ("architecture", .string(set.build.architecture)),
        ("counts", .array(set.counts.map(Self.json))),
      ])
    }
    return JSONText.object([("curfew", .string(Self.version)), ("sets", .array(sets))]).written
      + "\n"
  }

  private static func json(_ count: InstructionCount) -> JSONText {
    .object([
      ("name", .string(count.name)), ("instructions", .number(count.instructions)),
      ("functions", .object(count.functions.map { ($0.name, .number($0.instructions)) })),
    ])
  }
}
