import CurfewEngine
import CurfewPolicy
import CurfewText
import TestRuns
import TestSupport
import Testing

@Suite(.inTurn) struct DurationTests {
  @Test(arguments: [
    ("0s", 0), ("1ns", 1), ("7us", 7_000), ("250ms", 250_000_000), ("30s", 30_000_000_000),
    ("10m", 600_000_000_000),
    ("2h", 7_200_000_000_000), ("7d", 604_800_000_000_000), ("007s", 7_000_000_000),
    ("9223372036854775807ns", Int64.max),
    ("106751d", 9_223_286_400_000_000_000), ("1h30m", 5_400_000_000_000),
    ("1h 30m", 5_400_000_000_000),
    ("1d 2h3m 4s5ms 6us7ns", 93_784_005_006_007), ("0h0s", 0),
  ]) func `a whole number with a unit is a duration`(_ text: String, _ nanoseconds: Int64) throws {
    #expect(try DurationText.read(text) == Interval(nanoseconds: nanoseconds))
  }

  @Test(arguments: [
    ("30", "'30' has no unit; durations are whole numbers with a unit: 30s, 250ms"),
    ("30 s", "'30 s' is not a duration; durations are whole numbers with a unit: 30s, 250ms"),
    ("30sec", "unknown unit 'sec' in '30sec'; the units are ns us ms s m h d"),
    ("30S", "unknown unit 'S' in '30S'; the units are ns us ms s m h d"),
    ("1.5s", "'1.5s' is not whole; durations are whole numbers with a unit: 30s, 250ms"),
    ("-5s", "negative duration '-5s'; durations are whole numbers with a unit: 30s, 250ms"),
    ("+5s", "'+5s' is not a duration; durations are whole numbers with a unit: 30s, 250ms"),
    ("", "'' is not a duration; durations are whole numbers with a unit: 30s, 250ms"),
    ("٣s", "'٣s' is not a duration; durations are whole numbers with a unit: 30s, 250ms"),
    ("1h30", "'30' in '1h30' has no unit; durations are whole numbers with a unit: 30s, 250ms"),
    (
      "30m1h",
      "in '30m1h' units must go from large to small, each at most once; durations are whole numbers with a unit: 30s, 250ms"
    ),
    (
      "1s1s",
      "in '1s1s' units must go from large to small, each at most once; durations are whole numbers with a unit: 30s, 250ms"
    ),
    ("1h  30m", "'1h  30m' is not a duration; durations are whole numbers with a unit: 30s, 250ms"),
    ("1h ", "'1h ' is not a duration; durations are whole numbers with a unit: 30s, 250ms"),
    (" 1h", "' 1h' is not a duration; durations are whole numbers with a unit: 30s, 250ms"),
    ("1h 30x", "unknown unit 'x' in '1h 30x'; the units are ns us ms s m h d"),
    ("106751d 24h", "'106751d 24h' is too long; the longest duration is 106751d, 292 years"),
    ("106752d", "'106752d' is too long; the longest duration is 106751d, 292 years"),
    (
      "9223372036854775808ns",
      "'9223372036854775808ns' is too long; the longest duration is 106751d, 292 years"
    ),
    (
      "99999999999999999999999s",
      "'99999999999999999999999s' is too long; the longest duration is 106751d, 292 years"
    ),
  ]) func `anything else is refused with the rule`(_ text: String, _ message: String) throws {
    let refusal = try #require(throws: Refusal.self) { try DurationText.read(text) }
    #expect(refusal.message == message)
  }

  @Test(arguments: [
    ("0ns", "0s"), ("030s", "30s"), ("1500ms", "1500ms"), ("60s", "1m"), ("600s", "10m"),
    ("90s", "90s"), ("48h", "2d"),
  ])
  func `a duration is written in the longest unit that leaves it whole`(
    _ text: String, _ written: String
  ) throws {
    #expect(DurationText.write(try DurationText.read(text)) == written)
  }

  @Test func `writing and reading again changes nothing`() throws {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<1_000 {
      let interval = Interval(nanoseconds: Int64(random.next() >> (1 + random.next() % 60)))
      #expect(try DurationText.read(DurationText.write(interval)) == interval)
    }
  }
}
