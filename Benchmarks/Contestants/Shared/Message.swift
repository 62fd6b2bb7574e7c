/// A JSON object on one line, with members that are numbers or strings. Other members are skipped.
struct Message {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Reads a line from standard input; nil at its end.
  static func read() -> Message? { readLine().map { Message(Array($0.utf8)) } }

  func number(_ name: String) -> Int64? {
    guard var place = place(of: name) else { return nil }
    let isNegative = place < bytes.count && bytes[place] == UInt8(ascii: "-")
    if isNegative { place += 1 }
    let digits = bytes[place...].prefix { (0x30...0x39).contains($0) }
    guard let text = String(validating: digits, as: UTF8.self) else { return nil }
    return Int64(isNegative ? "-" + text : text)
  }

  func text(_ name: String) -> String? {
    guard var place = place(of: name), place < bytes.count, bytes[place] == UInt8(ascii: "\"")
    else { return nil }
    var value: [UInt8] = []
    place += 1
    while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
      if bytes[place] == UInt8(ascii: "\\") { place += 1 }
      if place < bytes.count { value.append(bytes[place]) }
      place += 1
    }
    return place < bytes.count ? String(validating: value, as: UTF8.self) : nil
  }

  /// The place of the member's value.
  private func place(of name: String) -> Int? {
    let key = Array("\"\(name)\":".utf8)
    guard bytes.count >= key.count else { return nil }
    return (0...(bytes.count - key.count)).first { bytes[$0...].starts(with: key) }
      .map { $0 + key.count }
  }
}
