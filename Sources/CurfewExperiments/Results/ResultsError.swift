/// Why results cannot be kept, or cannot be read.
package struct ResultsError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What kind of thing went wrong.
  package enum Kind: Hashable, Sendable {
    /// The file is none of Curfew's results, or not of this version.
    case notResults
    /// The file holds another experiment, or two files say otherwise of one run.
    case otherExperiment
    /// The file holds runs of another build of Curfew.
    case otherBuild
    /// The system or SQLite refuses: a full disk, a missing right, a file that is locked for
    /// too long.
    case storage
    /// Time stands still in a run, so there is nothing to keep of it.
    case standstill
  }

  /// What kind of thing went wrong.
  package let kind: Kind
  /// The file.
  package let file: String
  /// What was wrong: one sentence, without a full stop.
  package let message: String

  /// This is wrong with that file.
  init(_ kind: Kind, _ file: String, _ message: String) {
    (self.kind, self.file, self.message) = (kind, file, message)
  }

  /// `results.sqlite: message`
  package var description: String { "\(file): \(message)" }
}
