import CurfewSystem

/// The lines of a text file of any size, read on demand.
package struct TextLines {
  /// The displayed name.
  package let name: String
  /// The number of the last line, counted from 1.
  package private(set) var number = 0
  /// The longest line, in bytes.
  private static let limit = 64 << 20
  private let pieces: FilePieces
  private var piece: ArraySlice<UInt8> = []
  private var isAtEnd = false

  /// Opens the file at `path`. If it is a pipe, reading blocks until data arrives.
  /// - Throws: An error if the file cannot be read.
  package init(_ path: String) throws(FileErrors) {
    do { pieces = try FilePieces(path) } catch { throw SourceFile.refusal(of: path, error, .max) }
    name = path
  }

  /// Opens standard input.
  package init() { (pieces, name) = (FilePieces(), "standard input") }

  /// Reads the next line, without its end, into `line`. Returns its number and whether it has
  /// an end; nil after the last line.
  /// - Throws: An error if the line cannot be read or is not text.
  package mutating func next(into line: inout [UInt8]) throws(FileErrors) -> (
    isEnded: Bool, number: Int
  )? {
    line.removeAll(keepingCapacity: true)
    while true {
      if let end = piece.firstIndex(of: UInt8(ascii: "\n")) {
        line += piece[..<end]
        piece = piece[(end + 1)...]
        return try finish(&line, isEnded: true)
      }
      line += piece
      piece = []
      guard line.count <= TextLines.limit else {
        throw SourceFile.refusal(
          of: name, .failed("line \(number + 1) exceeds the limit of 64 MiB"), .max)
      }
      guard !isAtEnd else { return line.isEmpty ? nil : try finish(&line, isEnded: false) }
      do { piece = try pieces.next() } catch { throw SourceFile.refusal(of: name, error, .max) }
      isAtEnd = piece.isEmpty
    }
  }

  private mutating func finish(_ line: inout [UInt8], isEnded: Bool) throws(FileErrors) -> (
    isEnded: Bool, number: Int
  ) {
    number += 1
    if number == 1, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
    try SourceFile.check(line[...], number: number, of: name)
    return (isEnded, number)
  }
}
