/// A message in protobuf's wire format, read without a schema: fields by their numbers, in order.
/// It shares no code with the writer.
struct WireMessage {
  enum Value: Equatable {
    case number(UInt64)
    case fixed(UInt64)
    case bytes([UInt8])
  }

  private(set) var fields: [(number: Int, value: Value)] = []

  /// nil if the bytes are not a message.
  init?(_ bytes: some Sequence<UInt8>) {
    let bytes = Array(bytes)
    var place = 0
    func varint() -> UInt64? {
      var value: UInt64 = 0
      for shift in stride(from: UInt64(0), to: 70, by: 7) {
        guard place < bytes.count else { return nil }
        let byte = bytes[place]
        place += 1
        value |= UInt64(byte & 0x7F) << shift
        if byte < 0x80 { return value }
      }
      return nil
    }
    while place < bytes.count {
      guard let tag = varint() else { return nil }
      switch tag & 7 {
      case 0:
        guard let value = varint() else { return nil }
        fields.append((Int(tag >> 3), .number(value)))
      case 1:
        guard place + 8 <= bytes.count else { return nil }
        let value = bytes[place..<place + 8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        place += 8
        fields.append((Int(tag >> 3), .fixed(value)))
      case 2:
        guard let count = varint().flatMap({ Int(exactly: $0) }), place + count <= bytes.count
        else { return nil }
        fields.append((Int(tag >> 3), .bytes(Array(bytes[place..<place + count]))))
        place += count
      default: return nil
      }
    }
  }

  func number(_ field: Int) -> UInt64? {
    for case (field, .number(let number)) in fields { return number }
    return nil
  }

  func text(_ field: Int) -> String? {
    for case (field, .bytes(let bytes)) in fields { return String(decoding: bytes, as: UTF8.self) }
    return nil
  }

  func messages(_ field: Int) -> [WireMessage] {
    fields.compactMap { number, value in
      if number == field, case .bytes(let bytes) = value { WireMessage(bytes) } else { nil }
    }
  }

  func fixed(_ field: Int) -> [UInt64] {
    fields.compactMap { number, value in
      if number == field, case .fixed(let fixed) = value { fixed } else { nil }
    }
  }
}
