/// The encoding or the compression of a file that is not UTF-8, as guessed from its bytes.
package enum ForeignEncoding: Hashable, Sendable {
  case gzip
  case utf16
  /// Western European text with one byte for each character. Bytes from 0x80 to 0x9F make it
  /// Windows-1252, because in Latin-1 they are control characters.
  case latin1
  case windows1252

  /// The number of leading bytes in which UTF-16 without a byte order mark is recognized.
  private static let headLength = 256
  /// The fewest characters in which UTF-16 is recognized.
  private static let leastCharacters = 4

  /// The encoding that the first bytes of a file show; nil if they may begin UTF-8.
  package init?(beginning bytes: ArraySlice<UInt8>) {
    if bytes.starts(with: [0x1F, 0x8B]) {
      self = .gzip
    } else if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      self = .utf16
    } else {
      // ASCII text in UTF-16 has a NUL in every second byte. UTF-8 text has none.
      let head = Array(bytes.prefix(ForeignEncoding.headLength))
      let pairs = head.count / 2
      guard pairs >= ForeignEncoding.leastCharacters else { return nil }
      let firsts = (0..<pairs).count { head[2 * $0] == 0 }
      let seconds = (0..<pairs).count { head[2 * $0 + 1] == 0 }
      guard min(firsts, seconds) == 0, max(firsts, seconds) * 10 >= pairs * 9 else { return nil }
      self = .utf16
    }
  }

  /// The encoding of a whole file that is not UTF-8; nil if no encoding explains all bytes. A file
  /// that also has valid UTF-8 characters outside ASCII is damaged, and no command converts it.
  ///
  /// - Complexity: O(bytes).
  package init?(ofInvalid bytes: ArraySlice<UInt8>) {
    if let encoding = ForeignEncoding(beginning: bytes) {
      self = encoding
      return
    }
    var isWindows = false
    var parser = Unicode.UTF8.ForwardParser()
    var iterator = bytes.makeIterator()
    while true {
      switch parser.parseScalar(from: &iterator) {
      case .valid(let scalar):
        guard scalar.count == 1, let byte = scalar.first else { return nil }
        if byte < 0x20, byte != 0x09, byte != 0x0A, byte != 0x0D { return nil }
      case .error: break
      case .emptyInput:
        for byte in bytes where (0x80..<0xA0).contains(byte) {
          // Windows-1252 has no character for these five bytes.
          if [0x81, 0x8D, 0x8F, 0x90, 0x9D].contains(byte) { return nil }
          isWindows = true
        }
        self = isWindows ? .windows1252 : .latin1
        return
      }
    }
  }

  /// The encoding's name, and the command that converts the file to UTF-8: one sentence without
  /// a full stop.
  package func explanation(of file: String) -> String {
    switch self {
    case .gzip:
      let target = file.hasSuffix(".gz") ? String(file.dropLast(3)) : file + ".txt"
      return "the file is compressed with gzip; '\(command("gunzip -c", file, target))' unpacks it"
    case .utf16: return conversion("UTF-16", "UTF-16", of: file)
    case .latin1: return conversion("Latin-1", "LATIN1", of: file)
    case .windows1252: return conversion("Windows-1252", "CP1252", of: file)
    }
  }

  private func conversion(_ name: String, _ code: String, of file: String) -> String {
    var target = file + ".utf8"
    if let dot = file.lastIndex(of: "."), !file[dot...].contains("/") {
      target = file[..<dot] + ".utf8" + file[dot...]
    }
    let command = command("iconv -f \(code) -t UTF-8", file, target)
    return "the file is \(name), not UTF-8; '\(command)' converts it"
  }

  private func command(_ program: String, _ file: String, _ target: String) -> String {
    // Standard input has no name that a shell knows.
    guard file != SourceFile.standardInputName else { return program }
    func word(_ text: String) -> String {
      let isPlain = text.unicodeScalars.allSatisfy {
        $0.properties.isAlphabetic || "0123456789._/-+:@%,".unicodeScalars.contains($0)
      }
      return isPlain ? text : "\"\(text)\""
    }
    return "\(program) \(word(file)) > \(word(target))"
  }
}
