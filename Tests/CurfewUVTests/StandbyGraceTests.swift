import CurfewUV
import TestRuns
import Testing

/// The time after the next deadline to which a deputy's timer is set.
@Suite(.inTurn) struct StandbyGraceTests {
  private func noteTimelyHandlers(_ count: Int, _ grace: inout StandbyGrace) {
    for _ in 0..<count { grace.noteTimelyHandler() }
  }

  @Test func `timers that fire in vain double the time, and the seventh is never set`() {
    var grace = StandbyGrace()
    var lengths: [Int64] = []
    for _ in 0..<8 {
      lengths.append(grace.length)
      grace.noteVainWake()
    }
    #expect(
      lengths == [
        250_000, 500_000, 1_000_000, 2_000_000, 4_000_000, 8_000_000, .max, .max,
      ])
  }

  @Test func `256 timely handlers in a row halve the time, down to the shortest`() {
    var grace = StandbyGrace()
    for _ in 0..<6 { grace.noteVainWake() }
    var lengths: [Int64] = []
    for _ in 0..<7 {
      noteTimelyHandlers(255, &grace)
      lengths.append(grace.length)
      noteTimelyHandlers(1, &grace)
    }
    #expect(
      lengths == [.max, 8_000_000, 4_000_000, 2_000_000, 1_000_000, 500_000, 250_000])
    noteTimelyHandlers(1_000, &grace)
    #expect(grace.length == StandbyGrace.shortest)
  }

  @Test func `a timer that fires in vain ends the row`() {
    var grace = StandbyGrace()
    grace.noteVainWake()
    for _ in 0..<3 {
      noteTimelyHandlers(255, &grace)
      let before = grace.length
      grace.noteVainWake()
      #expect(grace.length == 2 * before)
    }
    noteTimelyHandlers(256, &grace)
    #expect(grace.length == 2_000_000)
  }
}
