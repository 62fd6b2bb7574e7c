package import CurfewText

extension TraceHeader {
  /// The header of a trace that may be cut anywhere behind it.
  /// - Throws: An error if there is no whole header.
  package init(ofTrace bytes: [UInt8], name: String) throws(FileErrors) {
    var lines = WholeLines(bytes, name: name)
    self = try lines.header()
  }
}

/// The whole lines of a trace: without a torn last line, and without the line `end`.
struct WholeLines {
  private let bytes: [UInt8]
  private let name: String
  private var reader: TraceReader
  private var start = 0
  private var number = 0
  private var line: [UInt8] = []
  /// The end of the last line that was read.
  private(set) var length = 0

  init(_ bytes: [UInt8], name: String) {
    (self.bytes, self.name, reader) = (bytes, name, TraceReader(file: name))
  }

  /// Reads the header.
  /// - Throws: An error if there is no whole header.
  mutating func header() throws(FileErrors) -> TraceHeader {
    while reader.header == nil {
      guard try takeLine() else {
        throw FileErrors([
          FileDiagnostic(
            at: SourcePlace(file: name, line: 1, column: 1), "the file has no whole line")
        ])
      }
      _ = try reader.read(line, number, isLast: false)
    }
    guard let header = reader.header else {
      preconditionFailure("A trace without a header has been refused")
    }
    length = start
    return header
  }

  /// Reads the next line; returns nil at the end.
  /// - Throws: The error in the line, with its place.
  mutating func next() throws(FileErrors) -> TraceLine? {
    while try takeLine() {
      // The reader refuses a line after the end.
      guard let line = try reader.read(line, number, isLast: false), line.body != .end else {
        continue
      }
      length = start
      return line
    }
    return nil
  }

  /// Takes the next line that has a line end.
  /// - Throws: An error if it is not text, which other readers of the file refuse too.
  private mutating func takeLine() throws(FileErrors) -> Bool {
    guard let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) else { return false }
    line.removeAll(keepingCapacity: true)
    line.append(contentsOf: bytes[start..<end])
    (start, number) = (end + 1, number + 1)
    try SourceFile.check(line[...], number: number, of: name)
    return true
  }
}
