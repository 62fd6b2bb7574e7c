import CurfewText
import TestRuns
import Testing

@Suite(.inTurn) struct SpanTests {
  private func read(_ text: String) -> Result<Span<Int64>, Refusal> {
    do throws(Refusal) {
      return .success(try SpanText.read(text, DurationText.nanoseconds))
    } catch {
      return .failure(error)
    }
  }

  @Test func `a span has two ends or one end, or is a single value`() throws {
    #expect(try read("1ns..5ns").get() == Span(1, 5))
    #expect(try read("1ns..").get() == Span(1, nil))
    #expect(try read("..5ns").get() == Span(nil, 5))
    #expect(try read("5ns").get() == Span(5, 5))
    #expect(try read("5ns..5ns").get() == Span(5, 5))
  }

  @Test func `both ends are included`() {
    #expect((0...6).filter { Span(1, 5).contains($0) } == [1, 2, 3, 4, 5])
    #expect((0...6).filter { Span(nil, 2).contains($0) } == [0, 1, 2])
    #expect((0...6).filter { Span(5, nil).contains($0) } == [5, 6])
  }

  @Test(arguments: [
    ("..", "'..' has neither a start nor an end"),
    ("5s..1s", "'5s..1s' ends before it begins"),
    ("1s..x", "'x' is not a duration; durations are whole numbers with a unit: 30s, 250ms"),
    ("1s...3s", "'.3s' is not a duration; durations are whole numbers with a unit: 30s, 250ms"),
    ("", "'' is not a duration; durations are whole numbers with a unit: 30s, 250ms"),
  ]) func `text that is not a span is refused`(_ text: String, _ message: String) {
    #expect(throws: Refusal(message)) { try read(text).get() }
  }
}
