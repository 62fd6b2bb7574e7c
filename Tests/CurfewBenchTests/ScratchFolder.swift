import CurfewBench
import Foundation

/// A folder for one test, removed at its end.
final class ScratchFolder {
  let path = NSTemporaryDirectory() + "bench-tests-\(UUID().uuidString)"

  init() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func write(_ name: String, _ text: String) throws {
    let url = URL(fileURLWithPath: "\(path)/\(name)")
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  /// A suite with one contestant for each program in Python. It may lack a floor, unlike a suite
  /// that is read from its folder.
  func suite(
    _ scripts: [(name: String, role: ContestantRecord.Role, script: String)],
    workload: String
  ) throws -> CurfewBench.Suite {
    var files: [ContestantFile] = []
    for (name, role, script) in scripts.sorted(by: { $0.name < $1.name }) {
      try write("Contestants/\(name)/main.py", script)
      try write(
        "Contestants/\(name)/contestant.yaml",
        """
        about: a program
        role: \(role.rawValue)
        division: closed
        workloads: [\(workload)]
        run: python3 main.py

        """)
      let folder = "\(path)/Contestants/\(name)"
      files.append(try ContestantFile.read("\(folder)/contestant.yaml", in: folder))
    }
    return CurfewBench.Suite(root: path, contestants: files)
  }
}
