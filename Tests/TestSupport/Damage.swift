/// Changes a text at a random place. Most new characters have a meaning in a file format.
package func damage(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
  let signs = Array("[]{},:-?&*!|>'\"%@`# \t\n\r\\<0~9".utf8) + [0x00, 0x80, 0xC3, 0xFF, 0x1B]
  guard !bytes.isEmpty else { return }
  let place = Int(random.next() % UInt64(bytes.count))
  let sign = signs[Int(random.next() % UInt64(signs.count))]
  switch random.next() % 6 {
  case 0: bytes[place] = sign
  case 1: bytes.insert(sign, at: place)
  case 2: bytes.remove(at: place)
  case 3: bytes[place] ^= UInt8(1 << (random.next() % 8))
  case 4: bytes.removeSubrange(place..<min(bytes.count, place + Int(random.next() % 40)))
  default:
    bytes.insert(
      contentsOf: bytes[place..<min(bytes.count, place + Int(random.next() % 40))], at: place)
  }
}
