import CurfewEngine
import CurfewRelease
package import CurfewSimulation
import CurfewText
import Foundation
import GRDB

/// An experiment's results in a SQLite file: its runs, their figures, and the origin of
/// each number.
///
/// A run and all its figures are written in one transaction, with SQLite's rollback journal
/// and full synchronisation. Whatever happens to the program, the machine or the disk, a run is in
/// the file completely or not at all. The write-ahead log was not chosen: it needs shared memory,
/// which the shared folders of a cluster do not support.
package final class ResultsFile {
  /// The file's path.
  package let path: String
  /// Whether runs may be added to a file with runs of other builds.
  package var mixesBuilds = false
  /// The build of the runs that are added.
  var build = Release.build
  private let queue: DatabaseQueue
  /// The row identifiers of figures in the file, by name.
  private var metrics: [MetricName: Int64] = [:]

  private struct MetricName: Hashable {
    var app: String
    var about: String
    var figure: String
  }

  /// A completed run: a variant and a repetition.
  package struct Run: Hashable, Sendable {
    /// The variant's index.
    package let variant: Int
    /// The repetition, from 0.
    package let repetition: Int

    /// A run of this variant and repetition.
    package init(variant: Int, repetition: Int) {
      (self.variant, self.repetition) = (variant, repetition)
    }
  }

  private init(path: String, isReadOnly: Bool) throws(ResultsError) {
    self.path = path
    var configuration = Configuration()
    configuration.readonly = isReadOnly
    configuration.busyMode = .timeout(30)
    configuration.prepareDatabase { database in
      if !isReadOnly { try database.execute(sql: "PRAGMA synchronous = FULL") }
    }
    do { queue = try DatabaseQueue(path: path, configuration: configuration) } catch {
      throw ResultsFile.failure(path, error)
    }
  }

  // MARK: Opening

  /// Opens the results of `experiment`, or creates them if the file does not exist.
  ///
  /// - Throws: `notResults` or `storage` if the file cannot be used, and `otherExperiment` if the
  ///   variants, devices, length or seeds in the file differ. The name, the measures and the number
  ///   of repetitions may differ: every run keeps all its figures, so any measure can be computed
  ///   from them.
  package static func open(_ path: String, for experiment: Experiment) throws(ResultsError)
    -> ResultsFile
  {
    let file = try ResultsFile(path: path, isReadOnly: false)
    try file.write { database in
      // An empty file may also remain from a process that was killed while it created the file. The
      // check is part of the write transaction, because another sweep may create the same file.
      guard try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema") == 0 else {
        return
      }
      try database.execute(
        sql:
          "PRAGMA application_id = \(ResultsLayout.application); PRAGMA user_version = \(ResultsLayout.version)"
      )
      try database.execute(sql: ResultsLayout.statements)
      try ResultsFile.insertPlan(of: experiment, into: database)
      try ResultsFile.insertQuestion(of: experiment, into: database)
    }
    try file.checkLayout()
    try file.checkExperiment(experiment.digest, experiment.name)
    try file.write { database in try ResultsFile.insertQuestion(of: experiment, into: database) }
    try file.readMetrics()
    return file
  }

  /// Returns a path that SQLite treats as the path of a file. `:memory:` and `file:…` have
  /// a special meaning in SQLite.
  package static func plainPath(_ path: String) -> String {
    path.hasPrefix(":") || path.hasPrefix("file:") ? "./" + path : path
  }

  /// Whether the file at `path` begins with SQLite's signature.
  package static func isSQLite(_ path: String) -> Bool {
    // Opening a pipe would wait for a writer.
    let attributes = try? FileManager.default.attributesOfItem(
      atPath: URL(fileURLWithPath: path).resolvingSymlinksInPath().path)
    guard attributes?[.type] as? FileAttributeType == .typeRegular,
      let file = FileHandle(forReadingAtPath: path)
    else { return false }
    defer { try? file.close() }
    return (try? file.read(upToCount: 15)) == Data("SQLite format 3".utf8)
  }

  /// Opens results to read them. SQLite first rolls back a transaction that was interrupted.
  package static func read(_ path: String) throws(ResultsError) -> ResultsFile {
    guard FileManager.default.fileExists(atPath: path) else {
      throw ResultsError(.notResults, path, "no such file")
    }
    // A read-only connection cannot roll back.
    if FileManager.default.fileExists(atPath: path + "-journal") { _ = try? forWriting(path) }
    let file = try ResultsFile(path: path, isReadOnly: true)
    try file.checkLayout()
    return file
  }

  /// Opens results to add runs.
  static func forWriting(_ path: String) throws(ResultsError) -> ResultsFile {
    let file = try ResultsFile(path: path, isReadOnly: false)
    try file.checkLayout()
    return file
  }

  private func checkLayout() throws(ResultsError) {
    let (application, version) = try read { database in
      (
        try Int32.fetchOne(database, sql: "PRAGMA application_id") ?? 0,
        try Int32.fetchOne(database, sql: "PRAGMA user_version") ?? 0
      )
    }
    guard application == ResultsLayout.application else {
      throw ResultsError(.notResults, path, "a SQLite file, but not one of Curfew's results")
    }
    guard version == ResultsLayout.version else {
      throw ResultsError(
        .notResults, path, "results/\(version); this release reads results/\(ResultsLayout.version)"
      )
    }
    if let flaw = try read(ResultsLayout.flaw) {
      throw ResultsError(.notResults, path, "damaged results: \(flaw)")
    }
  }

  private func checkExperiment(_ digest: String, _ name: String) throws(ResultsError) {
    let found = try read { database in
      try Row.fetchOne(database, sql: "SELECT name, digest, version FROM experiment")
    }
    guard let found, found["digest"] as String? != digest else { return }
    let (other, version): (String, String) = (found["name"], found["version"])
    let release = version == build ? "" : ", of curfew \(version)"
    throw ResultsError(
      .otherExperiment, path,
      "holds the experiment '\(other)'\(release) with other variants, workloads, policies, devices, length or seed than those of '\(name)'; name another file with --output, or delete this file"
    )
  }

  // MARK: Runs

  /// The runs in the file.
  package func runs() throws(ResultsError) -> Set<Run> {
    let rows = try read { database in
      try Row.fetchAll(database, sql: "SELECT variant, repetition FROM run")
    }
    return Set(rows.map { Run(variant: ($0["variant"] as Int) - 1, repetition: $0["repetition"]) })
  }

  /// Adds a complete run. A run that is already in the file stays unchanged.
  ///
  /// - Throws: `otherBuild` if the file has runs of another build and `mixesBuilds` is false;
  ///   `storage` if the file cannot be written.
  /// - Parameters:
  ///   - seconds: The duration of the run.
  ///   - rows: All figures of the run.
  package func add(_ run: Run, seed: UInt64, seconds: Double, _ rows: [FigureRow])
    throws(ResultsError)
  {
    var metrics = metrics
    try write { database in
      try checkBuilds(database)
      try database.execute(
        sql: """
          INSERT INTO run (variant, repetition, seed, version, finished, seconds) VALUES (?, ?, ?, ?, strftime('%Y-%m-%dT%H:%M:%SZ'), ?)
          ON CONFLICT DO NOTHING
          """,
        arguments: [run.variant + 1, run.repetition, Int64(bitPattern: seed), build, seconds])
      guard database.changesCount > 0 else { return }
      let number = database.lastInsertedRowID
      let insert = try database.cachedStatement(
        sql: "INSERT INTO value (run, metric, value) VALUES (?, ?, ?)")
      for row in rows {
        let name = MetricName(app: row.app, about: row.about, figure: row.figure)
        let metric: Int64
        if let known = metrics[name] {
          metric = known
        } else {
          metric = try ResultsFile.insert(row, into: database)
          metrics[name] = metric
        }
        try insert.execute(arguments: [number, metric, row.value?.number])
      }
    }
    self.metrics = metrics
  }

  private static func insert(_ row: FigureRow, into database: Database) throws -> Int64 {
    try database.execute(
      sql:
        "INSERT INTO metric (app, about, figure, unit) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
      arguments: [row.app, row.about, row.figure, row.unit])
    let found = try Int64.fetchOne(
      database, sql: "SELECT id FROM metric WHERE app = ? AND about = ? AND figure = ?",
      arguments: [row.app, row.about, row.figure])
    return found ?? 0
  }

  private func readMetrics() throws(ResultsError) {
    let rows = try read { database in
      try Row.fetchAll(database, sql: "SELECT id, app, about, figure FROM metric")
    }
    metrics = Dictionary(
      rows.map { (MetricName(app: $0["app"], about: $0["about"], figure: $0["figure"]), $0["id"]) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  // MARK: SQLite

  /// The result of `body`, which reads in one transaction.
  func read<Result>(_ body: (Database) throws -> Result) throws(ResultsError) -> Result {
    do { return try queue.read(body) } catch { throw ResultsFile.failure(path, error) }
  }

  /// Runs `body` in one write transaction.
  func write(_ body: (Database) throws -> Void) throws(ResultsError) {
    do { try queue.write(body) } catch { throw ResultsFile.failure(path, error) }
  }

  /// Runs `body` outside a transaction, which is necessary to attach another file.
  func writeWithoutTransaction(_ body: (Database) throws -> Void) throws(ResultsError) {
    do { try queue.writeWithoutTransaction(body) } catch { throw ResultsFile.failure(path, error) }
  }

  /// Copies everything to a new file.
  func backUp(to path: String) throws(ResultsError) {
    do { try queue.backup(to: DatabaseQueue(path: path)) } catch {
      throw ResultsFile.failure(path, error)
    }
  }

  private static func failure(_ path: String, _ error: any Error) -> ResultsError {
    if let error = error as? ResultsError { return error }
    guard let error = error as? DatabaseError else {
      return ResultsError(.storage, path, "\(error)")
    }
    switch error.resultCode {
    case .SQLITE_NOTADB: return ResultsError(.notResults, path, "not results: it is not SQLite")
    // The queries are the same for all files, so a file that fails one of them is damaged.
    case .SQLITE_CORRUPT, .SQLITE_ERROR, .SQLITE_MISMATCH:
      return ResultsError(
        .notResults, path,
        "damaged results: \(error.message ?? "SQLite code \(error.resultCode.rawValue)")")
    default: break
    }
    return ResultsError(.storage, path, error.message ?? "SQLite code \(error.resultCode.rawValue)")
  }
}
