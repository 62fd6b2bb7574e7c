/// The digest that names Git's objects, FIPS 180-4. Against accidents, not against forgers.
enum SHA1 {
  static func digest(of message: [UInt8]) -> [UInt8] {
    var padded = message
    padded.append(0x80)
    padded.append(contentsOf: repeatElement(0, count: (120 - padded.count % 64) % 64))
    for shift in stride(from: 56, through: 0, by: -8) { padded.append(UInt8(truncatingIfNeeded: (message.count * 8) >> shift)) }
    // Through pointers, and without generic operators: tools are built without optimization, where those take ten times as long.
    var state: [UInt32] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0]
    var words = [UInt32](repeating: 0, count: 80)
    padded.withUnsafeBufferPointer { bytes in
      words.withUnsafeMutableBufferPointer { words in
        state.withUnsafeMutableBufferPointer { state in
          for block in stride(from: 0, to: bytes.count, by: 64) { add(bytes.baseAddress! + block, words.baseAddress!, state.baseAddress!) }
        }
      }
    }
    return state.flatMap { word in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) } }
  }

  private static func add(_ block: UnsafePointer<UInt8>, _ words: UnsafeMutablePointer<UInt32>, _ state: UnsafeMutablePointer<UInt32>) {
    var index = 0
    while index < 16 {
      let bytes = block + index * 4
      words[index] = UInt32(bytes[0]) &<< 24 | UInt32(bytes[1]) &<< 16 | UInt32(bytes[2]) &<< 8 | UInt32(bytes[3])
      index += 1
    }
    while index < 80 {
      let word = words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16]
      words[index] = word &<< 1 | word &>> 31
      index += 1
    }
    var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
    index = 0
    while index < 80 {
      let (mixed, constant): (UInt32, UInt32) =
        if index < 20 { (b & c | ~b & d, 0x5a82_7999) } else if index < 40 { (b ^ c ^ d, 0x6ed9_eba1) } else if index < 60 {
          (b & c | b & d | c & d, 0x8f1b_bcdc)
        } else { (b ^ c ^ d, 0xca62_c1d6) }
      let next = (a &<< 5 | a &>> 27) &+ mixed &+ e &+ constant &+ words[index]
      (e, d, c, b, a) = (d, c, b &<< 30 | b &>> 2, a, next)
      index += 1
    }
    state[0] = state[0] &+ a
    state[1] = state[1] &+ b
    state[2] = state[2] &+ c
    state[3] = state[3] &+ d
    state[4] = state[4] &+ e
  }
}
