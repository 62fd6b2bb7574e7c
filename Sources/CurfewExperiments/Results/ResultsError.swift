/// An error of writing or reading results.
package struct ResultsError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of errors.
  package enum Kind: Hashable, Sendable {
    /// The file does not hold Curfew's results, or holds another version of them.
    case notResults
    /// The file holds another experiment, or two files disagree about a run.
    case otherExperiment
    /// The file holds runs of another build of Curfew.
    case otherBuild
    /// The system or SQLite reports an error: a full disk, a missing permission, a file that
    /// stays locked.
    case storage
    /// Time stands still in a run (rule C4), so it has no results.
    case standstill
  }

  /// The kind of the error.
  package let kind: Kind
  /// The file.
  package let file: String
  /// The message: one sentence, without a full stop.
  package let message: String

  /// An error of this kind in this file.
  init(_ kind: Kind, _ file: String, _ message: String) {
    (self.kind, self.file, self.message) = (kind, file, message)
  }

  /// `results.sqlite: message`
  package var description: String { "\(file): \(message)" }
}
