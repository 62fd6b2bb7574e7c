/// Strings that are looked up by their bytes, each with a number. A word that occurs in a million
/// lines is stored once.
package struct KnownTexts: Sendable {
  /// The position of a string in a line, and the hash of its bytes.
  package struct Bytes {
    let range: Range<Int>
    let hash: UInt32
  }

  private struct Entry {
    let text: String
    let hash: UInt32
    /// The range of the string in `bytes`.
    let range: Range<Int>
  }

  /// The maximum number of strings that are kept. The keys, words and apps in a file are few, but
  /// each line may have a new label.
  private static let greatestNumberKept = 1 << 16
  /// The maximum number of bytes in a string that is kept. No key, word or app is longer.
  private static let greatestCount = 128

  /// The maximum number of slots that a search tries. If other strings occupy all of them,
  /// the file's author has chosen strings that collide, and the string is created anew each time.
  private static let greatestDistance = 64

  private var entries: [Entry] = []
  /// The bytes of all entries, concatenated.
  private var bytes: [UInt8] = []
  /// The number of an entry, or -1. The low bits of a string's hash are the index of its first
  /// slot; if that slot has another string, the search tries the next slot. The count is a power
  /// of two, and at least half of the slots are free.
  private var slots = [Int32](repeating: -1, count: 64)

  /// Adds the strings in this order; a duplicate keeps its first number.
  package init(_ texts: [String] = []) {
    for text in texts {
      let bytes = Array(text.utf8)
      _ = self.text(Bytes(range: bytes.indices, hash: KnownTexts.hash(bytes)), in: bytes)
    }
  }

  package var count: Int { entries.count }

  package subscript(number: Int) -> String { entries[number].text }

  /// The number of the string in `line`; nil if the string is unknown.
  func number(_ its: Bytes, in line: [UInt8]) -> Int? {
    for distance in 0..<KnownTexts.greatestDistance {
      let number = Int(slots[slot(its.hash, distance)])
      guard number >= 0 else { return nil }
      if entries[number].hash == its.hash, isEqual(number, its.range, line) { return number }
    }
    return nil
  }

  /// The string in `line`, which is added to the known strings.
  mutating func text(_ its: Bytes, in line: [UInt8]) -> String {
    if let number = number(its, in: line) { return entries[number].text }
    let text = String(decoding: line[its.range], as: UTF8.self)
    guard entries.count < KnownTexts.greatestNumberKept,
      its.range.count <= KnownTexts.greatestCount, freeSlot(its.hash) != nil
    else {
      return text
    }
    entries.append(
      Entry(text: text, hash: its.hash, range: bytes.count..<bytes.count + its.range.count))
    bytes += line[its.range]
    if entries.count * 2 > slots.count {
      slots = Array(repeating: -1, count: slots.count * 2)
      for number in entries.indices { takeSlot(number) }
    } else {
      takeSlot(entries.count - 1)
    }
    return text
  }

  private func slot(_ hash: UInt32, _ distance: Int) -> Int {
    (Int(hash) + distance) & (slots.count - 1)
  }

  private func freeSlot(_ hash: UInt32) -> Int? {
    for distance in 0..<KnownTexts.greatestDistance where slots[slot(hash, distance)] < 0 {
      return slot(hash, distance)
    }
    return nil
  }

  private mutating func takeSlot(_ number: Int) {
    if let slot = freeSlot(entries[number].hash) { slots[slot] = Int32(number) }
  }

  private func isEqual(_ number: Int, _ range: Range<Int>, _ line: [UInt8]) -> Bool {
    let start = entries[number].range.lowerBound
    guard entries[number].range.count == range.count else { return false }
    for offset in 0..<range.count where bytes[start + offset] != line[range.lowerBound + offset] {
      return false
    }
    return true
  }

  // MARK: Hashes

  private static func hash(_ bytes: [UInt8]) -> UInt32 { bytes.reduce(0, hash) }

  /// Extends `hash` by `byte`.
  static func hash(_ hash: UInt32, _ byte: UInt8) -> UInt32 { hash &* 31 &+ UInt32(byte) }
}
