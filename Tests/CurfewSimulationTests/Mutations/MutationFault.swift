import CurfewText

/// What a changed file must not lead to.
struct MutationFault: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  static func check(_ holds: Bool, _ what: @autoclosure () -> String) throws {
    if !holds { throw MutationFault(what()) }
  }

  /// Looks at errors as a person sees them: each says something, on one line, and where, inside one
  /// of the files that were read.
  static func check(_ errors: FileErrors, in texts: [String: String]) throws {
    for found in errors.diagnostics {
      try check(
        !found.message.isEmpty && found.severity == .error, "an error without words: \(found)")
      try check(
        !found.description.unicodeScalars.contains { $0.isControl },
        "a control character in: \(found)")
      // How many more there are is about no place.
      if found.place == nil, found.message.wholeMatch(of: /and \d+ more errors?/) != nil {
        continue
      }
      guard let place = found.place else {
        throw MutationFault("an error without a place: \(found)")
      }
      guard let text = texts[place.file] else {
        throw MutationFault("an error in another file: \(found)")
      }
      // YAML breaks lines at a lone carriage return, too.
      let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      try check(
        lines.indices.contains(place.line - 1), "line \(place.line) of \(lines.count): \(found)")
      let length = lines[place.line - 1].unicodeScalars.count
      try check(
        (1...(length + 1)).contains(place.column), "column \(place.column) of \(length): \(found)")
    }
  }
}

/// What came of a changed file. The same in every process, and as often as it is read.
struct MutationOutcome {
  var isRead = false
  private(set) var text = ""
  /// Where the files lie, with a slash at its end, in a folder that each process calls otherwise;
  /// empty where they lie nowhere.
  private let folder: String

  init(inside folder: String = "") { self.folder = folder }

  mutating func note(_ more: String) {
    text += (folder.isEmpty ? more : more.replacing(folder, with: "")) + "\n"
  }

  /// Stands for the text where it is long: FNV-1a.
  var digest: UInt64 {
    text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}
