/// Distinct texts, found by their bytes and numbered from 0. An app that occurs in a million rows
/// is stored as one String.
///
/// Hashes use the process's random seed, so nobody can write a log whose names collide.
struct TextIndex {
  /// All texts, by number.
  private(set) var texts: [String] = []
  private var hashes: [Int] = []
  /// The end of each text in `bytes`.
  private var ends: [Int] = []
  private var bytes: [UInt8] = []
  /// A hash table with linear probing. The low bits of a text's hash select its slot, which has the
  /// text's number, or -1 if it is free. The size is a power of two, and at least half of the slots
  /// are free.
  private var slots = [Int32](repeating: -1, count: 64)

  /// An index of these texts, in this order. The texts must differ.
  init(_ texts: [String] = []) { for text in texts { _ = insert(Array(text.utf8)[...]) } }

  /// The number of a text; nil if it has none.
  ///
  /// - Complexity: O(length of the text).
  func number(of text: ArraySlice<UInt8>) -> Int? { find(text, TextIndex.hash(text)).number }

  /// The number of a text, which is added if it is new.
  ///
  /// - Complexity: O(length of the text), amortized.
  mutating func insert(_ text: ArraySlice<UInt8>) -> Int {
    let hash = TextIndex.hash(text)
    let (number, slot) = find(text, hash)
    if let number { return number }
    precondition(texts.count < Int(Int32.max), "The log has too many names, \(texts.count)")
    slots[slot] = Int32(texts.count)
    texts.append(String(decoding: text, as: UTF8.self))
    hashes.append(hash)
    bytes += text
    ends.append(bytes.count)
    if texts.count * 2 > slots.count { grow() }
    return texts.count - 1
  }

  /// The number of a text, and the slot in which that number is or would be stored.
  private func find(_ text: ArraySlice<UInt8>, _ hash: Int) -> (number: Int?, slot: Int) {
    var slot = hash & (slots.count - 1)
    while true {
      let number = Int(slots[slot])
      if number < 0 { return (nil, slot) }
      if hashes[number] == hash, isEqual(number, text) { return (number, slot) }
      slot = (slot + 1) & (slots.count - 1)
    }
  }

  private func isEqual(_ number: Int, _ text: ArraySlice<UInt8>) -> Bool {
    let start = number == 0 ? 0 : ends[number - 1]
    return bytes[start..<ends[number]] == text
  }

  private mutating func grow() {
    slots = Array(repeating: -1, count: slots.count * 2)
    for (number, hash) in hashes.enumerated() {
      var slot = hash & (slots.count - 1)
      while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = Int32(number)
    }
  }

  private static func hash(_ text: ArraySlice<UInt8>) -> Int {
    var hasher = Hasher()
    text.withUnsafeBytes { hasher.combine(bytes: $0) }
    return hasher.finalize()
  }
}
