import Glibc

/// A plan that could not be read.
struct PlanError: Error, CustomStringConvertible {
  let path: String
  let line: Int
  let problem: String

  var description: String { "\(path):\(line): error: \(problem)" }
}

/// The plan of a repetition. Its header is read at once, its lines one after another, so that
/// the text takes no memory.
struct Plan: ~Copyable {
  private let path: String
  private let header: Message
  private var lines: PlanLines

  init(path: String) throws {
    self.path = path
    guard let lines = PlanLines(path: path) else {
      throw PlanError(path: path, line: 1, problem: String(cString: strerror(errno)))
    }
    self.lines = lines
    header = Message(lines.readBytes())
  }

  /// The header's number with that name, which is not negative.
  func number(_ name: String) throws -> Int {
    guard let number = header.number(name), number >= 0 else {
      throw PlanError(path: path, line: 1, problem: "the header has no number '\(name)'")
    }
    return Int(number)
  }

  /// The header's text with that name.
  func text(_ name: String) -> String? { header.text(name) }

  /// Reads a line and calls `take` with each of its numbers.
  mutating func readLine(_ take: (PlanKey, Int64) -> Void) throws {
    guard lines.readLine(take) else { throw wrong("the file ends too early") }
  }

  /// The error about the line that was read last.
  func wrong(_ problem: String) -> PlanError {
    PlanError(path: path, line: lines.line, problem: problem)
  }
}

/// The name of the member that a number belongs to, as a hash; `none` for the numbers of a line
/// that is an array.
struct PlanKey: Equatable {
  static let none = PlanKey("")
  fileprivate var hash: UInt64 = 0

  init(_ name: StaticString) {
    name.withUTF8Buffer { for byte in $0 { add(byte) } }
  }

  @inline(__always)
  fileprivate mutating func add(_ byte: UInt8) { hash = (hash &* 257) &+ UInt64(byte) }
}

/// The bytes of a plan, read in blocks of 64 KiB.
private final class PlanLines {
  private let file: Int32
  private var block = [UInt8](repeating: 0, count: 1 << 16)
  private var next = 0
  private var end = 0
  /// The number of the line that was read last.
  private(set) var line = 0

  init?(path: String) {
    file = open(path, O_RDONLY | O_CLOEXEC)
    if file < 0 { return nil }
  }

  deinit { close(file) }

  @inline(__always)
  private func byte() -> UInt8? {
    if next == end, !fill() { return nil }
    defer { next += 1 }
    return block[next]
  }

  private func fill() -> Bool {
    next = 0
    end = max(0, block.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) })
    return end > 0
  }

  /// The bytes of a line.
  func readBytes() -> [UInt8] {
    line += 1
    var bytes: [UInt8] = []
    while let byte = byte(), byte != UInt8(ascii: "\n") { bytes.append(byte) }
    return bytes
  }

  /// Reads a line and calls `take` with each of its numbers.
  /// - Returns: Whether there was a line.
  @inline(__always)
  func readLine(_ take: (PlanKey, Int64) -> Void) -> Bool {
    line += 1
    var key = PlanKey.none
    var (number, sign): (Int64, Int64) = (0, 1)
    var (isNumber, isText, isAny) = (false, false, false)
    while let byte = byte() {
      isAny = true
      if isText {
        isText = byte != UInt8(ascii: "\"")
        if isText { key.add(byte) }
        continue
      }
      if (0x30...0x39).contains(byte) {
        number = number &* 10 &+ Int64(byte & 15)
        isNumber = true
        continue
      }
      if isNumber {
        take(key, sign * number)
        (number, sign, isNumber) = (0, 1, false)
      }
      switch byte {
      case UInt8(ascii: "\n"): return true
      case UInt8(ascii: "-"): sign = -1
      case UInt8(ascii: "\""): (isText, key) = (true, .none)
      default: break
      }
    }
    return isAny
  }
}
