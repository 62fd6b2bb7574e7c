import TestRuns
import Testing

@testable import CurfewText

/// Numbers with decimals, exact to the millionth.
@Suite(.inTurn) struct DecimalTextTests {
  private static func read(_ text: String) throws -> Int64 {
    try DecimalText.millionths(in: text, 1...1000)
  }

  @Test(
    arguments: [
      ("1", 1_000_000, "1"), ("1.2", 1_200_000, "1.2"), ("2.0", 2_000_000, "2"),
      ("01.200", 1_200_000, "1.2"),
      ("1.000001", 1_000_001, "1.000001"),
      ("999.999999", 999_999_999, "999.999999"), ("1000", 1_000_000_000, "1000"),
    ] as [(String, Int64, String)]) func `a number is read exactly, and written in one way`(
      _ text: String, _ millionths: Int64, _ written: String
    ) throws
  {
    #expect(try DecimalTextTests.read(text) == millionths)
    #expect(DecimalText.text(ofMillionths: millionths) == written)
  }

  @Test(arguments: ["", ".", "1.", ".5", "-1", "+1", "1e3", "1,2", "1.2.3", " 1", "٣"])
  func `text that is not a number is refused as such`(_ text: String) {
    let refusal = #expect(throws: Refusal.self) { try DecimalTextTests.read(text) }
    #expect(refusal?.message.hasPrefix("'\(text)' is not a number; ") == true)
  }

  @Test(arguments: ["0", "0.999999", "1000.000001", "1001", "1.0000001", "99999999999999999999"])
  func `a number out of the range is refused as out of range`(_ text: String) {
    let refusal = #expect(throws: Refusal.self) { try DecimalTextTests.read(text) }
    #expect(refusal?.message.hasPrefix("'\(text)' is out of range; ") == true)
  }
}
