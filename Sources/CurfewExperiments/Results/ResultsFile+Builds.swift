import CurfewText
import GRDB

extension ResultsFile {
  /// A build of Curfew, and the number of runs that it made in a file.
  package struct Build: Hashable, Sendable {
    /// `0.1.0 (11a6ab5ff87d)`
    package let name: String
    /// The number of runs.
    package let runs: Int
  }

  /// The builds that made the runs, in the order of their names.
  package func builds() throws(ResultsError) -> [Build] { try read { try ResultsFile.builds($0) } }

  static func builds(_ database: Database) throws -> [Build] {
    try Row.fetchAll(
      database, sql: "SELECT version, count(*) AS runs FROM run GROUP BY version ORDER BY version"
    ).map {
      Build(name: $0["version"], runs: $0["runs"])
    }
  }

  /// Throws before a run if `add` would throw after it.
  func checkBuilds() throws(ResultsError) { try read { try checkBuilds($0) } }

  /// Throws if the file has runs of another build and `mixesBuilds` is false: differences between
  /// builds would look like differences between variants.
  func checkBuilds(_ database: Database) throws {
    let isMixed =
      "SELECT EXISTS (SELECT 1 FROM run WHERE version < :build) OR EXISTS (SELECT 1 FROM run WHERE version > :build)"
    guard !mixesBuilds,
      try Bool.fetchOne(database, sql: isMixed, arguments: ["build": build]) == true,
      let other = try ResultsFile.builds(database).first(where: { $0.name != build })
    else { return }
    throw ResultsError(
      .otherBuild, path,
      "\(HumanCount.text(other.runs, "run")) in it \(other.runs == 1 ? "was" : "were") made by curfew \(other.name), but this is curfew \(build): "
        + "no run is added; '--mixed-builds' adds runs anyway, '--output' names another file")
  }
}

extension [ResultsFile.Build] {
  /// The warning about runs of several builds:
  /// `5 runs of curfew 0.1.0 (11a6ab5ff87d), 3 of curfew …`; nil if there is only one build.
  package var mixture: String? {
    guard count > 1 else { return nil }
    let parts = enumerated().map { index, build in
      "\(index == 0 ? HumanCount.text(build.runs, "run") : HumanCount.text(build.runs)) of curfew \(build.name)"
    }
    return
      "made by \(count) builds; differences between builds may affect the comparisons: \(parts.joined(separator: ", "))"
  }
}
