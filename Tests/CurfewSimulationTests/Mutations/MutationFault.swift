import CurfewText

/// A result that a changed file must not produce.
struct MutationFault: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  static func check(_ holds: Bool, _ what: @autoclosure () -> String) throws {
    if !holds { throw MutationFault(what()) }
  }

  /// Checks errors as a person sees them: each has a message on one line, and a place inside one
  /// of the files that were read.
  static func check(_ errors: FileErrors, in texts: [String: String]) throws {
    for found in errors.diagnostics {
      try check(
        !found.message.isEmpty && found.severity == .error, "an error without a message: \(found)")
      try check(
        !found.description.unicodeScalars.contains { $0.isControl },
        "a control character in: \(found)")
      // The count of further errors has no place.
      if found.place == nil, found.message.wholeMatch(of: /and \d+ more errors?/) != nil {
        continue
      }
      guard let place = found.place else {
        throw MutationFault("an error without a place: \(found)")
      }
      guard let text = texts[place.file] else {
        throw MutationFault("an error in another file: \(found)")
      }
      // YAML breaks lines at a lone carriage return too.
      let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      try check(
        lines.indices.contains(place.line - 1), "line \(place.line) of \(lines.count): \(found)")
      let length = lines[place.line - 1].unicodeScalars.count
      try check(
        (1...(length + 1)).contains(place.column), "column \(place.column) of \(length): \(found)")
    }
  }
}

/// The outcome of a changed file. It is the same in every process and at every reading.
struct MutationOutcome {
  var isRead = false
  private(set) var text = ""
  /// The folder of the files, with a final slash, which each process names differently; empty
  /// without a folder.
  private let folder: String

  init(inside folder: String = "") { self.folder = folder }

  mutating func note(_ more: String) {
    text += (folder.isEmpty ? more : more.replacing(folder, with: "")) + "\n"
  }

  /// A digest that stands for a long text: FNV-1a.
  var digest: UInt64 {
    text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}
