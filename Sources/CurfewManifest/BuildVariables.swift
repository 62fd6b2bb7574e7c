import CurfewText

/// The values of the build settings that a manifest refers to as `$(NAME)`
/// or `${NAME:rfc1034identifier}`.
struct BuildVariables {
  private let values: [String: String]
  private var used: Set<String> = []
  /// The first hundred names without a value.
  private var missing: [String] = []
  /// The number of bytes that may still be inserted. Without this limit, a thousand references
  /// to a long value would exhaust the memory.
  private var budget = SourceFile.limit

  init(_ values: [String: String]) { self.values = values }

  /// Returns `text` with the known variables replaced, and advice about the unknown
  /// ones: `; to fill it, give 'NAME' in 'variables'`.
  ///
  /// A value is inserted unchanged: a variable inside it is not replaced.
  mutating func fill(_ text: String) -> (text: String, advice: String) {
    guard text.hasVariable else { return (text, "") }
    var (filled, rest) = ("", text[...])
    var (unknown, advice): ([String], String) = ([], "")
    while let dollar = rest.firstIndex(of: "$") {
      filled += rest[..<dollar]
      rest = rest[dollar...]
      let start = rest.index(after: dollar)
      guard start < rest.endIndex, let closing = ["(": ")", "{": "}"][rest[start]] as Character?
      else {
        filled += rest[..<start]
        rest = rest[start...]
        continue
      }
      guard let end = rest[start...].firstIndex(of: closing) else { break }
      let reference = rest[rest.index(after: start)..<end].split(
        separator: ":", omittingEmptySubsequences: false
      ).map(String.init)
      switch value(reference) {
      case .known(let value): filled += value
      case .missing(let name):
        filled += rest[...end]
        if !unknown.contains(name), unknown.count < BuildVariables.mostNamed {
          unknown.append(name)
        }
      case .impossible(let why):
        filled += rest[...end]
        advice = why
      }
      rest = rest[rest.index(after: end)...]
    }
    filled += rest
    if !unknown.isEmpty {
      advice =
        "; to fill it, give \(unknown.map(\.quoted).joined(separator: " and ")) in 'variables'"
    }
    return (filled, advice)
  }

  /// The variables that no text refers to, sorted, each with a message.
  func unused() -> [UnusedVariable] {
    var search = NameSearch()
    let names = values.keys.filter { !used.contains($0) }.sorted().prefix(Findings.limit)
    return names.map { name in
      let bare = name.drop { "$({".contains($0) }.prefix { !")}".contains($0) }
      let hint =
        bare.count < name.count && !bare.isEmpty
        ? "; write it '\(bare)'"
        : search.nearest(to: name, among: missing).map { "; did you mean '\($0)'?" } ?? ""
      return UnusedVariable(
        name: name,
        message: "the variable \(name.quoted) is not used in any value that is read\(hint)")
    }
  }

  private enum Lookup {
    case known(String)
    case missing(String)
    case impossible(String)
  }

  private static let mostNamed = 3
  private static let modifiers = ["rfc1034identifier", "identifier", "lower", "upper"]

  /// The value of `reference`, which consists of a name and its modifiers.
  private mutating func value(_ reference: [String]) -> Lookup {
    let name = reference[0]
    guard var value = values[name] else {
      if missing.count < Findings.limit { missing.append(name) }
      return .missing(name)
    }
    used.insert(name)
    for modifier in reference.dropFirst() {
      switch modifier {
      case "rfc1034identifier": value = value.identifier(filler: "-")
      case "identifier": value = value.identifier(filler: "_")
      case "lower": value = value.lowercased()
      case "upper": value = value.uppercased()
      default:
        return .impossible(
          "; unknown modifier \(modifier.quoted); expected one of: \(BuildVariables.modifiers.joined(separator: ", "))"
        )
      }
    }
    budget -= value.utf8.count
    return budget >= 0 ? .known(value) : .impossible("; the inserted values would exceed 8 MiB")
  }
}

/// A variable that no value refers to.
package struct UnusedVariable: Hashable, Sendable {
  /// The name as given.
  package var name: String
  /// The text of the warning.
  package var message: String
}

extension String {
  /// Whether the text contains a build setting that has not been replaced:
  /// `$(NAME)`, `${NAME:rfc1034identifier}`.
  var hasVariable: Bool { contains("$(") || contains("${") }

  /// Returns an identifier as Xcode makes it: every character except ASCII letters, digits and the
  /// filler is replaced with the filler, and so is a digit at the beginning.
  fileprivate func identifier(filler: Character) -> String {
    String(
      enumerated().map { index, character in
        let isKept =
          character.isASCII
          && (character.isLetter || character == filler || character.isNumber && index > 0)
        return isKept ? character : filler
      })
  }
}
