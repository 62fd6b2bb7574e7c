import CurfewSystem
import TestRuns
import Testing

@testable import CurfewLoadTest

/// Steps with a margin of 5, and the causes of their delays.
@Suite(.inTurn) struct StepDelayTests {
  private struct Step {
    var wanted: Int64
    var began: Int64
    var ended: Int64
    var preempted: Int64 = 0
  }

  /// Whether each step is late because of the host. No step is that the host's delays, added up,
  /// do not explain.
  private func late(_ steps: [Step], standstills: [ClosedRange<Int64>] = []) -> [Bool] {
    var (delay, delays) = (StepDelay(margin: 5), HostDelays())
    let heartbeat = Heartbeat(standstills: standstills)
    return steps.map {
      let step = TimedStep(
        wanted: $0.wanted, began: $0.began, ended: $0.ended,
        standstill: heartbeat.standstill(from: $0.began, to: $0.ended), preempted: $0.preempted)
      delays.note(step)
      let isLate = delay.isLate(step)
      #expect(!isLate || delays.explain(step, margin: 5))
      return isLate
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
      Step(wanted: 12, began: 40, ended: 41),
      Step(wanted: 50, began: 50, ended: 51),
    ]
    #expect(late(steps) == [false, false, false])
  }

  @Test func `a late wake excuses no call that takes long after it`() {
    let steps = [
      Step(wanted: 10, began: 16, ended: 16),
      // Takes 500 itself. The host made it 4 late.
      Step(wanted: 12, began: 16, ended: 516),
      Step(wanted: 20, began: 516, ended: 517),
    ]
    #expect(late(steps) == [true, false, false])
    // The host made it 6 late, and it would have been 500 late without the host.
    let one = [
      Step(wanted: 10, began: 16, ended: 516), Step(wanted: 12, began: 516, ended: 517),
    ]
    #expect(late(one) == [false, false])
  }

  @Test func `steps that catch up are late until the host's delay is worked off`() {
    // 40 late, and each call takes 2 of the 4 until the next step. On a punctual host each step
    // would have ended at wanted + 2.
    let steps = (0..<22).map { number -> Step in
      let wanted = 100 + 4 * Int64(number)
      let began = max(wanted, 140 + 2 * Int64(number))
      return Step(wanted: wanted, began: began, ended: began + 2)
    }
    // 40 - 2 × number is more than 5 up to number 17.
    #expect(late(steps) == (0..<22).map { $0 <= 17 })
  }

  @Test func `a thread that loses its core in a call is the host's delay`() {
    let steps = [
      Step(wanted: 10, began: 10, ended: 40, preempted: 29),
      Step(wanted: 12, began: 40, ended: 41),
      // Neither of these delays is longer than the margin.
      Step(wanted: 50, began: 50, ended: 55, preempted: 5),
      Step(wanted: 60, began: 60, ended: 66),
    ]
    #expect(late(steps) == [true, true, false, false])
    // Preempted for a moment in a call that waited for something else.
    #expect(late([Step(wanted: 10, began: 10, ended: 510, preempted: 6)]) == [false])
  }

  @Test func `a thread was held up for as long as it was ready and others ran`() {
    func facts(_ own: Int64, _ process: Int64, _ preemptions: Int, waits: Int = 7) -> ThreadFacts {
      ThreadFacts(
        processorNanoseconds: own, processNanoseconds: process, preemptions: preemptions,
        waits: waits)
    }
    let start = facts(100, 1_000, 2)
    // The thread ran for 10 of the 50, and the process's other threads for 15.
    #expect(facts(110, 1_025, 3).preempted(since: start, length: 50) == 25)
    #expect(facts(110, 1_060, 3).preempted(since: start, length: 50) == 0)
    // Was never preempted, or waited: for a lock that the device holds, perhaps all of the time.
    #expect(facts(110, 1_025, 2).preempted(since: start, length: 50) == 0)
    #expect(facts(110, 1_025, 3, waits: 8).preempted(since: start, length: 50) == 0)
    let (before, after) = (ThreadFacts.now(), ThreadFacts.now())
    #expect(after.processorNanoseconds >= before.processorNanoseconds)
    #expect(after.processNanoseconds > before.processNanoseconds)
    #expect(after.preemptions >= before.preemptions && after.waits >= before.waits)
  }

  #if os(Linux)
    @Test func `a thread that waits for a lock counts as waiting`() {
      let start = ThreadFacts.now()
      SystemClock.monotonic.sleep(until: SystemClock.monotonic.now + 1_000_000)
      var end = ThreadFacts.now()
      #expect(end.waits > start.waits)
      end.preemptions += 1
      #expect(end.preempted(since: start, length: 1_000_000) == 0)
    }
  #endif

  @Test func `a call in which the process stood still is the host's delay`() {
    let steps = [
      Step(wanted: 10, began: 10, ended: 40),
      Step(wanted: 12, began: 40, ended: 41),
      // After the standstill, but the thread has not caught up.
      Step(wanted: 33, began: 41, ended: 42),
      Step(wanted: 50, began: 50, ended: 58),
    ]
    #expect(late(steps, standstills: [11...38]) == [true, true, true, false])
    // A shorter one does not explain the delay.
    #expect(late(steps, standstills: [11...16]) == [false, false, false, false])
    // The first call took 11 itself, so it would have been late anyway, and the second with it.
    #expect(late(steps, standstills: [11...30]) == [false, false, true, false])
  }

  @Test func `delays are added up by cause until the thread has caught up`() {
    var delays = HostDelays()
    let steps = [
      TimedStep(wanted: 10, began: 13, ended: 30, standstill: 4),
      TimedStep(wanted: 20, began: 31, ended: 40, preempted: 2),
    ]
    for step in steps { delays.note(step) }
    #expect(delays.wakes == 4 && delays.standstills == 4 && delays.switches == 2)
    #expect(delays.explain(steps[1], margin: 9) && !delays.explain(steps[1], margin: 10))
    let last = TimedStep(wanted: 40, began: 41, ended: 60)
    delays.note(last)
    #expect(delays.wakes == 1 && !delays.explain(last, margin: 1))
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
    #expect(heartbeat.isBeating)
    heartbeat.stop()
    let patience = SystemClock.monotonic.now + 60_000_000_000
    while heartbeat.isBeating, SystemClock.monotonic.now < patience {
      SystemClock.monotonic.sleep(until: SystemClock.monotonic.now + 1_000_000)
    }
    #expect(!heartbeat.isBeating)
  }

  @Test func `a standstill that is not over yet counts from the last beat`() {
    // The beat after 10,000,000 is due 2,000,000 later, and late after 5,000,000 more.
    let heartbeat = Heartbeat(margin: 5_000_000, last: 10_000_000)
    let cases: [(from: Int64, end: Int64, sum: Int64)] = [
      (0, 17_000_000, 0), (0, 17_000_001, 7_000_001), (12_000_000, 20_000_000, 8_000_000),
    ]
    for (from, end, sum) in cases {
      #expect(heartbeat.standstill(from: from, to: end) == sum, "\(from) to \(end)")
      #expect(heartbeat.isCatchingUp(from: from, to: end) == (sum > 0), "\(from) to \(end)")
    }
    heartbeat.stop()
    #expect(heartbeat.standstill(from: 0, to: 20_000_000) == 0)
  }
}
