import CurfewText

extension ContestantRecord {
  package static let blank = ContestantRecord(
    name: "", about: "", role: .peer, division: .closed, version: nil, rounding: nil, notes: nil,
    outcome: .measured)

  static let form = RecordForm<ContestantRecord>(
    "",
    [
      .text("name", \.name), .text("about", \.about), .word("role", \.role),
      .word("division", \.division),
      .flag("ownCode", \.ownCode, "Whether it is built from the sources of its checkout."),
      .text("version", optional: \.version),
      .text(
        "rounding", optional: \.rounding, "The rounding that keeps its timers from being early."),
      .text("notes", optional: \.notes),
      .word("outcome", \.flatOutcome.word), .text("reason", optional: \.flatOutcome.reason),
      .text("need", optional: \.flatOutcome.need, "The program or file that is missing."),
      .text("install", optional: \.flatOutcome.install, "The line that installs it."),
    ])

  /// The outcome as separate keys.
  fileprivate var flatOutcome: FlatOutcome {
    get { FlatOutcome(outcome) }
    set { outcome = newValue.outcome }
  }
}

/// An outcome as the keys of a results file.
private struct FlatOutcome {
  enum Word: String, CaseIterable {
    case measured, missing, cannot, tooSlow, wrong, failed, disturbed, interrupted
  }

  var word: Word
  var reason: String?
  var need: String?
  var install: String?

  init(_ outcome: ContestantRecord.Outcome) {
    switch outcome {
    case .measured: word = .measured
    case .missing(let need, let install):
      (word, self.need, self.install) = (.missing, need, install)
    case .cannot(let reason): (word, self.reason) = (.cannot, reason)
    case .tooSlow(let reason): (word, self.reason) = (.tooSlow, reason)
    case .wrong(let reason): (word, self.reason) = (.wrong, reason)
    case .failed(let reason): (word, self.reason) = (.failed, reason)
    case .disturbed(let reason): (word, self.reason) = (.disturbed, reason)
    case .interrupted: word = .interrupted
    }
  }

  var outcome: ContestantRecord.Outcome {
    switch word {
    case .measured: .measured
    case .missing: .missing(need: need ?? "", install: install ?? "")
    case .cannot: .cannot(reason ?? "")
    case .tooSlow: .tooSlow(reason ?? "")
    case .wrong: .wrong(reason ?? "")
    case .failed: .failed(reason ?? "")
    case .disturbed: .disturbed(reason ?? "")
    case .interrupted: .interrupted
    }
  }
}
