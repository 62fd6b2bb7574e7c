import CurfewText
import Foundation
import GRDB

@testable import CurfewExperiments

/// An experiment that takes a few milliseconds, and a folder for its results.
struct SmallExperiment {
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "curfew-experiment-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try
      "curfew: policy/1\nname: denying\nextends: ios13\nwakes: {fetch: {admissions: 1, window: 24h}}\n"
      .write(to: folder.appendingPathComponent("denying.yaml"), atomically: true, encoding: .utf8)
    try Self.workload.write(
      to: folder.appendingPathComponent("uploads.yaml"), atomically: true, encoding: .utf8)
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  static let workload = """
    curfew: workload/1
    name: Uploads
    policy: ios13
    user: {unlocks: 40, visit: 10s}
    apps:
      camera: {returns: {didEnterBackground: 50ms}, tasks: {upload: {work: {exponential: 40s}}}}
      com.example.mail: {count: 2, wakes: {fetch: {interval: 1h, work: 5s}}}
    """

  static let text = """
    curfew: experiment/1
    name: Grants
    question: What does a shorter grant lose?
    workload: uploads.yaml
    for: 6h
    devices: 3
    seed: 5
    repetitions: 4
    parameters: {grant: {set: policy.tasks.grant, values: [180s, 30s]}}
    measure: {lost: {figure: workLost}, denied: {figure: denied, about: fetch}}
    """

  /// The experiment, with some lines of the text replaced.
  func experiment(_ replacements: [(String, String)] = [], text: String = SmallExperiment.text)
    throws(FileErrors) -> Experiment
  {
    let text = replacements.reduce(text) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
    return try Experiment.decode(
      try SourceFile(name: path("experiment.yaml"), bytes: Array(text.utf8)))
  }

  /// Every figure of every run, sorted.
  static func rows(_ path: String) throws -> [String] {
    let file = try ResultsFile.read(path)
    return try file.read { database in
      try String.fetchAll(
        database,
        sql: """
          SELECT variant || '|' || repetition || '|' || seed || '|' || app || '|' || about || '|' || figure || '|' || ifnull(value, '')
          FROM figures ORDER BY 1
          """)
    }
  }
}
