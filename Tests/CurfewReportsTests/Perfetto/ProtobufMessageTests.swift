import TestRuns
import Testing

@testable import CurfewReports

/// Protobuf's wire format, tested with the examples of its documentation and the ends of
/// its ranges.
@Suite(.inTurn) struct ProtobufMessageTests {
  @Test func `a number is written with seven bits per byte`() {
    #expect(ProtobufMessage { $0.add(1, 150) }.bytes == [0x08, 0x96, 0x01])
    #expect(ProtobufMessage { $0.add(1, 0) }.bytes == [0x08, 0x00])
    #expect(
      ProtobufMessage { $0.add(60, .max) }.bytes == [0xE0, 0x03] + Array(repeating: 0xFF, count: 9)
        + [0x01])
  }

  @Test func `a negative number takes ten bytes`() {
    #expect(
      ProtobufMessage { $0.add(1, signed: -2) }.bytes == [0x08, 0xFE]
        + Array(repeating: 0xFF, count: 8) + [0x01])
  }

  @Test func `strings, messages and fixed numbers are written`() {
    #expect(ProtobufMessage { $0.add(2, "testing") }.bytes == [0x12, 0x07] + Array("testing".utf8))
    #expect(
      ProtobufMessage { $0.add(3, ProtobufMessage { $0.add(1, 150) }) }.bytes == [
        0x1A, 0x03, 0x08, 0x96, 0x01,
      ])
    #expect(
      ProtobufMessage { $0.add(47, fixed: 0x0102) }.bytes == [0xF9, 0x02, 2, 1, 0, 0, 0, 0, 0, 0])
  }

  @Test func `a message is read as it was written`() throws {
    let text = String(repeating: "ž", count: 100)
    let message = try #require(WireMessage(ProtobufMessage { $0.add(6, text) }.bytes))
    #expect(message.text(6) == text)
  }
}
