/// A message in protobuf's wire format, field by field: only the types that a Perfetto trace needs.
///
/// The alternative was a schema compiler with its library. A trace uses thirty fields
/// of nine messages, which does not justify a dependency for every embedder.
/// Source: https://protobuf.dev/programming-guides/encoding/
struct ProtobufMessage: Sendable {
  /// The message so far.
  private(set) var bytes: [UInt8] = []

  /// Creates a message with the fields that `fill` adds.
  init(_ fill: (inout ProtobufMessage) -> Void = { _ in }) { fill(&self) }

  /// `uint32`, `uint64` or an enum.
  mutating func add(_ field: Int, _ value: UInt64) {
    tag(field, wireType: 0)
    varint(value)
  }

  /// `int64`: a negative number is written as its two's complement, in ten bytes.
  mutating func add(_ field: Int, signed value: Int64) { add(field, UInt64(bitPattern: value)) }

  /// `bool`.
  mutating func add(_ field: Int, flag: Bool) { add(field, flag ? 1 : 0) }

  /// `fixed64`.
  mutating func add(_ field: Int, fixed value: UInt64) {
    tag(field, wireType: 1)
    for shift in stride(from: UInt64(0), to: 64, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  /// `string`.
  mutating func add(_ field: Int, _ text: String) {
    tag(field, wireType: 2)
    varint(UInt64(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }

  /// A message inside this one.
  mutating func add(_ field: Int, _ message: ProtobufMessage) {
    tag(field, wireType: 2)
    varint(UInt64(message.bytes.count))
    bytes.append(contentsOf: message.bytes)
  }

  private mutating func tag(_ field: Int, wireType: UInt64) {
    varint(UInt64(field) << 3 | wireType)
  }

  /// Writes seven bits per byte, the lowest first.
  private mutating func varint(_ value: UInt64) {
    var rest = value
    while rest > 0x7F {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}
