/// An error in a file, or a warning about it.
public struct FileDiagnostic: Hashable, Sendable, CustomStringConvertible {
  /// The place; nil if the diagnostic is about the whole file.
  public var place: SourcePlace?
  /// The displayed name of the file.
  public var file: String
  /// Whether the file can still be used.
  public var severity: Severity
  /// The mistake and its correction: one sentence, without a full stop.
  public var message: String
  /// The line of the file, with the part that the diagnostic is about; nil if there is no such
  /// line, or if it is not known.
  package internal(set) var quote: SourceQuote?

  /// Whether a file can still be used.
  public enum Severity: String, Hashable, Sendable {
    /// The file cannot be used.
    case error
    /// The file can be used, but a part of it has no effect.
    case warning
  }

  /// Creates a diagnostic at `place`.
  package init(_ severity: Severity = .error, at place: SourcePlace, _ message: String) {
    self.place = place
    self.file = place.file
    self.severity = severity
    self.message = message
  }

  /// Creates a diagnostic about the whole file, which is displayed as `file`.
  package init(_ severity: Severity = .error, file: String, _ message: String) {
    self.place = nil
    self.file = file
    self.severity = severity
    self.message = message
  }

  /// The column after the quoted part, if that is known.
  package var endColumn: Int? { place.flatMap { place in quote.map { place.column + $0.length } } }

  /// `file:line:column: error: message`, or `file: error: message`, on one line. A control
  /// character is written `\u{1b}`.
  public var description: String {
    "\(place?.description ?? file): \(severity.rawValue): \(message)".escapingControls
  }
}

/// The reason why a file cannot be used: all errors, not only the first one.
public struct FileErrors: Error, Hashable, Sendable, CustomStringConvertible {
  /// The errors, in the order of the files and of their lines. Never empty.
  public let diagnostics: [FileDiagnostic]

  /// Creates errors from at least one diagnostic.
  package init(_ diagnostics: [FileDiagnostic]) {
    precondition(!diagnostics.isEmpty, "FileErrors needs at least one error")
    self.diagnostics = diagnostics
  }

  /// The diagnostics, one on each line.
  public var description: String {
    diagnostics.map(\.description).joined(separator: "\n")
  }
}

/// Collects the errors in a file, up to a limit.
package struct Findings {
  /// The limit of errors. Without it, a file of eight megabytes with an error in each line would
  /// produce a gigabyte of messages, which nobody reads.
  package static let limit = 100

  /// The text of an error. It is created when the error is reported, because most errors are never
  /// reported, and a hint searches all names.
  package typealias Message = (inout NameSearch) -> String

  /// An error in this file, or an error in another file that already has its text.
  private struct Finding {
    var place: SourcePlace?
    var file: String
    var quote: SourceQuote?
    var message: Message
  }

  private var errors: [Finding] = []
  package private(set) var warnings: [FileDiagnostic] = []
  package private(set) var dropped = 0

  /// Creates an empty collection.
  package init() {}

  /// Whether no error was found.
  package var isSound: Bool { errors.isEmpty }
  /// The number of errors that were found.
  package var errorCount: Int { errors.count + dropped }
  /// The text of the first error.
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

  package mutating func warn(_ warning: FileDiagnostic) {
    guard warnings.count < Findings.limit else { return }
    warnings.append(warning)
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

  /// Throws the errors, if there are any, in the order of the lines. Another file's errors
  /// come first, in their own order. If there are more errors than the limit, their number
  /// is reported instead.
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
