import ArgumentParser
import CurfewAnalysis
import CurfewEngine
import CurfewExperiments
import CurfewPolicy
import CurfewSimulation
import CurfewText
import CurfewTrace
import Foundation

/// The values that a shell offers for options and arguments. Without one of these, the parser's
/// script offers nothing and also suppresses the shell's own file names.
extension CompletionKind {
  /// A value that is neither a file nor a word of a list: a number, a time.
  static let unlisted = list([])

  /// Scenarios, workloads and experiments.
  static let yaml = file(extensions: ["yaml", "yml"])
  /// Traces may have any file extension.
  static let traces = file()
  static let scenarioOrTrace = file()
  /// Results of sweeps.
  static let results = file(extensions: ["sqlite", "db"])

  /// Built-in policies and files.
  static let policies = custom { _, _, prefix in
    FileCandidates.starting(with: prefix, besides: PolicyFile.builtInNames)
  }

  /// Built-in workloads and files.
  static let workloads = custom { _, _, prefix in
    FileCandidates.starting(with: prefix, besides: ShippedFiles.workloads)
  }

  /// All current values of the policy, to be edited: `tasks.grant=30s`.
  static let policyValues = custom { words, _, _ in
    CommandWords(words).policy?.entries.map { "\($0.path)=\($0.written)" } ?? []
  }

  /// The kinds of the policy.
  static let kinds = custom { words, _, _ in
    CommandWords(words).policy?.policy.names.kinds.map(\.rawValue) ?? []
  }

  /// The facts of a question that are true or false, or one of a few words.
  static let facts = custom { words, _, _ in
    CommandWords(words).policy.map { QuestionKeys($0).examples } ?? []
  }

  /// The apps of the scenario or the trace among the words.
  static let apps = custom { words, _, _ in CommandWords(words).apps }

  /// The variants in the results among the words.
  static let variants = custom { words, _, _ in
    let files = words.filter { FileManager.default.fileExists(atPath: $0) }
    return files.lazy.compactMap { try? ResultsFile.read($0).summary().variants.map(\.name) }
      .first ?? []
  }
}

/// The words of a command line that is being typed.
private struct CommandWords {
  private let words: [String]

  init(_ words: [String]) { self.words = words }

  /// The value of an option, as its own word or after `=`.
  private func value(of option: String) -> String? {
    if let index = words.firstIndex(of: option), index + 1 < words.count { return words[index + 1] }
    return words.first { $0.hasPrefix(option + "=") }.map { String($0.dropFirst(option.count + 1)) }
  }

  /// The sources of all files among the words. Long files are not waited for.
  private var sources: [SourceFile] {
    words.dropFirst().compactMap { word in
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: word, isDirectory: &isFolder),
        !isFolder.boolValue
      else { return nil }
      return try? SourceFile.read(word)
    }
  }

  private var scenario: Scenario? {
    sources.lazy.compactMap { try? Scenario.decode($0) }.first
  }

  /// The policy of the command: that of `--policy`, a built-in one or a file among the words, the
  /// scenario's, or `ios13`.
  var policy: PolicyFile? {
    if let name = value(of: "--policy") { return try? PolicyFile.load(name) }
    if let name = words.first(where: { PolicyFile.builtInNames.contains($0) }) {
      return try? PolicyFile.load(name)
    }
    if words.dropFirst().first == ExecCommand._commandName {
      return try? PolicyFile.load(ExecPolicy.defaultName)
    }
    return sources.lazy.compactMap { try? PolicyFile.decode($0) }.first ?? scenario?.policy
      ?? (try? PolicyFile.load("ios13"))
  }

  /// The apps of the scenario or the trace; those of a phone's day if no file is named.
  var apps: [String] {
    let sources = sources
    if sources.isEmpty, words.contains(Simulate._commandName) {
      return (try? Scenario.decode(Scenario.shippedDaySource()))?.apps.map(\.identifier) ?? []
    }
    if let scenario { return scenario.apps.map(\.identifier) }
    return sources.lazy.compactMap { try? Trace.decode($0).appNames }.first ?? []
  }
}

/// The files whose path may begin with the typed word.
enum FileCandidates {
  /// Names, and the files whose path begins with `prefix`; folders end with a slash. Hidden files
  /// are offered only if the prefix begins with their dot.
  static func starting(with prefix: String, besides names: [String]) -> [String] {
    let slash = prefix.lastIndex(of: "/").map { prefix.index(after: $0) }
    let (folder, start) = (
      String(prefix[..<(slash ?? prefix.startIndex)]), prefix[(slash ?? prefix.startIndex)...]
    )
    let files = entries(of: folder).filter {
      $0.hasPrefix(start) && (!$0.hasPrefix(".") || start.hasPrefix("."))
    }
    let paths = files.map { name in
      var isFolder: ObjCBool = false
      let path = folder + name
      _ = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
      return isFolder.boolValue ? path + "/" : path
    }
    return names.filter { $0.hasPrefix(prefix) } + paths
  }

  /// The name in a folder that is nearest to `name`; nil if none is near. File extensions are
  /// not compared, because otherwise 'none.yaml' would be near 'mine.yaml' only because of its
  /// extension. A name that differs only in its extension is near.
  static func nearest(to name: String, in folder: String) -> String? {
    func parts(_ name: String) -> (stem: String, ending: String) {
      let dot = name.dropFirst().lastIndex(of: ".") ?? name.endIndex
      return (String(name[..<dot]), String(name[dot...]))
    }
    let (stem, ending) = parts(name)
    let others = entries(of: folder).map(parts)
    let stems = others.filter { $0.ending == ending }.map(\.stem)
    if let near = NearestName.to(stem, among: stems) { return near + ending }
    return others.first { $0.stem == stem }.map { $0.stem + $0.ending }
  }

  /// The names in a folder, sorted; an empty path is the current folder.
  static func entries(of folder: String) -> [String] {
    let path = folder.isEmpty ? "." : folder
    return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }
}
