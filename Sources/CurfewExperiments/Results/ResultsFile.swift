import CurfewEngine
import CurfewRelease
package import CurfewSimulation
import CurfewText
import Foundation
import GRDB

/// An experiment's results in a SQLite file: what was run, what it gave, and where each number
/// comes from.
///
/// A run and all its figures are written in one transaction, with SQLite's rollback journal
/// and full synchronisation: whatever happens to the program, the machine or the disk, a run
/// is in the file whole or not at all. The rollback journal and not the write-ahead log, because
/// that needs shared memory, which the shared folders of a cluster do not have.
package final class ResultsFile {
  /// The file's path.
  package let path: String
  /// Whether runs are added to those of other builds.
  package var mixesBuilds = false
  /// The build of the runs that are added.
  var build = Release.build
  private let queue: DatabaseQueue
  /// Figures by what they are of, with their numbers in the file.
  private var metrics: [MetricName: Int64] = [:]

  private struct MetricName: Hashable {
    var app: String
    var about: String
    var figure: String
  }

  /// A run that was made: its variant's place, and its repetition.
  package struct Run: Hashable, Sendable {
    /// The place of its variant.
    package let variant: Int
    /// Which repetition, from 0.
    package let repetition: Int

    /// A variant's repetition.
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

  /// Opens the results of `experiment`, or begins them where there is no such file.
  ///
  /// - Throws: Where the file is another one, or holds another experiment: other variants, devices,
  ///   lengths or seeds. What it is called, what is measured and how many repetitions there are may
  ///   change: measures are taken of figures, which are all kept.
  package static func open(_ path: String, for experiment: Experiment) throws(ResultsError)
    -> ResultsFile
  {
    let file = try ResultsFile(path: path, isReadOnly: false)
    try file.write { database in
      // A file that SQLite made, and whose maker was killed before it was anybody's, has nothing
      // in it either. Looked at where nobody else can write: another sweep may begin the same file.
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

  /// The path of a file that is really one: SQLite takes `:memory:` and `file:…` for
  /// something else.
  package static func plainPath(_ path: String) -> String {
    path.hasPrefix(":") || path.hasPrefix("file:") ? "./" + path : path
  }

  /// Whether the file at `path` says of itself that it is SQLite's.
  package static func isSQLite(_ path: String) -> Bool {
    // Who opens a pipe waits for a writer.
    let attributes = try? FileManager.default.attributesOfItem(
      atPath: URL(fileURLWithPath: path).resolvingSymlinksInPath().path)
    guard attributes?[.type] as? FileAttributeType == .typeRegular,
      let file = FileHandle(forReadingAtPath: path)
    else { return false }
    defer { try? file.close() }
    return (try? file.read(upToCount: 15)) == Data("SQLite format 3".utf8)
  }

  /// Opens results to read them. A run that was broken off while it was written is taken back
  /// first, as SQLite does.
  package static func read(_ path: String) throws(ResultsError) -> ResultsFile {
    guard FileManager.default.fileExists(atPath: path) else {
      throw ResultsError(.notResults, path, "no such file")
    }
    // Who only reads cannot take anything back.
    if FileManager.default.fileExists(atPath: path + "-journal") { _ = try? forWriting(path) }
    let file = try ResultsFile(path: path, isReadOnly: true)
    try file.checkLayout()
    return file
  }

  /// Opens results to add to them.
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
      "holds the experiment '\(other)'\(release) with other variants, workloads, policies, devices, length or seed than '\(name)' has now; name another file by --output, or delete this one"
    )
  }

  // MARK: Runs

  /// Which runs are in the file.
  package func runs() throws(ResultsError) -> Set<Run> {
    let rows = try read { database in
      try Row.fetchAll(database, sql: "SELECT variant, repetition FROM run")
    }
    return Set(rows.map { Run(variant: ($0["variant"] as Int) - 1, repetition: $0["repetition"]) })
  }

  /// Keeps a run that has come to its end; one that is there already stays as it is.
  ///
  /// - Throws: Where the file has runs of another build, unless `mixesBuilds`; where it cannot
  ///   be written.
  /// - Parameters:
  ///   - seconds: How long it took.
  ///   - rows: All its figures.
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

  /// What `body` reads, in one transaction.
  func read<Result>(_ body: (Database) throws -> Result) throws(ResultsError) -> Result {
    do { return try queue.read(body) } catch { throw ResultsFile.failure(path, error) }
  }

  /// Does what `body` writes, whole or not at all.
  func write(_ body: (Database) throws -> Void) throws(ResultsError) {
    do { try queue.write(body) } catch { throw ResultsFile.failure(path, error) }
  }

  /// Does what `body` does outside of a transaction: attaching another file.
  func writeWithoutTransaction(_ body: (Database) throws -> Void) throws(ResultsError) {
    do { try queue.writeWithoutTransaction(body) } catch { throw ResultsFile.failure(path, error) }
  }

  /// Makes a new file with all that is in this one.
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
    case .SQLITE_NOTADB: return ResultsError(.notResults, path, "no results: it is no SQLite file")
    // What is asked is the same for all files: one that cannot answer lacks something.
    case .SQLITE_CORRUPT, .SQLITE_ERROR, .SQLITE_MISMATCH:
      return ResultsError(
        .notResults, path,
        "damaged results: \(error.message ?? "SQLite code \(error.resultCode.rawValue)")")
    default: break
    }
    return ResultsError(.storage, path, error.message ?? "SQLite code \(error.resultCode.rawValue)")
  }
}
