package import CurfewText
import Foundation

/// A package with contestants: the folder `Benchmarks` of a clone.
package struct Suite: Sendable {
  /// The folder of the package, an absolute path.
  package let root: String
  /// The contestants, sorted by name.
  package let contestants: [ContestantFile]

  private static let folder = "Contestants"
  /// The files of a contestant's folder begin with this word; the open division has a file
  /// of its own.
  private static let file = (prefix: "contestant", suffix: ".yaml")

  package init(root: String, contestants: [ContestantFile]) {
    (self.root, self.contestants) = (root, contestants)
  }

  /// Finds the package: at `path`, or if that is nil, in the working directory or its folder
  /// `Benchmarks`. Returns an absolute path.
  package static func root(at path: String?) throws(Refusal) -> String {
    for candidate in path.map({ [$0] }) ?? [".", "Benchmarks"] {
      let url = URL(fileURLWithPath: candidate).standardizedFileURL
      if isFolder(url.appendingPathComponent(folder).path) { return url.path }
    }
    throw Refusal(
      path.map { "--suite \($0): it has no folder '\(folder)'" }
        ?? "no folder '\(folder)' is here or in Benchmarks; --suite names the suite's folder")
  }

  /// Reads the contestants of the package at `root`.
  ///
  /// - Throws: The errors of all files.
  package init(reading root: String) throws(FileErrors) {
    var found: [(path: String, file: ContestantFile)] = []
    var errors: [FileDiagnostic] = []
    let contestants = "\(root)/\(Suite.folder)"
    for name in Suite.names(in: contestants) {
      let folder = "\(contestants)/\(name)"
      for file in Suite.names(in: folder)
      where file.hasPrefix(Suite.file.prefix) && file.hasSuffix(Suite.file.suffix) {
        let path = Suite.displayed("\(folder)/\(file)")
        do {
          let contestant = try ContestantFile.read(path, in: folder)
          if let other = found.first(where: { $0.file.name == contestant.name }) {
            errors.append(
              FileDiagnostic(
                file: path, "\(other.path) has the same name, '\(contestant.name)'"))
          }
          found.append((path, contestant))
        } catch { errors += error.diagnostics }
      }
    }
    // A file that cannot be read may be the floor that is missing.
    if errors.isEmpty { errors = Suite.roleMistakes(found.map(\.file)) }
    guard errors.isEmpty else { throw FileErrors(errors) }
    self.init(root: root, contestants: found.map(\.file).sorted { $0.name < $1.name })
  }

  /// The mistakes in the roles. Each workload has one floor, which the others are compared with,
  /// and at most one subject.
  private static func roleMistakes(_ files: [ContestantFile]) -> [FileDiagnostic] {
    WorkloadKind.all.flatMap { kind -> [FileDiagnostic] in
      let part = files.filter { $0.takesPart(in: kind) }
      var mistakes: [FileDiagnostic] = []
      for role in [ContestantRecord.Role.floor, .subject] {
        let same = part.filter { $0.role == role }
        for file in same.dropFirst() {
          guard let place = file.rolePlace else { continue }
          let text = "\(same[0].name) is the \(role.rawValue) of \(kind.name), which has only one"
          mistakes.append(FileDiagnostic(at: place, text))
        }
      }
      if let first = part.first, !part.contains(where: { $0.role == .floor }),
        let index = first.workloads.firstIndex(of: kind.name),
        first.workloadPlaces.indices.contains(index)
      {
        let text = "no contestant of the suite is the floor of \(kind.name)"
        mistakes.append(FileDiagnostic(at: first.workloadPlaces[index], text))
      }
      return mistakes
    }
  }

  /// The folder for a contestant's build products.
  package func products(of contestant: ContestantFile) -> String {
    "\(root)/.build/contestants/\(contestant.name)"
  }

  private static func names(in folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
  }

  /// The path from the working directory, if the file is below it.
  private static func displayed(_ path: String) -> String {
    let here = FileManager.default.currentDirectoryPath + "/"
    return path.hasPrefix(here) ? String(path.dropFirst(here.count)) : path
  }

  private static func isFolder(_ path: String) -> Bool {
    var isDirectory: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
      && isDirectory.boolValue
  }
}
