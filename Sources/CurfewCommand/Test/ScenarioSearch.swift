import CurfewText
import Foundation

/// Finds the scenarios in the given files and folders.
///
/// Folders are walked in the order of names, without hidden entries and links to other folders.
/// In a folder, only files that declare themselves as scenarios are taken; a file given by name
/// is always taken.
struct ScenarioSearch {
  /// The files to test, in order, each once.
  private(set) var paths: [String] = []
  /// The number of scenarios in the folders without expectations.
  private(set) var silent = 0
  private let filters: [String]
  private var seen: Set<String> = []

  init(_ names: [String], filters: [String]) {
    self.filters = filters
    for name in names {
      if ScenarioSearch.isFolder(name) { walk(name) } else { add(name) }
    }
  }

  private mutating func add(_ path: String) {
    guard filters.isEmpty || filters.contains(where: path.contains) else { return }
    if seen.insert(path).inserted { paths.append(path) }
  }

  private mutating func walk(_ folder: String) {
    let lead = folder == "." ? "" : folder.hasSuffix("/") ? folder : folder + "/"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for name in names.sorted() where !name.hasPrefix(".") {
      let path = lead + name
      switch (try? FileManager.default.attributesOfItem(atPath: path))?[.type] as? FileAttributeType
      {
      case .typeDirectory?: walk(path)
      case .typeRegular? where name.hasSuffix(".yaml"): look(at: path)
      case .typeSymbolicLink? where name.hasSuffix(".yaml") && !ScenarioSearch.isFolder(path):
        look(at: path)
      default: break
      }
    }
  }

  /// Examines the lines one by one: mistakes in a scenario are reported when it is decoded,
  /// and files that are not scenarios are ignored.
  private mutating func look(at path: String) {
    guard let lines = try? SourceFile.read(path).text.split(whereSeparator: \.isNewline) else {
      return
    }
    let isScenario = lines.contains { line in
      line.hasPrefix("curfew:")
        && line.dropFirst("curfew:".count).drop { " \"'".contains($0) }.hasPrefix("scenario/")
    }
    guard isScenario else { return }
    if lines.contains(where: { $0.hasPrefix("expect:") }) {
      add(path)
    } else if filters.isEmpty || filters.contains(where: path.contains) {
      silent += 1
    }
  }

  private static func isFolder(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
      && isFolder.boolValue
  }
}
