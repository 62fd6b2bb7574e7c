/// Gets a text with duplicate keys through a parser that stops at the first of them.
///
/// The parser names one key and the place of its first occurrence. That occurrence gets another name, as long as its own so that no
/// place changes, and the text is parsed again: in the end every duplicate is found, with both its places.
package struct DuplicateKeys {
  /// How often a text is parsed again; each duplicate costs one pass.
  private static let mostPasses = 16
  /// Texts longer than this are parsed once: sixteen passes over megabytes take longer than anybody waits for an error.
  private static let longest = 256 << 10

  /// The text to parse.
  package private(set) var text: String
  /// The keys that have another name in `text`, by place.
  package private(set) var originals: [SourcePlace: String] = [:]

  package init(_ source: SourceFile) { text = source.text }

  /// Gives the key at `place` another name; says whether it could.
  package mutating func rename(_ name: String, at place: SourcePlace) -> Bool {
    guard originals.count < DuplicateKeys.mostPasses, originals[place] == nil, text.utf8.count <= DuplicateKeys.longest else {
      return false
    }
    var scalars = Array(text.unicodeScalars)
    guard var start = offset(of: place, in: scalars) else { return false }
    if scalars[start] == "\"" || scalars[start] == "'" { start += 1 }
    let old = Array(name.unicodeScalars)
    guard !old.isEmpty, start + old.count <= scalars.count, Array(scalars[start..<start + old.count]) == old,
      let mark = Unicode.Scalar(UInt32(0xE000 + originals.count))
    else { return false }
    scalars.replaceSubrange(start..<start + old.count, with: repeatElement(mark, count: old.count))
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    text = String(view)
    originals[place] = name
    return true
  }

  private func offset(of place: SourcePlace, in scalars: [Unicode.Scalar]) -> Int? {
    var (line, start) = (1, 0)
    var index = 0
    while line < place.line, index < scalars.count {
      let isBreak = scalars[index] == "\n" || (scalars[index] == "\r" && (index + 1 == scalars.count || scalars[index + 1] != "\n"))
      if isBreak { (line, start) = (line + 1, index + 1) }
      index += 1
    }
    let offset = start + place.column - 1
    return line == place.line && offset < scalars.count ? offset : nil
  }
}
