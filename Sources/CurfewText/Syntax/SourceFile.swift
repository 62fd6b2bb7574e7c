package import CurfewSystem

/// A text file that a person wrote. Its bytes have been checked to be text.
public struct SourceFile: Sendable {
  /// The displayed name: the path as it was given.
  public let name: String
  /// The content, without a byte order mark.
  public let text: String
  /// The path that the file was read from; nil if the text came from elsewhere.
  public let path: String?

  /// The size limit of files: 8 MiB, a hundred times the largest file that anybody writes by hand.
  public static let limit = 8 << 20
  /// The size limit of traces that are read as a whole: 1 GiB, about ten million lines, which take
  /// several times as much memory. Reading line by line has no limit.
  public static let traceLimit = 1 << 30

  /// The displayed name of standard input.
  static let standardInputName = "standard input"

  /// Creates a file from `bytes`. `name` is the name of the file in errors.
  ///
  /// - Throws: An error if the text is empty, longer than `limit` bytes, not UTF-8, or has
  ///   control characters.
  public init(name: String, bytes: [UInt8], limit: Int = SourceFile.limit) throws(FileErrors) {
    try self.init(name: name, path: nil, bytes: bytes, limit: limit)
  }

  private init(name: String, path: String?, bytes: [UInt8], limit: Int) throws(FileErrors) {
    self.name = name
    self.path = path
    guard bytes.count <= limit else { throw SourceFile.tooLong(name, limit) }
    let content = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
    if let encoding = ForeignEncoding(beginning: content) {
      throw FileErrors([FileDiagnostic(file: name, encoding.explanation(of: name))])
    }
    guard let text = String(validating: content, as: UTF8.self) else {
      let bad = SourceFile.firstInvalidByte(in: content)
      let place = SourceFile.place(of: bad, in: content, file: name)
      let byte = String(content[bad], radix: 16, uppercase: true)
      let encoding = ForeignEncoding(ofInvalid: content).map { "; " + $0.explanation(of: name) }
      throw FileErrors([
        FileDiagnostic(
          at: place, "not a text file: the byte 0x\(byte) is not UTF-8\(encoding ?? "")")
      ])
    }
    if SourceFile.mayHaveControls(content),
      let (place, scalar) = SourceFile.firstControlCharacter(in: text, file: name)
    {
      let found = scalar == "\0" ? "a NUL byte" : "the control character \(scalar.codePoint)"
      throw FileErrors([FileDiagnostic(at: place, "not a text file: it contains \(found)")])
    }
    guard text.unicodeScalars.contains(where: { !" \t\r\n".unicodeScalars.contains($0) }) else {
      throw FileErrors([
        FileDiagnostic(at: SourcePlace(file: name, line: 1, column: 1), "the file is empty")
      ])
    }
    self.text = text
  }

  /// Reads the file at `path`.
  ///
  /// A pipe is read until it is closed.
  ///
  /// - Throws: An error if the file is missing, a directory, unreadable, longer than `limit` bytes,
  ///   empty or not text.
  public static func read(_ path: String, limit: Int = SourceFile.limit) throws(FileErrors)
    -> SourceFile
  {
    let bytes: [UInt8]
    do { bytes = try FileBytes.read(path, limit: limit) } catch {
      throw refusal(of: path, error, limit)
    }
    return try SourceFile(name: path, path: path, bytes: bytes, limit: limit)
  }

  /// Reads standard input to its end, even from a pipe or a terminal. Its name in errors
  /// is `standard input`.
  ///
  /// - Throws: An error if it is unreadable, longer than `limit` bytes, empty or not text.
  package static func readStandardInput(limit: Int = SourceFile.limit) throws(FileErrors)
    -> SourceFile
  {
    let name = standardInputName
    let bytes: [UInt8]
    do { bytes = try FileBytes.readStandardInput(limit: limit) } catch {
      throw refusal(of: name, error, limit)
    }
    return try SourceFile(name: name, path: nil, bytes: bytes, limit: limit)
  }

  package static func refusal(of name: String, _ failure: FileBytes.Failure, _ limit: Int)
    -> FileErrors
  {
    switch failure {
    case .overLimit: tooLong(name, limit)
    case .failed(let reason): FileErrors([FileDiagnostic(file: name, reason)])
    case .interrupted: FileErrors([FileDiagnostic(file: name, "reading was interrupted")])
    }
  }

