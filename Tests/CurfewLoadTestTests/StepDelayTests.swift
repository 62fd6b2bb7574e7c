import TestRuns
import Testing

@testable import CurfewLoadTest

/// Steps with a margin of 5, and the causes of their delays.
@Suite(.inTurn) struct StepDelayTests {
  private struct Step {
    var wanted: Int64
    var began: Int64
    var ended: Int64
    var hasWaited = true
    var wasPreempted = false
  }

  private func late(_ steps: [Step], standstills: [ClosedRange<Int64>] = []) -> [Bool] {
    var delay = StepDelay(margin: 5)
    let heartbeat = Heartbeat(standstills: standstills)
    return steps.map {
      delay.isLate(
        wanted: $0.wanted, began: $0.began, ended: $0.ended, hasWaited: $0.hasWaited,
        wasPreempted: $0.wasPreempted,
        standstill: heartbeat.standstill(from:to:))
    }
  }

  @Test func `a thread that wakes up late is the host's delay`() {
    #expect(late([Step(wanted: 10, began: 15, ended: 15)]) == [false])
    #expect(late([Step(wanted: 10, began: 16, ended: 16)]) == [true])
  }

  @Test func `a call that does not return in time is the product's delay`() {
    let steps = [
      Step(wanted: 10, began: 10, ended: 40),
      // Begins late only because of the call before it.
      Step(wanted: 12, began: 40, ended: 41, hasWaited: false),
      Step(wanted: 50, began: 50, ended: 51),
    ]
    #expect(late(steps) == [false, false, false])
  }

  @Test func `a thread that loses its core in a call is the host's delay`() {
    let steps = [
      Step(wanted: 10, began: 10, ended: 40, wasPreempted: true),
      Step(wanted: 12, began: 40, ended: 41, hasWaited: false),
      // Neither of these delays is longer than the margin.
      Step(wanted: 50, began: 50, ended: 55, wasPreempted: true),
      Step(wanted: 60, began: 60, ended: 66),
    ]
    #expect(late(steps) == [true, true, false, false])
  }

  @Test func `a thread that spent the time itself was not held up`() {
    func facts(_ nanoseconds: Int64, _ preemptions: Int) -> ThreadFacts {
      ThreadFacts(processorNanoseconds: nanoseconds, preemptions: preemptions)
    }
    #expect(facts(4_999_999, 3).wasPreempted(since: facts(0, 2), margin: 5_000_000))
    #expect(!facts(5_000_000, 3).wasPreempted(since: facts(0, 2), margin: 5_000_000))
    #expect(!facts(10, 2).wasPreempted(since: facts(0, 2), margin: 5_000_000))
    let (before, after) = (ThreadFacts.now(), ThreadFacts.now())
    #expect(after.processorNanoseconds >= before.processorNanoseconds)
    #expect(after.preemptions >= before.preemptions)
  }

  @Test func `a call in which the process stood still is the host's delay`() {
    let steps = [
      Step(wanted: 10, began: 10, ended: 40),
      Step(wanted: 12, began: 40, ended: 41, hasWaited: false),
      // After the standstill, but the thread has not caught up.
      Step(wanted: 33, began: 41, ended: 42, hasWaited: false),
      Step(wanted: 50, began: 50, ended: 58),
    ]
    #expect(late(steps, standstills: [11...30]) == [true, true, true, false])
    // A shorter one does not explain the delay.
    #expect(late(steps, standstills: [11...16]) == [false, false, false, false])
  }

  @Test func `standstills are added up between two instants`() {
    let heartbeat = Heartbeat(standstills: [10...20, 30...50, 60...70])
    let cases: [(from: Int64, end: Int64, sum: Int64)] = [
      (0, 5, 0), (0, 100, 40), (15, 40, 15), (20, 30, 0), (35, 45, 10), (45, 65, 10), (70, 90, 0),
    ]
    for (from, end, sum) in cases {
      #expect(heartbeat.standstill(from: from, to: end) == sum, "\(from) to \(end)")
    }
  }

  @Test func `a heartbeat ends when it is stopped`() {
    let heartbeat = Heartbeat(margin: 5_000_000)
    heartbeat.stop()
    #expect(heartbeat.standstill(from: 0, to: 1) == 0)
  }
}
