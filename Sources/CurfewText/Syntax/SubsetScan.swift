/// Scans text before the YAML parser reads it, and refuses everything outside the subset.
///
/// The scan runs before the parser because the parser recurses into nested values and expands
/// aliases; a few lines of aliases can grow exponentially. The scan knows quotes, comments
/// and block text, so `&` and tabs are allowed inside them. It does not recurse, and reads each
/// byte once.
package struct SubsetScan {
  /// The deepest nesting that is allowed. Files that people write have about eight levels.
  package static let deepest = 64

  package let bytes: [UInt8]
  package let file: String
  package var index = 0
  package var line = 1
  package var column = 1
  /// The number of open brackets.
  package var flowDepth = 0
  /// The columns of the block collections around this place, outermost first; each is larger than
  /// the one before.
  package var indents: [Int] = []
  /// The line of each key of the open mappings. A mapping is identified by its column, or inside
  /// brackets by its negative depth.
  private var keys: [Int: [String: Int]] = [:]
  /// Whether plain text ended with its line and may continue on the next line.
  package var plainMayGoOn = false
  /// Whether there are only spaces between the start of the line and this place.
  package var atLineStart = true
  /// Whether there was anything except comments.
  package var hasContent = false
  package var lastTabLine = 0
  package var isTooDeep = false
  package var findings = Findings()

  package init(_ source: SourceFile) {
    bytes = Array(source.text.utf8)
    file = source.name
  }

  /// The errors in `source` that the scan finds.
  package static func refusals(in source: SourceFile) -> Findings {
    var scan = SubsetScan(source)
    scan.run()
    return scan.findings
  }

  private mutating func run() {
    skipToToken()
    while let byte = peek(), !isTooDeep {
      if atLineStart, isContinuation() {
        if scanPlain() {
          atLineStart = false
          skipToToken()
          continue
        }
      }
      plainMayGoOn = false
      let isMarker = atLineStart && flowDepth == 0 && startLine(byte)
      atLineStart = false
      if !isMarker {
        hasContent = true
        scanToken(byte)
      }
      skipToToken()
    }
  }

  /// Whether a line continues the plain text of the line before: always inside brackets; elsewhere
  /// if it is indented deeper than the parent.
  private func isContinuation() -> Bool {
    guard plainMayGoOn, flowDepth > 0 || column > indents.last ?? 0 else { return false }
    return column > 1 || !(isMarker(UInt8(ascii: "-")) || isMarker(UInt8(ascii: ".")))
  }

  /// Closes the blocks that end before this line. Returns whether the line starts with a document
  /// marker, which is skipped.
  private mutating func startLine(_ byte: UInt8) -> Bool {
    while let last = indents.last, last > column { keys[indents.removeLast()] = nil }
    guard column == 1 else { return false }
    if byte == UInt8(ascii: "%") {
      refuse("directives ('%') are not allowed; a file starts with 'curfew:'")
    } else if isMarker(UInt8(ascii: "-")) {
      if hasContent { refuse("a second document ('---') is not allowed; one file is one document") }
      advance(by: 3)
      return true
    } else if isMarker(UInt8(ascii: ".")) {
      refuse("the end marker '...' is not allowed; a document ends with its file")
      advance(by: 3)
      return true
    }
    return false
  }

  private func isMarker(_ byte: UInt8) -> Bool {
    peek(0) == byte && peek(1) == byte && peek(2) == byte && isBlankOrEnd(3)
  }

  private mutating func scanToken(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "["), UInt8(ascii: "{"):
      flowDepth += 1
      keys[-flowDepth] = byte == UInt8(ascii: "{") ? [:] : nil
      checkDepth()
      advance()
    case UInt8(ascii: "]"), UInt8(ascii: "}"):
      flowDepth = max(0, flowDepth - 1)
      advance()
    case UInt8(ascii: ","):
      advance()
    case UInt8(ascii: ":") where flowDepth > 0 || isBlankOrEnd(1):
      advance()
    case UInt8(ascii: "-") where flowDepth == 0 && isBlankOrEnd(1):
      openBlock(at: column)
      advance()
    case UInt8(ascii: "?") where isBlankOrEnd(1):
      refuse("complex keys ('? ') are not allowed; a key must be a word")
      if flowDepth == 0 { openBlock(at: column) }
      advance()
    case UInt8(ascii: "&"):
      refuseWord("anchors ('&') are not allowed; write the value out, or quote it")
    case UInt8(ascii: "*"):
      refuseWord("aliases ('*') are not allowed; write the value out, or quote it")
    case UInt8(ascii: "!"):
      refuseWord("tags ('!') are not allowed; the file's kind says what a value means")
    case UInt8(ascii: "|") where flowDepth == 0, UInt8(ascii: ">") where flowDepth == 0:
      scanBlockText()
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      scanKeyOrValue { scan in
        scan.scanQuoted(byte)
        return true
      }
    default:
      if byte == UInt8(ascii: "<"), peek(1) == byte, isBlankOrEnd(2) || peek(2) == UInt8(ascii: ":")
      {
        refuse("merge keys ('<<') are not allowed; write the keys out")
      }
      scanKeyOrValue { scan in scan.scanPlain() }
    }
  }

  /// Scans a scalar. If a colon follows on the same line, the scalar is a key, and outside
  /// of brackets a block mapping starts at its column.
  private mutating func scanKeyOrValue(_ scan: (inout SubsetScan) -> Bool) {
    let (start, startPlace) = (index, place)
    if !scan(&self) { advance() }
    guard line == startPlace.line else { return }
    var ahead = 0
    while peek(ahead) == UInt8(ascii: " ") { ahead += 1 }
    guard peek(ahead) == UInt8(ascii: ":"), flowDepth > 0 || isBlankOrEnd(ahead + 1) else { return }
    if flowDepth == 0 {
      plainMayGoOn = false
      openBlock(at: startPlace.column, startPlace)
    }
    addKey(key(in: start..<index), startPlace)
  }

  /// The name of the key in `range`, which may end with blanks.
  private func key(in range: Range<Int>) -> String {
    let end = bytes[range].lastIndex { $0 != UInt8(ascii: " ") }.map { $0 + 1 } ?? range.lowerBound
    switch bytes[range.lowerBound] {
    case UInt8(ascii: "\"") where end > range.lowerBound + 1,
      UInt8(ascii: "'") where end > range.lowerBound + 1:
      return unquoted(bytes[range.lowerBound], range.lowerBound + 1..<end - 1)
    default: return String(decoding: bytes[range.lowerBound..<end], as: UTF8.self)
    }
  }

  /// Refuses a duplicate key. Swift compares characters, so the same key in other code points
  /// is a duplicate, too.
  private mutating func addKey(_ name: String, _ place: SourcePlace) {
    let mapping = flowDepth > 0 ? -flowDepth : place.column
    if let known = keys[mapping]?.index(forKey: name), let first = keys[mapping]?[known] {
      let isSame = first.key.utf8.elementsEqual(name.utf8)
      let found =
        isSame
        ? "line \(first.value) already has it"
        : "line \(first.value) has it in different code points"
      findings.error(at: place, "duplicate key '\(name)'; \(found)")
    } else {
      keys[mapping]?[name] = place.line
    }
  }

  private mutating func openBlock(at column: Int, _ place: SourcePlace? = nil) {
    guard indents.last ?? 0 < column else { return }
    indents.append(column)
    keys[column] = [:]
    checkDepth(place)
  }

  private mutating func checkDepth(_ deepPlace: SourcePlace? = nil) {
    guard indents.count + flowDepth > SubsetScan.deepest else { return }
    isTooDeep = true
    findings.error(at: deepPlace ?? place, "nested deeper than \(SubsetScan.deepest) levels")
  }
}

extension SubsetScan {
  package var place: SourcePlace { SourcePlace(file: file, line: line, column: column) }

  package mutating func refuse(_ message: String) { findings.error(at: place, message) }

  /// Reports an error here and skips to the end of the word.
  private mutating func refuseWord(_ message: String) {
    refuse(message)
    advance()
    while let byte = peek(), !isBlankOrEnd(0), !(flowDepth > 0 && SubsetScan.isBracketOrComma(byte))
    { advance() }
  }
}
