internal import CurfewText

/// A contestant of a run, prepared once for all workloads and sizes.
struct Contender {
  /// The name in the run: that of the file, or `curfew@9c1e0f2` for another clone's.
  let name: String
  let role: ContestantRecord.Role
  let workshop: Workshop
  var version: String?
  /// The reason why it cannot run; nil if it is built.
  var obstacle: ContestantRecord.Outcome?

  var file: ContestantFile { workshop.file }

  init(_ file: ContestantFile, in suite: Suite) {
    (name, role) = (file.name, file.role)
    workshop = Workshop(file, in: suite)
  }

  /// A contestant of another clone, which is compared with the one of this clone. `+changes` may
  /// follow the commit.
  init(_ file: ContestantFile, in suite: Suite, commit: String) {
    let parts = commit.split(separator: "+", maxSplits: 1)
    name = "\(file.name)@" + ([parts[0].prefix(7)] + parts.dropFirst()).joined(separator: "+")
    role = .peer
    workshop = Workshop(file, in: suite)
  }

  /// Looks for the needs, and builds it. A version command that fails asks for a missing tool, such
  /// as a module of Python, which is no program.
  mutating func prepare(_ shared: inout [String: String?]) {
    if let need = workshop.missing {
      obstacle = .missing(need: need, install: file.install ?? "")
      return
    }
    version = workshop.version()
    if version == nil, let command = file.version {
      obstacle = .missing(
        need: "a program for which '\(command)' succeeds", install: file.install ?? "")
      return
    }
    if let failure = workshop.build(version: version, shared: &shared) {
      obstacle = .failed(failure)
    }
  }

  /// The record for a workload of a size.
  func record(size: Int) -> ContestantRecord {
    var outcome = obstacle ?? .measured
    if obstacle == nil, let most = file.atMost, size > most {
      outcome = .tooSlow("its file limits it to \(HumanCount.text(most))")
    }
    return ContestantRecord(
      name: name, about: file.about, role: role, division: file.division, version: version,
      rounding: nil, notes: file.notes, outcome: outcome, ownCode: file.ownCode)
  }
}
