package import CurfewText

/// A contestant as its file describes it.
package struct ContestantFile: Sendable, Hashable {
  /// The name, unique in a suite.
  package var name = ""
  /// One line.
  package var about = ""
  package var role = ContestantRecord.Role.peer
  package var division = ContestantRecord.Division.closed
  /// The names of the workloads that it takes part in, such as `deadlines/1`.
  package var workloads: [String] = []
  /// Programs on the path, or absolute paths of files.
  package var needs: [String] = []
  /// The command that installs its needs.
  package var install: String?
  /// The shell command that builds it; nil if nothing is built.
  package var build: String?
  /// The shell command that runs it; `exec` is put before it.
  package var run = ""
  /// The shell command whose first line of output is the version.
  package var version: String?
  /// The largest size that it runs at; nil for no limit.
  package var atMost: Int64?
  /// Whether it is built from the sources of its clone, so that `--against` builds another
  /// clone's too.
  package var ownCode = false
  package var notes: String?

  /// The folder of the file, an absolute path.
  package var folder = ""
  /// The places of its role and of its workloads, for errors; empty if it was not read.
  package private(set) var rolePlace: SourcePlace?
  package private(set) var workloadPlaces: [SourcePlace] = []

  package init() {}

  /// Whether the contestant takes part in a workload.
  package func takesPart(in workload: WorkloadKind) -> Bool { workloads.contains(workload.name) }
}

extension ContestantFile {
  /// Reads the file at `path`, whose folder is `folder`.
  ///
  /// - Throws: All errors in the file, with their places.
  package static func read(_ path: String, in folder: String) throws(FileErrors) -> ContestantFile {
    try decode(try SourceFile.read(path), in: folder)
  }

  /// Reads the contestant in `source`.
  package static func decode(_ source: SourceFile, in folder: String) throws(FileErrors)
    -> ContestantFile
  {
    do { return try checked(source, in: folder) } catch { throw error.quoting(source) }
  }

  private static func checked(_ source: SourceFile, in folder: String) throws(FileErrors)
    -> ContestantFile
  {
    var findings = Findings()
    guard let root = SourceDocument.parse(source, &findings) else {
      try findings.throwIfAny(in: source.name)
      throw FileErrors([FileDiagnostic(file: source.name, "the file has no content")])
    }
    findings.add(ShapeCheck.findings(in: root, .record(ContestantFile.record)))
    var file = ContestantFile()
    file.folder = folder
    file.name = folder.split(separator: "/").last.map(String.init) ?? ""
    ContestantFile.attributes.read(root, into: &file)
    if !isSound(file.name) {
      findings.error(
        at: root["name"]?.place ?? root.place,
        "a contestant's name has letters, digits, '-' and '_' only; found '\(file.name.prefix(80))'"
      )
    }
    if !file.needs.isEmpty, file.install == nil {
      findings.error(
        at: root["needs"]?.place ?? root.place,
        "missing key 'install': a contestant with needs names the command that installs them")
    }
    file.rolePlace = root["role"]?.place
    file.workloadPlaces = root["workloads"]?.elements.map(\.place) ?? []
    for (index, place) in file.workloadPlaces.enumerated()
    where file.workloads.indices.contains(index)
      && file.workloads[..<index].contains(file.workloads[index])
    {
      findings.error(at: place, "'\(file.workloads[index])' is in 'workloads' twice")
    }
    if file.workloads.isEmpty, let node = root["workloads"], case .list = node.content {
      findings.error(at: node.place, "a contestant takes part in at least one workload")
    }
    try findings.throwIfAny(in: source.name)
    return file
  }

  /// Whether a name can be part of a condition such as `curfew.p50<=2`.
  private static func isSound(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= NameText.greatestLength
      && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
  }

  // MARK: Keys

  /// The keys of a file.
  package static var record: Record {
    Record("A contestant of the benchmark suite.", attributes.map(\.field))
  }

  private static let attributes: [Attribute<ContestantFile>] = [
    Attribute("name", \.name, .text, absent: "", "The name; the folder's name if absent."),
    required("about", \.about, .text, "One line about the contestant."),
    required("role", \.role, roles, "The role in comparisons."),
    required("division", \.division, divisions, "The rules that it keeps."),
    required("workloads", \.workloads, workloadNames, "The workloads that it takes part in."),
    Attribute(
      "needs", \.needs, .texts, absent: [], "Programs on the path, or absolute paths of files."),
    Attribute("install", \.install, .text, .optional, "The command that installs the needs."),
    Attribute("build", \.build, .text, .optional, "The command that builds it, into $OUT."),
    required("run", \.run, .text, "The command that runs it."),
    Attribute(
      "version", \.version, .text, .optional, "The command that prints the version first."),
    Attribute("atMost", \.atMost, sizes, .optional, "The largest size that it runs at."),
    Attribute(
      "ownCode", \.ownCode, .boolean, absent: false,
      "Whether --against builds another clone's too."),
    Attribute("notes", \.notes, .text, .optional, "Remarks for the page."),
  ]

  private static func required<Value: Sendable>(
    _ name: String, _ path: any WritableKeyPath<ContestantFile, Value> & Sendable,
    _ notation: Notation<Value>, _ about: String
  ) -> Attribute<ContestantFile> {
    var field = Attribute(name, always: path, notation, about).field
    field.presence = .required
    let inner = Attribute(name, always: path, notation, about)
    return Attribute(field, read: inner.read, write: inner.write)
  }

  private static let roles = words(ContestantRecord.Role.allCases.map(\.rawValue), "role") {
    ContestantRecord.Role(rawValue: $0)
  } write: {
    $0.rawValue
  }
  private static let divisions = words(
    ContestantRecord.Division.allCases.map(\.rawValue), "division"
  ) {
    ContestantRecord.Division(rawValue: $0)
  } write: {
    $0.rawValue
  }

  private static func words<Value>(
    _ names: [String], _ what: String, read: @escaping @Sendable (String) -> Value?,
    write: @escaping @Sendable (Value) -> String
  ) -> Notation<Value> {
    Notation(.word(names, what: what)) { plain in
      if case .text(let text) = plain { read(text) } else { nil }
    } write: {
      .text(write($0))
    }
  }

  private static let workloadNames = Notation<[String]>(
    .list(.word(WorkloadKind.all.map(\.name), what: "workload"))
  ) { plain in
    if case .texts(let texts) = plain { texts } else { nil }
  } write: {
    .texts($0)
  }

  private static let sizes = Notation<Int64>(.wholeNumber(1...Int64(WorkloadKind.largestSize))) {
    plain in
    if case .number(let number) = plain { number } else { nil }
  } write: {
    .number($0)
  }
}
