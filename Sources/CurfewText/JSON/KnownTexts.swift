/// Texts that are known by their bytes, each under the number of its place: of a word that stands
/// in a million lines there is one String, which nobody makes anew.
package struct KnownTexts: Sendable {
  /// Bytes of a line that are a text, and what they come to.
  package struct Bytes {
    let range: Range<Int>
    let hash: UInt32
  }

  private struct Entry {
    let text: String
    let hash: UInt32
    /// Where its bytes are.
    let range: Range<Int>
  }

  /// No more are kept. A file has so many keys, words and apps; of labels it may have a new one
  /// in each line.
  private static let greatestNumberKept = 1 << 16
  /// Nor a longer one, which is no key, word or app.
  private static let greatestCount = 128

  /// So many slots are looked at. Where all of them are taken, whoever wrote the file has chosen
  /// texts that fall together, and a text is made anew.
  private static let greatestDistance = 64

  private var entries: [Entry] = []
  /// Those of all entries, one after the other.
  private var bytes: [UInt8] = []
  /// For each hash's low bits the number of an entry, or -1; where that is another, the next slot.
  /// A power of two, and half of them free at least.
  private var slots = [Int32](repeating: -1, count: 64)

  /// These texts, in this order; one that comes again keeps its number.
  package init(_ texts: [String] = []) {
    for text in texts {
      let bytes = Array(text.utf8)
      _ = self.text(Bytes(range: bytes.indices, hash: KnownTexts.hash(bytes)), in: bytes)
    }
  }

  package var count: Int { entries.count }

  package subscript(number: Int) -> String { entries[number].text }

  /// The number of what stands in `line`; nil for a text that is not known.
  func number(_ its: Bytes, in line: [UInt8]) -> Int? {
    for distance in 0..<KnownTexts.greatestDistance {
      let number = Int(slots[slot(its.hash, distance)])
      guard number >= 0 else { return nil }
      if entries[number].hash == its.hash, isEqual(number, its.range, line) { return number }
    }
    return nil
  }

  /// What stands in `line`, which is known from now on.
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

  /// The hash of what has `hash` and goes on with `byte`.
  static func hash(_ hash: UInt32, _ byte: UInt8) -> UInt32 { hash &* 31 &+ UInt32(byte) }
}
