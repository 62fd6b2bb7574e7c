/// Texts that are found by their bytes, each with a number. A word that occurs in a million lines
/// is stored as one String.
package struct KnownTexts: Sendable {
  /// The bytes of a text in a line, and their hash.
  package struct Bytes {
    let range: Range<Int>
    let hash: UInt32
  }

  private struct Entry {
    let text: String
    let hash: UInt32
    /// The range of the text in `bytes`.
    let range: Range<Int>
  }

  /// The limit of kept texts. A file has a limited number of keys, words and apps, but may have
  /// a new label in each line.
  private static let greatestNumberKept = 1 << 16
  /// The limit of a text's bytes. No key, word or app is longer.
  private static let greatestCount = 128

  /// The greatest number of slots that a search tries. If other texts take all of them, the file's
  /// author has chosen texts that collide, and the text is created anew each time.
  private static let greatestDistance = 64

  private var entries: [Entry] = []
  /// The bytes of all entries, one after the other.
  private var bytes: [UInt8] = []
  /// The number of an entry for the low bits of each hash, or -1. If the entry has another text,
  /// the search tries the next slot. The count is a power of two, and at least half of the slots
  /// are free.
  private var slots = [Int32](repeating: -1, count: 64)

  /// Creates the texts in this order; a duplicate keeps its first number.
  package init(_ texts: [String] = []) {
    for text in texts {
      let bytes = Array(text.utf8)
      _ = self.text(Bytes(range: bytes.indices, hash: KnownTexts.hash(bytes)), in: bytes)
    }
  }

  package var count: Int { entries.count }

  package subscript(number: Int) -> String { entries[number].text }

  /// The number of the text in `line`; nil for an unknown text.
  func number(_ its: Bytes, in line: [UInt8]) -> Int? {
    for distance in 0..<KnownTexts.greatestDistance {
      let number = Int(slots[slot(its.hash, distance)])
      guard number >= 0 else { return nil }
      if entries[number].hash == its.hash, isEqual(number, its.range, line) { return number }
    }
    return nil
  }

  /// The text in `line`, which is added to the known texts.
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
