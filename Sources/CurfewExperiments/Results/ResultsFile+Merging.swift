import Foundation
import GRDB

extension ResultsFile {
  /// The result of a merge.
  package struct Merged: Hashable, Sendable {
    /// The number of runs in the file after the merge.
    package var runs = 0
    /// The number of runs in the parts that the file already had, from before the merge or from
    /// an earlier part. These runs have equal figures in both files.
    package var repeated = 0
    /// The builds that made the runs.
    package var builds: [Build] = []
  }

  /// Merges the files of one experiment. Each run is copied once.
  ///
  /// - Parameter path: The file that gets the runs, created if it does not exist. The parts are
  ///   not changed.
  /// - Throws: `otherExperiment` if a part holds another experiment, or has different figures for
  ///   a run. In that case, no run of that part is copied.
  package static func merge(_ parts: [String], into path: String) throws(ResultsError) -> Merged {
    var merged = Merged()
    for part in parts {
      let other = try ResultsFile.read(part)
      if !FileManager.default.fileExists(atPath: path) { try other.copyPlan(to: path) }
      // A pattern such as `*.sqlite` matches the target as well.
      if isSame(part, path) {
        merged.runs = try other.runs().count
        continue
      }
      let file = try ResultsFile.forWriting(path)
      let (own, others) = (try file.digest(), try other.digest())
      guard own == others else {
        throw ResultsError(.otherExperiment, part, "holds another experiment, not that of \(path)")
      }
      merged.repeated += try file.take(part)
      merged.runs = try file.runs().count
    }
    merged.builds = try ResultsFile.read(path).builds()
    return merged
  }

  /// Whether two paths lead to the same file.
  private static func isSame(_ one: String, _ other: String) -> Bool {
    func identity(_ path: String) -> [AnyHashable?] {
      let attributes = try? FileManager.default.attributesOfItem(
        atPath: URL(fileURLWithPath: path).resolvingSymlinksInPath().path)
      return [
        attributes?[.systemNumber] as? AnyHashable, attributes?[.systemFileNumber] as? AnyHashable,
      ]
    }
    return identity(one) == identity(other)
  }

  /// Copies the file without its runs, atomically.
  private func copyPlan(to path: String) throws(ResultsError) {
    let partial = path + ".partial-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: partial) }
    try backUp(to: partial)
    try ResultsFile.forWriting(partial).write { database in
      try database.execute(
        sql:
          "DELETE FROM rare; DELETE FROM comparison; DELETE FROM value; DELETE FROM run; DELETE FROM metric"
      )
    }
    do { try FileManager.default.moveItem(atPath: partial, toPath: path) } catch {
      throw ResultsError(.storage, path, "\(error.localizedDescription)")
    }
  }

  private func digest() throws(ResultsError) -> String {
    try read { database in try String.fetchOne(database, sql: "SELECT digest FROM experiment") ?? ""
    }
  }

  /// Copies the runs that this file lacks from another file.
  /// - Returns: The number of runs that this file has already.
  private func take(_ part: String) throws(ResultsError) -> Int {
    var repeated = 0
    try writeWithoutTransaction { database in
      try database.execute(sql: "ATTACH DATABASE ? AS part", arguments: [part])
      defer { try? database.execute(sql: "DETACH DATABASE part") }
      try database.inTransaction {
        repeated =
          try Int.fetchOne(
            database, sql: "SELECT count(*) FROM part.run JOIN main.run USING (variant, repetition)"
          ) ?? 0
        if let run = try Row.fetchOne(database, sql: ResultsFile.otherwise) {
          let (variant, repetition): (String, Int) = (run["name"], run["repetition"])
          throw ResultsError(
            .otherExperiment, part,
            "disagrees with \(self.path) about the variant '\(variant)', repetition \(repetition): one of them is wrong"
          )
        }
        let last = try Int64.fetchOne(database, sql: "SELECT ifnull(max(id), 0) FROM main.run") ?? 0
        try database.execute(sql: ResultsFile.taking, arguments: ["last": last])
        return .commit
      }
    }
    return repeated
  }

  /// Selects the values of the runs that both files have, with the names of their figures.
  private static func named(_ file: String) -> String {
    """
    SELECT r.variant, r.repetition, m.app, m.about, m.figure, v.value
    FROM \(file).value AS v JOIN \(file).run AS r ON r.id = v.run JOIN \(file).metric AS m ON m.id = v.metric
    WHERE EXISTS (SELECT 1 FROM \(file == "main" ? "part" : "main").run AS o WHERE o.variant = r.variant AND o.repetition = r.repetition)
    """
  }

  /// Selects a run for which the two files have different values.
  private static var otherwise: String {
    """
    SELECT variant.name AS name, found.repetition AS repetition FROM (
      SELECT * FROM (\(named("main")) EXCEPT \(named("part"))) UNION ALL SELECT * FROM (\(named("part")) EXCEPT \(named("main")))
    ) AS found JOIN main.variant ON variant.id = found.variant LIMIT 1
    """
  }

  private static let taking = """
    INSERT INTO main.metric (app, about, figure, unit) SELECT app, about, figure, unit FROM part.metric WHERE TRUE ON CONFLICT DO NOTHING;
    INSERT INTO main.run (variant, repetition, seed, version, finished, seconds)
      SELECT variant, repetition, seed, version, finished, seconds FROM part.run WHERE TRUE ORDER BY repetition, variant ON CONFLICT DO NOTHING;
    INSERT INTO main.value (run, metric, value)
      SELECT own.id, metric.id, v.value FROM part.value AS v JOIN part.run AS r ON r.id = v.run
        JOIN main.run AS own ON own.variant = r.variant AND own.repetition = r.repetition JOIN part.metric AS m ON m.id = v.metric
        JOIN main.metric AS metric ON metric.app = m.app AND metric.about = m.about AND metric.figure = m.figure
      WHERE own.id > :last;
    """
}
