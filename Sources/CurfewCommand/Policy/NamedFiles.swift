import CurfewPolicy
import CurfewSimulation
import CurfewSystem
import CurfewText
import Foundation

extension PolicyFile {
  /// The names that an option takes, for its help: `ios3, ios4, …, server or a file`.
  static let choices = "\(builtInNames.joined(separator: ", ")) or a file; - for standard input"

  /// The policy that an option names: a built-in one, a file, or `-` for standard input, whose
  /// relative paths start in the current folder.
  static func named(_ name: String) throws(FileErrors) -> PolicyFile {
    name == "-"
      ? try PolicyFile.decode(try SourceFile.readStandardInput()) : try PolicyFile.load(name)
  }
}

extension Scenario {
  /// The text of the scenario that an argument names: a file, or `-` for standard input. Without
  /// a name, the built-in scenario of a phone's day.
  /// - Throws: A refusal that names the command for workloads, if the file is a workload.
  static func source(_ name: String?) throws -> SourceFile {
    guard let name else { return try shippedDaySource() }
    let source = try SourceFile.named(name)
    if Workload.isWorkload(source) {
      throw Refusal("'\(name)' is a workload, which is run on devices: curfew fleet \(name)")
    }
    return source
  }
}

extension Workload {
  /// The text of the workload that an argument names: a file, a built-in one if there is no such
  /// file, or `-` for standard input.
  /// - Throws: A refusal that names the command for scenarios, if the file is a scenario.
  static func source(_ name: String) throws -> SourceFile {
    let source: SourceFile
    do { source = try SourceFile.named(name) } catch {
      throw FileErrors(
        error.diagnostics.map { $0.namingNearFile(besides: ShippedFiles.workloads) })
    }
    if Scenario.isScenario(source) {
      throw Refusal("'\(name)' is a scenario, which is run once: curfew simulate \(name)")
    }
    return source
  }
}

extension SourceFile {
  /// The text that an argument names: a file, or `-` for standard input.
  /// - Throws: The errors of reading the file. If a built-in file has this name, they say which
  ///   command or option takes it.
  static func argument(_ name: String, limit: Int = SourceFile.limit) throws(FileErrors)
    -> SourceFile
  {
    do {
      return name == "-"
        ? try SourceFile.readStandardInput(limit: limit) : try SourceFile.read(name, limit: limit)
    } catch {
      throw error.naming(builtIn: name)
    }
  }

  fileprivate static func named(_ name: String) throws(FileErrors) -> SourceFile {
    if !FileManager.default.fileExists(atPath: name),
      let workload = try Workload.shippedSource(named: name)
    {
      return workload
    }
    return try argument(name)
  }
}

extension FileErrors {
  /// Returns these errors of a file that an argument names. If the file is missing and a built-in
  /// file has its name, adds the command or option that takes the built-in file.
  func naming(builtIn name: String) -> FileErrors {
    guard diagnostics.count == 1, diagnostics[0].message == FileBytes.missing else { return self }
    let isWorkload = (try? Workload.shippedSource(named: name)).flatMap(\.self) != nil
    let use =
      isWorkload
      ? "workload: curfew fleet \(name)"
      : PolicyFile.builtInNames.contains(name) ? "policy: --policy \(name)" : nil
    guard let use else { return self }
    var diagnostic = diagnostics[0]
    diagnostic.message += "; '\(name)' is a built-in \(use)"
    return FileErrors([diagnostic])
  }
}

extension FileDiagnostic {
  /// Returns this error. If it says that a file is missing, adds the most similar name in the
  /// same folder.
  ///
  /// - Parameter names: Other names that the user may have meant, such as those of
  ///   built-in workloads.
  func namingNearFile(besides names: [String] = []) -> FileDiagnostic {
    guard place == nil, message == FileBytes.missing else { return self }
    let start = file.lastIndex(of: "/").map { file.index(after: $0) } ?? file.startIndex
    let folder = String(file[..<start])
    let name = String(file[start...])
    var near = FileCandidates.nearest(to: name, in: folder).map { folder + $0 }
    if near == nil, folder.isEmpty { near = NearestName.to(name, among: names) }
    guard let near else { return self }
    var diagnostic = self
    diagnostic.message += "; did you mean '\(near)'?"
    return diagnostic
  }
}

extension Message {
  /// This message. If it says that a file is missing, the most similar file name is added.
  var namingNearFile: Message {
    guard kind == .error, place == nil, let file else { return self }
    let named = FileDiagnostic(file: file, text).namingNearFile().message
    return named == text ? self : Message(kind, named, file: file)
  }
}
