/// Something that is wrong with a file, or worth knowing about it.
public struct FileDiagnostic: Hashable, Sendable, CustomStringConvertible {
  /// Where; nil where it is about the file as a whole.
  public var place: SourcePlace?
  /// The file by the name that it is shown under.
  public var file: String
  /// Whether the file can be used all the same.
  public var severity: Severity
  /// What is wrong, and what would be right: one sentence, without a full stop.
  public var message: String
  /// The line of the file that it is about, and what of it; nil where there is none, or it
  /// is not known.
  public internal(set) var quote: SourceQuote?

  /// Whether a file can be used all the same.
  public enum Severity: String, Hashable, Sendable {
    /// The file cannot be used.
    case error
    /// The file can be used; something in it has no effect.
    case warning
  }

  /// A diagnostic about the place `place`.
  package init(_ severity: Severity = .error, at place: SourcePlace, _ message: String) {
    self.place = place
    self.file = place.file
    self.severity = severity
    self.message = message
  }

  /// A diagnostic about the whole file that is shown as `file`.
  package init(_ severity: Severity = .error, file: String, _ message: String) {
    self.place = nil
    self.file = file
    self.severity = severity
    self.message = message
  }

  /// The column behind what it is about, where that is known.
  public var endColumn: Int? { place.flatMap { place in quote.map { place.column + $0.length } } }

  /// `file:line:column: error: message`, or `file: error: message`: one line, in which a control
  /// character is written `\u{1b}`.
  public var description: String {
    "\(place?.description ?? file): \(severity.rawValue): \(message)".escapingControls
  }
}

/// Why a file cannot be used: everything that was found, not the first thing only.
public struct FileErrors: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was found, in the order of the files and of the lines in them. Never empty.
  public let diagnostics: [FileDiagnostic]

  /// These diagnostics, of which there must be one at least.
  package init(_ diagnostics: [FileDiagnostic]) {
    precondition(!diagnostics.isEmpty, "Errors without an error")
    self.diagnostics = diagnostics
  }

  /// One diagnostic a line.
  public var description: String {
    diagnostics.map(\.description).joined(separator: "\n")
  }
}

/// Collects what is found in a file, up to a limit.
package struct Findings {
  /// No person reads more. A file of eight megabytes in which each line is wrong would otherwise
  /// make a gigabyte of messages.
  package static let limit = 100

  /// What is wrong in words. Made when it is told, because most of what is found never is,
  /// and a hint goes through all names there are.
  package typealias Message = (inout NameSearch) -> String

  /// An error of this file's, or of another's, which has its words already.
  private struct Finding {
    var place: SourcePlace?
    var file: String
    var quote: SourceQuote?
    var message: Message
  }

  private var errors: [Finding] = []
  package private(set) var warnings: [FileDiagnostic] = []
  package private(set) var dropped = 0

  /// Nothing found yet.
  package init() {}

  /// Whether no error was found.
  package var isSound: Bool { errors.isEmpty }
  /// How many errors were found.
  package var errorCount: Int { errors.count + dropped }
  /// The words of the error that was found first.
  package var firstMessage: Message? { errors.first?.message }

  package mutating func error(at place: SourcePlace, _ message: String) {
    error(at: place) { _ in message }
  }

  package mutating func error(at place: SourcePlace, _ message: @escaping Message) {
    guard errors.count < Findings.limit else {
      dropped += 1
      return
    }
    errors.append(Finding(place: place, file: place.file, message: message))
  }

  package mutating func warn(at place: SourcePlace, _ message: String) {
    guard warnings.count < Findings.limit else { return }
    warnings.append(FileDiagnostic(.warning, at: place, message))
  }

  package mutating func add(_ other: FileErrors) {
    errors += other.diagnostics.map { found in
      Finding(place: found.place, file: found.file, quote: found.quote) { _ in found.message }
    }
  }

  package mutating func add(_ other: Findings) {
    errors += other.errors
    warnings += other.warnings
    dropped += other.dropped
  }

  /// Throws what was found, if anything, in the order of the lines; another file's findings come
  /// first, as they were. All together they are no more than the limit, and how many there are
  /// beside them.
  package func throwIfAny(in file: String) throws(FileErrors) {
    guard !errors.isEmpty else { return }
    let own = errors.filter { $0.file == file }.enumerated().sorted { a, b in
      guard let first = a.element.place, let second = b.element.place else {
        return a.offset < b.offset
      }
      return (first.line, first.column, a.offset) < (second.line, second.column, b.offset)
    }
    let all = errors.filter { $0.file != file } + own.map(\.element)
    var search = NameSearch()
    var told = all.prefix(Findings.limit).map { finding in
      let message = finding.message(&search)
      var diagnostic =
        finding.place.map { FileDiagnostic(at: $0, message) }
        ?? FileDiagnostic(file: finding.file, message)
      diagnostic.quote = finding.quote
      return diagnostic
    }
    let more = all.count - told.count + dropped
    if more > 0 {
      told.append(FileDiagnostic(file: file, "and \(more) more \(HumanCount.word(more, "error"))"))
    }
    throw FileErrors(told)
  }
}