  private static func tooLong(_ name: String, _ limit: Int) -> FileErrors {
    FileErrors([
      FileDiagnostic(
        file: name, "the file exceeds the limit of \(HumanSize.spaced(Int64(limit)))")
    ])
  }

  /// Throws if a line is not text.
  package static func check(_ line: ArraySlice<UInt8>, number: Int, of name: String)
    throws(FileErrors)
  {
    guard mayHaveControls(line) || !line.allSatisfy({ $0 < 0x80 }) else { return }
    guard let text = String(validating: line, as: UTF8.self) else {
      let bad = firstInvalidByte(in: line)
      let column = place(of: bad, in: line, file: name).column
      let byte = String(line[bad], radix: 16, uppercase: true)
      throw FileErrors([
        FileDiagnostic(
          at: SourcePlace(file: name, line: number, column: column),
          "not a text file: the byte 0x\(byte) is not UTF-8")
      ])
    }
    guard let (place, scalar) = firstControlCharacter(in: text, file: name) else { return }
    let found = scalar == "\0" ? "a NUL byte" : "the control character \(scalar.codePoint)"
    let there = SourcePlace(file: name, line: number, column: place.column)
    throw FileErrors([FileDiagnostic(at: there, "not a text file: it contains \(found)")])
  }

  private static func isRefused(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isControl && scalar != "\t" && scalar != "\n" && scalar != "\r"
  }

  /// Whether a control character may begin at one of the bytes. The loop reads every byte
  /// without a branch, so that the compiler can vectorize it.
  private static func mayHaveControls(_ bytes: ArraySlice<UInt8>) -> Bool {
    func bit(_ condition: Bool) -> UInt8 { condition ? 1 : 0 }
    return bytes.withUnsafeBufferPointer { bytes in
      var found: UInt8 = 0
      for byte in bytes {
        found |= bit(byte < 0x20) & bit(byte != 0x09) & bit(byte != 0x0A) & bit(byte != 0x0D)
        found |= bit(byte == 0x7F) | bit(byte == 0xC2) | bit(byte == 0xE2) | bit(byte == 0xEF)
      }
      return found != 0
    }
  }

  private static func firstControlCharacter(in text: String, file: String) -> (
    SourcePlace, Unicode.Scalar
  )? {
    guard let scalar = text.unicodeScalars.first(where: isRefused) else { return nil }
    var (line, column, previous): (Int, Int, Unicode.Scalar) = (1, 1, " ")
    for next in text.unicodeScalars {
      if isRefused(next) { break }
      if next == "\n", previous == "\r" {
        // The second half of a CR LF.
      } else if next == "\n" || next == "\r" {
        (line, column) = (line + 1, 1)
      } else {
        column += 1
      }
      previous = next
    }
    return (SourcePlace(file: file, line: line, column: column), scalar)
  }

  private static func firstInvalidByte(in bytes: ArraySlice<UInt8>) -> Int {
    var low = bytes.startIndex
    var decoder = Unicode.UTF8.ForwardParser()
    var iterator = bytes.makeIterator()
    while true {
      switch decoder.parseScalar(from: &iterator) {
      case .valid(let encoded): low += encoded.count
      case .error, .emptyInput: return min(low, bytes.endIndex - 1)
      }
    }
  }

  private static func place(of index: Int, in bytes: ArraySlice<UInt8>, file: String) -> SourcePlace
  {
    let before = bytes[..<index]
    let line = before.count { $0 == 0x0A } + 1
    let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? before.startIndex
    let column = before[start...].count { $0 & 0xC0 != 0x80 } + 1
    return SourcePlace(file: file, line: line, column: column)
  }
}

extension SourceFile {
  /// The path that `name` means in `file`: a relative path starts in the file's folder.
  package static func path(_ name: String, relativeTo file: String?) -> String {
    let name = name.hasPrefix("./") ? String(name.dropFirst(2)) : name
    guard !name.hasPrefix("/"), let file, let slash = file.lastIndex(of: "/") else { return name }
    return file[...slash] + name
  }
}
